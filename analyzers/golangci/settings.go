package golangci

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

// settings are what a configuration may say of the linter.
type settings struct {
	Enable  []string                   `json:"enable"`  // run these rules only
	Disable []string                   `json:"disable"` // run all rules but these
	Rules   map[string]json.RawMessage `json:"rules"`   // the flags of rules
}

// configure sets the flags of the rules as conf says, to their defaults where it
// says nothing, and returns the rules that it leaves on.
func configure(all []*analysis.Analyzer, conf any) ([]*analysis.Analyzer, error) {
	s, err := register.DecodeSettings[settings](conf)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, fmt.Errorf("settings: %s cannot be of type %s", cmp.Or(wrong.Field, "they"), wrong.Value)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: want enable, disable or rules", err)
	}
	rules := make(map[string]*analysis.Analyzer)
	for _, a := range all {
		rules[a.Name] = a
		a.Flags.VisitAll(func(f *flag.Flag) { err = errors.Join(err, f.Value.Set(f.DefValue)) })
	}
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Concat(s.Enable, s.Disable, slices.Sorted(maps.Keys(s.Rules))) {
		if rules[name] == nil {
			return nil, fmt.Errorf("settings: unknown rule %q: want %s", name, list(slices.Sorted(maps.Keys(rules))))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Rules)) {
		if err := setFlags(&rules[name].Flags, s.Rules[name]); err != nil {
			return nil, fmt.Errorf("settings: rules.%s: %w", name, err)
		}
	}
	if s.Enable != nil && s.Disable != nil {
		return nil, errors.New("settings: both enable and disable: want one")
	}
	on := slices.DeleteFunc(slices.Clone(all), func(a *analysis.Analyzer) bool {
		return slices.Contains(s.Disable, a.Name) || s.Enable != nil && !slices.Contains(s.Enable, a.Name)
	})
	if len(on) == 0 {
		return nil, errors.New("settings: no rule is on")
	}
	return on, nil
}

// setFlags sets the flags of a rule to values, of a map by their names.
func setFlags(flags *flag.FlagSet, values json.RawMessage) error {
	var texts map[string]json.RawMessage
	if json.Unmarshal(values, &texts) != nil {
		return errors.New("want flags with their values")
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		f := flags.Lookup(name)
		if f == nil {
			var names []string
			flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
			return fmt.Errorf("unknown flag %q: want %s", name, cmp.Or(list(names), "none"))
		}
		text, err := textFor(f, texts[name])
		if err == nil {
			err = f.Value.Set(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// textFor returns value as a text to set f to, if it is of f's type. A list becomes
// a text with commas.
func textFor(f *flag.Flag, value json.RawMessage) (string, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return "", err
	}
	var held any // nil if f does not tell what it holds
	if getter, ok := f.Value.(flag.Getter); ok {
		held = getter.Get()
	}
	switch held.(type) {
	case bool:
		if _, ok := v.(bool); !ok {
			return "", fmt.Errorf("%s: want true or false", value)
		}
		return string(value), nil
	case int, int64, uint, uint64, float64:
		if _, ok := v.(json.Number); !ok {
			return "", fmt.Errorf("%s: want a number", value)
		}
		return string(value), nil
	}
	// Have: a flag that takes a text, and judges it further itself.
	elems, ok := v.([]any)
	if !ok {
		elems = []any{v}
	}
	var texts []string
	for _, elem := range elems {
		_, isNumber := elem.(json.Number)
		_, isText := elem.(string)
		if !isText && (!isNumber || held != nil) {
			return "", fmt.Errorf("%s: want a text, or a list of texts", value)
		}
		texts = append(texts, fmt.Sprint(elem))
	}
	return strings.Join(texts, ","), nil
}

// list returns names as a text.
func list(names []string) string { return strings.Join(names, ", ") }
