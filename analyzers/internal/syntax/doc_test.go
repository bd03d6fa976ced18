package syntax

import "testing"

func TestDoc(t *testing.T) {
	const src = `// Package p holds two passes.
//
// # Analyzer one
//
// one: report the first mistake
//
// It costs a connection:
//
//	code()
//
// # Analyzer two
//
// two: report the second
// mistake
//
// # Not reported
//
// What is right.
//
// # Analyzer three
//
// three: report the third
package p

import _ "embed"
`
	tests := []struct{ name, want string }{
		{"one", "report the first mistake\n\nIt costs a connection:\n\n\tcode()"},
		{"two", "report the second\nmistake\n\n# Not reported\n\nWhat is right."},
	}
	for _, test := range tests {
		if got := Doc(src, test.name); got != test.want {
			t.Errorf("Doc(%s) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDocPanics(t *testing.T) {
	tests := []struct{ name, src string }{
		{"no source", ""},
		{"no comment", "package p"},
		{"no heading", "// Package p is p.\n//\n// one: report\npackage p"},
		{"another heading", "// # Analyzer oneself\n//\n// one: report\npackage p"},
		{"no summary", "// # Analyzer one\n//\n// Reports the first mistake.\npackage p"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("Doc did not panic")
				}
			}()
			Doc(test.src, "one")
		})
	}
}
