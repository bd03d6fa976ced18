package neterr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"testing"
)

// TestQuestions states what the answers of the libraries are taken for.
func TestQuestions(t *testing.T) {
	all := All &^ (None | Other)
	isURL := func(err error) bool { return is[*url.Error](err) }
	isDeadline := func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }
	tests := []struct {
		name string
		of   func(error) bool
		set  Set
		want Set // for which of set the answer is yes
	}{
		{"every error of a client is a *url.Error", isURL, FromClient(), all.in(ofClient)},
		{"and so a net.Error", is[net.Error], FromClient(), all.in(ofClient)},
		{"a wrapped one is not, without errors.As", isNow[net.Error], all.in(wrappedOf), 0},
		{"a dropped connection alone is none", is[net.Error], all.in(raw), all.in(raw) &^ of(dropped, canceled)},
		{"a refused connection is no timeout", saysTimeout, Dial, 0},
		{"nor is it temporary", saysTemporary, of(refused).in(ofClient), 0},
		{"a name server in trouble is", saysTemporary, of(trouble).in(ofClient), of(trouble).in(ofClient)},
		{"a client's deadline is the context's", isDeadline, late.in(ofClient), of(deadline).in(ofClient)},
		{"os.IsTimeout does not unwrap", os.IsTimeout, late.in(wrappedOf), 0},
		{"but for a *url.Error", os.IsTimeout, late.in(ofClient), late.in(ofClient)},
		{"a text is nothing", saysTimeout, all.in(unspeakable), 0},
	}
	for _, test := range tests {
		yes, no := question{of: test.of}.split(test.set&^(None|Other), 0)
		if yes != test.want || yes|no != test.set&^(None|Other) || yes&no != 0 {
			t.Errorf("%s: yes %s, want %s", test.name, describe(yes), describe(test.want))
		}
	}
}

func TestSplitOfTheRest(t *testing.T) {
	for _, test := range []struct {
		q       question
		yes, no Set
	}{
		{question{of: never}, 0, None | Other},
		{question{of: never, otherYes: true}, Other, None},
		{question{of: never, otherYes: true, otherNo: true}, Other, None | Other},
	} {
		if yes, no := test.q.split(None|Other, 0); yes != test.yes || no != test.no {
			t.Errorf("split(%+v) = %s, %s", test.q, describe(yes), describe(no))
		}
	}
}

func TestWrap(t *testing.T) {
	client := of(refused).in(ofClient)
	if got, want := client.wrap(false), client|of(refused).in(wrappedOf); got != want {
		t.Errorf("wrap: %s, want %s", describe(got), describe(want))
	}
	if got, want := client.wrap(true), client|of(refused).in(unspeakable); got != want {
		t.Errorf("wrap of the text: %s, want %s", describe(got), describe(want))
	}
	if got, want := (client | None).spread(), of(refused)|None; got != want {
		t.Errorf("spread: %s, want %s", describe(got), describe(want))
	}
}

// describe spells set out.
func describe(set Set) string {
	var list []string
	for i, w := range witnesses {
		if set&(1<<i) != 0 {
			list = append(list, fmt.Sprintf("%T %v", w, w))
		}
	}
	return fmt.Sprintf("%q none %t other %t", list, set&None != 0, set&Other != 0)
}
