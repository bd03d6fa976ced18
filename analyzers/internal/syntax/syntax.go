// Package syntax answers questions about untyped syntax.
package syntax
