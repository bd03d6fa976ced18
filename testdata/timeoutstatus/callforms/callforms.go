// Package callforms proves that the question and the choice are found however they
// are spelled.
package callforms

import (
	. "errors"
	fail "errors"
	"net"
	. "net/http"
	"os"
)

func Renamed(err error) int {
	var ne net.Error
	if fail.As(err, &ne) {
		return StatusGatewayTimeout // want "answered 504"
	}
	return StatusBadGateway
}

func Dot(err error) int {
	var ne net.Error
	if As(err, &ne) {
		return StatusGatewayTimeout // want "answered 504"
	}
	return StatusBadGateway
}

func Parenthesised(err error) int {
	var ne net.Error
	if (fail.As)((err), (&ne)) {
		return (StatusGatewayTimeout) // want "answered 504"
	}
	return StatusBadGateway
}

func ParenthesisedAndTimeout(err error) int {
	var ne net.Error
	if (fail.As(err, &ne)) && !(!(ne).Timeout()) {
		return (504)
	}
	return StatusBadGateway
}

func FunctionValue(err error) int {
	is := fail.As
	var ne net.Error
	if is(err, &ne) {
		return 504 // want "answered 504"
	}
	return 502
}

func MethodValue(err error) int {
	var ne net.Error
	if fail.As(err, &ne) {
		late := ne.Timeout
		if late() {
			return 504
		}
	}
	return 502
}

func MethodValueOfTheWriter(w ResponseWriter, err error) {
	answer := w.WriteHeader
	var ne net.Error
	if fail.As(err, &ne) {
		answer(504) // want "answered 504"
		return
	}
	answer(502)
}

func MethodExpression(err error) int {
	var ne net.Error
	if fail.As(err, &ne) && net.Error.Timeout(ne) {
		return 504
	}
	return 502
}

// A netError embeds what it is about.
type netError struct{ net.Error }

func Embedded(err error) int {
	var ne net.Error
	if !fail.As(err, &ne) {
		return 502
	}
	if e := (netError{ne}); e.Timeout() {
		return 504
	}
	return 502
}

func Generic[E error](err E) int {
	if _, ok := error(err).(net.Error); ok {
		return 504 // want "answered 504"
	}
	return 502
}

func is[T error](err error) bool {
	var t T
	return fail.As(err, &t)
}

func GenericQuestion(err error) int {
	if is[net.Error](err) {
		return 504 // want "answered 504"
	}
	return 502
}

func GenericQuestionOfItsOwn(err error) int {
	if is[*Late](err) {
		return 504
	}
	return 502
}

// A Late is what the program itself calls late.
type Late struct{}

func (*Late) Error() string { return "late" }

func Conversion(err error) int {
	if _, ok := error(err).(net.Error); ok {
		return int(StatusGatewayTimeout) // want "answered 504"
	}
	return 502
}

func Closure(err error) int {
	late := func(err error) bool {
		var ne net.Error
		return fail.As(err, &ne)
	}
	if late(err) {
		return 504 // want "answered 504"
	}
	return 502
}

func ClosureThatAsks(err error) int {
	late := func(err error) bool {
		var ne net.Error
		return fail.As(err, &ne) && ne.Timeout()
	}
	if late(err) {
		return 504
	}
	return 502
}

// Here errors.As is something else.
func Shadowed(err error) int {
	fail := asker{}
	var ne net.Error
	if fail.As(err, &ne) {
		return 504
	}
	return 502
}

type asker struct{}

func (asker) As(err error, target *net.Error) bool { return os.IsTimeout(err) }

func ClosureOverTheError(err error) int {
	late := func() bool { return fail.As(err, new(net.Error)) }
	if late() {
		return 504 // want "answered 504"
	}
	return 502
}

// What is switched on need not be an error.
func TypeSwitchOfAny(err error) int {
	var v any = err
	switch e := v.(type) {
	case net.Error:
		_ = e.Error()
		return 504 // want "answered 504"
	}
	return 502
}
