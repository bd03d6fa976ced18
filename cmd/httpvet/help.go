package main

import (
	"flag"
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const usage = `httpvet finds the HTTP mistakes that only show in production.

	httpvet [flags] [packages]     analyze the packages, by default the one here
	httpvet help [rule]            this page, or that of a rule
	httpvet version                the version of httpvet

	go vet -vettool=$(which httpvet || echo httpvet-is-not-installed) [packages]
	                               the same, cached by the go command

The exit status is 0 if nothing is found, 1 if something is, and 2 if httpvet
could not do its work.

`

// help prints the tool's page, or that of a rule.
func (t *tool) help(args []string) int {
	if len(args) > 0 {
		var names []string
		for _, a := range t.analyzers {
			if a.Name == args[0] {
				fmt.Fprintf(t.stdout, "%s\n\n%s\n", strings.TrimSpace(a.Doc), a.URL)
				return exitClean
			}
			names = append(names, a.Name)
		}
		msg := fmt.Sprintf("unknown rule %s", args[0])
		if near := nearest(args[0], names); near != "" {
			msg += fmt.Sprintf(" (did you mean %s?)", near)
		}
		return t.fail(fmt.Errorf("%s; see httpvet help", msg))
	}
	fmt.Fprint(t.stdout, usage, "Rules:\n\n")
	for _, a := range t.analyzers {
		fmt.Fprintf(t.stdout, "\t%-18s %s\n", a.Name, summary(a))
	}
	fmt.Fprint(t.stdout, "\nFlags:\n\n")
	t.defineFlags()
	t.flags.VisitAll(func(f *flag.Flag) {
		name, text := flag.UnquoteUsage(f)
		if name != "" {
			name = " " + name
		}
		fmt.Fprintf(t.stdout, "\t-%s%s\n\t\t%s (default %s)\n", f.Name, name, text, defaultOf(f))
	})
	return exitClean
}

// summary returns the first line of a rule's page, without its name.
func summary(a *analysis.Analyzer) string {
	line, _, _ := strings.Cut(a.Doc, "\n")
	return strings.TrimPrefix(line, a.Name+": ")
}

// defaultOf returns the default of a flag, as it is shown.
func defaultOf(f *flag.Flag) string {
	if f.DefValue == "" {
		return "none"
	}
	return f.DefValue
}
