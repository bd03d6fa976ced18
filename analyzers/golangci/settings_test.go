package golangci

import (
	"flag"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers"
)

// A yaml is a map of a configuration, as golangci-lint hands it over.
type yaml = map[string]any

// fakeRules returns rules with a flag of each type.
func fakeRules() []*analysis.Analyzer {
	plain, rich := &analysis.Analyzer{Name: "plain"}, &analysis.Analyzer{Name: "rich"}
	rich.Flags.Bool("strict", false, "")
	rich.Flags.Int("depth", 3, "")
	rich.Flags.Float64("share", 0.5, "")
	rich.Flags.String("names", "a", "")
	rich.Flags.Duration("after", 0, "")
	rich.Flags.Var(new(codes), "codes", "")
	return []*analysis.Analyzer{plain, rich}
}

// codes is a flag of a type of its own, which takes digits and commas only.
type codes string

func (c *codes) String() string { return string(*c) }

func (c *codes) Set(s string) error {
	if strings.Trim(s, "0123456789,") != "" {
		return flag.ErrHelp
	}
	*c = codes(s)
	return nil
}

func TestSettings(t *testing.T) {
	const none = "strict=false depth=3 share=0.5 names=a after=0s codes="
	for _, test := range []struct {
		name  string
		conf  any
		on    string
		flags string
	}{
		{"none", nil, "plain rich", none},
		{"empty", yaml{}, "plain rich", none},
		{"enable", yaml{"enable": []any{"plain"}}, "plain", none},
		{"disable", yaml{"disable": []any{"plain"}}, "rich", none},
		{"all types", yaml{"rules": yaml{"rich": yaml{
			"strict": true, "depth": 1000000, "share": 0.25, "names": "x,y", "after": "1m", "codes": 408,
		}}}, "plain rich", "strict=true depth=1000000 share=0.25 names=x,y after=1m0s codes=408"},
		{"lists", yaml{"rules": yaml{"rich": yaml{
			"names": []any{"x", "y"}, "codes": []any{408, "504"},
		}}}, "plain rich", "strict=false depth=3 share=0.5 names=x,y after=0s codes=408,504"},
		{"a rule that is off", yaml{"disable": []any{"rich"}, "rules": yaml{"rich": yaml{"strict": true}}},
			"plain", strings.Replace(none, "strict=false", "strict=true", 1)},
		{"no flags", yaml{"rules": yaml{"plain": yaml{}}}, "plain rich", none},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules := fakeRules()
			// What was set before does not matter.
			if _, err := configure(rules, yaml{"rules": yaml{"rich": yaml{"depth": 7, "codes": 1}}}); err != nil {
				t.Fatal(err)
			}
			list, err := configure(rules, test.conf)
			if err != nil {
				t.Fatal(err)
			}
			var on, flags []string
			for _, a := range list {
				on = append(on, a.Name)
			}
			for _, name := range []string{"strict", "depth", "share", "names", "after", "codes"} {
				flags = append(flags, name+"="+rules[1].Flags.Lookup(name).Value.String())
			}
			if got := strings.Join(on, " "); got != test.on {
				t.Errorf("rules %q are on, want %q", got, test.on)
			}
			if got := strings.Join(flags, " "); got != test.flags {
				t.Errorf("flags are\n%s, want\n%s", got, test.flags)
			}
		})
	}
}

func TestWrongSettings(t *testing.T) {
	rich := func(name string, value any) yaml { return yaml{"rules": yaml{"rich": yaml{name: value}}} }
	for _, test := range []struct {
		conf any
		want string
	}{
		{"plain", "settings: they cannot be of type string"},
		{yaml{"enabel": []any{"plain"}}, `decoding settings: json: unknown field "enabel": want enable, disable or rules`},
		{yaml{"enable": "plain"}, "settings: enable cannot be of type string"},
		{yaml{"enable": []any{true}}, "settings: enable cannot be of type bool"},
		{yaml{"rules": []any{"rich"}}, "settings: rules cannot be of type array"},
		{yaml{"enable": []any{"plian"}}, `settings: unknown rule "plian": want plain, rich`},
		{yaml{"disable": []any{"plian"}}, `settings: unknown rule "plian": want plain, rich`},
		{yaml{"rules": yaml{"poor": yaml{}}}, `settings: unknown rule "poor": want plain, rich`},
		{yaml{"rules": yaml{"rich": true}}, "settings: rules.rich: want flags with their values"},
		{rich("strikt", true), `settings: rules.rich: unknown flag "strikt": want after, codes, depth, names, share, strict`},
		{yaml{"rules": yaml{"plain": yaml{"strict": true}}}, `settings: rules.plain: unknown flag "strict": want none`},
		{rich("strict", "yes"), `settings: rules.rich: strict: "yes": want true or false`},
		{rich("strict", 1), "settings: rules.rich: strict: 1: want true or false"},
		{rich("depth", "3"), `settings: rules.rich: depth: "3": want a number`},
		{rich("depth", 1.5), "settings: rules.rich: depth: parse error"},
		{rich("share", true), "settings: rules.rich: share: true: want a number"},
		{rich("names", 5), "settings: rules.rich: names: 5: want a text, or a list of texts"},
		{rich("names", []any{"a", true}), `settings: rules.rich: names: ["a",true]: want a text, or a list of texts`},
		{rich("names", yaml{"a": "b"}), `settings: rules.rich: names: {"a":"b"}: want a text, or a list of texts`},
		{rich("after", "soon"), "settings: rules.rich: after: parse error"},
		{rich("codes", "4o8"), "settings: rules.rich: codes: flag: help requested"},
		{rich("codes", true), "settings: rules.rich: codes: true: want a text, or a list of texts"},
		{yaml{"enable": []any{"plain"}, "disable": []any{"rich"}}, "settings: both enable and disable: want one"},
		{yaml{"enable": []any{}}, "settings: no rule is on"},
		{yaml{"disable": []any{"plain", "rich"}}, "settings: no rule is on"},
	} {
		_, err := configure(fakeRules(), test.conf)
		if err == nil || err.Error() != test.want {
			t.Errorf("%v:\n%v, want\n%s", test.conf, err, test.want)
		}
	}
}

// TestRules proves that the flags of the real rules can be set by a configuration,
// whose keys golangci-lint turns to lower case.
func TestRules(t *testing.T) {
	for _, a := range analyzers.All() {
		a.Flags.VisitAll(func(f *flag.Flag) {
			if f.Name != strings.ToLower(f.Name) || strings.Contains(f.Name, ".") {
				t.Errorf("%s: a configuration cannot name the flag %s", a.Name, f.Name)
			}
			if err := f.Value.Set(f.DefValue); err != nil {
				t.Errorf("%s: the flag %s cannot be set to its default: %v", a.Name, f.Name, err)
			}
		})
	}
}
