// Package tables proves that a status may be picked from a table, beside the
// function that asks.
package tables

import (
	"context"
	"errors"
	"net"
	"os"
)

func isNet(err error) bool {
	var ne net.Error
	return errors.As(err, &ne)
}

func isLate(err error) bool { return os.IsTimeout(err) }

type row struct {
	is   func(error) bool
	code int
}

var rows = []row{
	{func(err error) bool { return errors.Is(err, context.Canceled) }, 499},
	{isNet, 504}, // want "an error of which isNet holds is answered 504"
}

func Table(err error) int {
	for _, r := range rows {
		if r.is(err) {
			return r.code
		}
	}
	return 500
}

func LocalTable(err error) int {
	for _, r := range []struct {
		code int
		is   func(error) bool
	}{
		{code: 504, is: isLate},
		{code: 502, is: isNet},
	} {
		if r.is(err) {
			return r.code
		}
	}
	return 500
}

func LocalTableOfTheWrongQuestion(err error) int {
	rules := []row{
		{is: func(err error) bool {
			_, ok := err.(net.Error)
			return ok
		}, code: 408}, // want "an error of which the function beside it holds is answered 408"
	}
	for _, r := range rules {
		if r.is(err) {
			return r.code
		}
	}
	return 500
}

func ByStatus(err error) int {
	for code, is := range map[int]func(error) bool{
		504: isNet, // want "answered 504"
		499: func(err error) bool { return errors.Is(err, context.Canceled) },
	} {
		if is(err) {
			return code
		}
	}
	return 500
}

type registry struct{ rows []row }

func (r *registry) on(is func(error) bool, code int) *registry {
	r.rows = append(r.rows, row{is, code})
	return r
}

// retryOn says what to try again on.
func (r *registry) retryOn(is func(error) bool, code int) *registry { return r }

func (r *registry) status(err error) int {
	for _, row := range r.rows {
		if row.is(err) {
			return row.code
		}
	}
	return 500
}

func Registered(err error) int {
	return new(registry).on(isNet, 504).status(err) // want "an error of which isNet holds is answered 504"
}

func RegisteredByTheRightQuestion(err error) int {
	return new(registry).on(isLate, 504).on(isNet, 502).retryOn(isNet, 504).status(err)
}
