// Package syntax answers questions about untyped syntax.
package syntax

import "go/ast"

// Within reports whether the node n lies in outer, or is it.
func Within(n, outer ast.Node) bool {
	return outer.Pos() <= n.Pos() && n.End() <= outer.End()
}
