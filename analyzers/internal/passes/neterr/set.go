package neterr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
)

// A Set says which failures an error may still be. Each of its bits stands for
// one witness, a real error value: to know what a question leaves of the set, the
// question is put to the witnesses. So that errors.As to a *url.Error holds for a
// refused dial of http.Client, or that os.IsTimeout does not look through
// fmt.Errorf, is asked of the libraries and not believed.
type Set uint64

// A kind is a way in which a network call fails.
type kind int

const (
	refused  kind = iota // nobody listens at the address
	noHost               // NXDOMAIN
	trouble              // a name server in trouble: Temporary(), and no timeout
	dropped              // the peer closed the connection
	canceled             // the caller gave up
	deadline             // the context's deadline
	ioLate               // the connection's deadline
	numKinds
)

// causes holds the error at the root of each kind.
var causes = [numKinds]error{
	refused:  dialError(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
	noHost:   dialError(&net.DNSError{Err: "no such host", Name: "upstream", IsNotFound: true}),
	trouble:  dialError(&net.DNSError{Err: "server misbehaving", Name: "upstream", IsTemporary: true}),
	dropped:  io.EOF,
	canceled: context.Canceled,
	deadline: context.DeadlineExceeded,
	ioLate:   &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded},
}

func dialError(cause error) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: cause}
}

// A shape is the form in which a failure reaches the code.
type shape int

const (
	raw         shape = iota // as a dialer or a RoundTripper returns it
	ofClient                 // in the *url.Error of http.Client
	wrapped                  // raw, and wrapped with %w
	wrappedOf                // of the client, and wrapped with %w
	unspeakable              // its text only (%v)
	numShapes
)

// dress returns the failure err, a cause, in shape s.
func dress(err error, s shape) error {
	switch s {
	case ofClient:
		return &url.Error{Op: "Get", URL: "http://upstream/", Err: err}
	case wrapped:
		return fmt.Errorf("wrapped: %w", err)
	case wrappedOf:
		return fmt.Errorf("wrapped: %w", dress(err, ofClient))
	case unspeakable:
		return errors.New(err.Error())
	}
	return err
}

// witnesses holds the error of each bit: kinds in each shape. The two bits above
// them have no witness.
var witnesses = func() (all [int(numKinds) * int(numShapes)]error) {
	for k, cause := range causes {
		for s := range numShapes {
			all[k*int(numShapes)+int(s)] = dress(cause, s)
		}
	}
	return all
}()

const (
	// None is the nil error.
	None Set = 1 << (uint(numKinds) * uint(numShapes))

	// Other is any error that does not come from the network.
	Other Set = None << 1

	// All leaves everything open.
	All = Other<<1 - 1

	kindMask Set = 1<<numShapes - 1 // the bits of kind 0
)

// of returns the set of kinds in all shapes.
func of(kinds ...kind) (set Set) {
	for _, k := range kinds {
		set |= kindMask << (uint(k) * uint(numShapes))
	}
	return set
}

// in returns the part of set whose members have shape s.
func (set Set) in(s shape) (part Set) {
	for k := range numKinds {
		part |= set & (1 << (uint(k)*uint(numShapes) + uint(s)))
	}
	return part
}

var (
	// Dial holds the failures that happen before anybody could be slow: whoever
	// answers one of these as a timeout is wrong.
	Dial = of(refused, noHost, trouble)

	// late holds the timeouts.
	late = of(deadline, ioLate)
)

// FromClient returns what an error of http.Client may be, nil among it.
func FromClient() Set { return All.in(ofClient) | None | Other }

// FromTransport returns what an error of a dialer or of a RoundTripper may be.
func FromTransport() Set { return All.in(raw) | None | Other }

// FromRPC returns what an error of a gRPC client may be: a status, which has the text of
// the failure only.
func FromRPC() Set { return All.in(unspeakable) | None | Other }

// FromRequestBody returns what an error of reading a server's request may be: the
// connection is there, so nothing of Dial.
func FromRequestBody() Set { return of(dropped, canceled, deadline, ioLate) | None | Other }

// wrap returns what an error may be that is, or wraps, one of set. With text, only
// its text goes on.
func (set Set) wrap(text bool) Set {
	out := set
	for k := range uint(numKinds) {
		one := set >> (k * uint(numShapes)) & kindMask
		switch {
		case one == 0:
			continue
		case text:
			one |= 1 << unspeakable
		default:
			if one&(1<<raw) != 0 {
				one |= 1 << wrapped
			}
			if one&(1<<ofClient) != 0 {
				one |= 1 << wrappedOf
			}
		}
		out |= one << (k * uint(numShapes))
	}
	return out
}

// spread returns the kinds of set in all shapes.
func (set Set) spread() Set {
	out := set & (None | Other)
	for k := range numKinds {
		if set&of(k) != 0 {
			out |= of(k)
		}
	}
	return out
}

// A question is a yes-or-no question about an error.
type question struct {
	of func(error) bool // asked of the witnesses

	// What the answer can be for an error that is none of the witnesses.
	otherYes, otherNo bool

	net bool // yes says that it is a failure of the network, and no more
}

// never is the question that no witness answers with yes: about an error of the
// program's own, say.
func never(error) bool { return false }

// split returns the parts of set for which the answer to q is yes and no. Asked of
// what the error wraps, depth levels down.
func (q question) split(set Set, depth int) (yes, no Set) {
	no = set & None
	if set&Other != 0 {
		if q.otherYes {
			yes |= Other
		}
		if q.otherNo || !q.otherYes {
			no |= Other
		}
	}
	for i, w := range witnesses {
		bit := Set(1) << i & set
		if bit == 0 {
			continue
		}
		for range depth {
			if inner := errors.Unwrap(w); inner != nil {
				w = inner
			}
		}
		if q.of(w) {
			yes |= bit
		} else {
			no |= bit
		}
	}
	return yes, no
}
