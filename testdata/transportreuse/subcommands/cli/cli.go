// Package cli is a library for commands, such as each big tool has its own.
package cli

// A Context is a call of a command.
type Context struct{ Args []string }

// A Command is a command.
type Command struct {
	Name   string
	Action func(*Context) error
}
