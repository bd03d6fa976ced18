// Package branches proves that the path decides: Timeout() counts where it is true,
// and before the choice.
package branches

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
)

func WrongArm(err error) int {
	var ne net.Error
	if errors.As(err, &ne) && !ne.Timeout() {
		return 504 // want "answered 504"
	}
	return 502
}

func WrongArmOfElse(err error) int {
	var ne net.Error
	if errors.As(err, &ne) {
		if ne.Timeout() {
			return 502
		} else {
			return 504 // want "answered 504"
		}
	}
	return 502
}

func Inverted(err error) int {
	var ne net.Error
	if !errors.As(err, &ne) || !ne.Timeout() {
		return 502
	}
	return 504
}

func InvertedWithoutTimeout(err error) int {
	var ne net.Error
	if !errors.As(err, &ne) {
		return 502
	}
	return 504 // want "answered 504"
}

func Or(err error) int {
	var ne net.Error
	if errors.As(err, &ne) || errors.Is(err, context.DeadlineExceeded) {
		return 504 // want "answered 504"
	}
	return 502
}

func OrInACase(err error) int {
	var ue *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &ue):
		return 504 // want "answered 504"
	}
	return 502
}

func OrOfTimeouts(err error) int {
	if os.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return 504
	}
	return 502
}

func OrOfTimeoutAndTemporary(err error) int {
	var ne net.Error
	if errors.As(err, &ne) && (ne.Timeout() || ne.Temporary()) {
		return 504 // want "answered 504"
	}
	return 502
}

// A name server in trouble is temporary, and no timeout.
func Temporary(err error) int {
	var ne net.Error
	if errors.As(err, &ne) && ne.Temporary() {
		return 504 // want "answered 504"
	}
	return 502
}

func NotTemporary(err error) int {
	if ne, ok := err.(net.Error); ok && !ne.Temporary() {
		return 504 // want "answered 504"
	}
	return 502
}

func Nested(err error) int {
	var ne net.Error
	if errors.As(err, &ne) {
		if ne.Timeout() {
			return 504
		}
		return 502
	}
	return 500
}

func OnlyForTheLog(err error) int {
	var ne net.Error
	if errors.As(err, &ne) {
		if ne.Timeout() {
			log.Print("slow")
		} else {
			log.Print("gone")
		}
		return 504 // want "answered 504"
	}
	return 502
}

func AfterTheChoice(w http.ResponseWriter, err error) {
	var ne net.Error
	if errors.As(err, &ne) {
		w.WriteHeader(504) // want "answered 504"
		if !ne.Timeout() {
			log.Print("gone")
		}
		return
	}
	w.WriteHeader(502)
}

func TalkedDown(err error) int {
	code := 504
	var ne net.Error
	if !errors.As(err, &ne) {
		code = 502
	} else if !ne.Timeout() {
		code = 503
	}
	return code
}

func NotTalkedDown(err error) int {
	code := 504 // want "answered 504"
	var ne net.Error
	if !errors.As(err, &ne) {
		code = 502
	}
	return code
}

// What the first choice was does not matter.
func Corrected(w http.ResponseWriter, err error) {
	code := 500
	var ne net.Error
	if errors.As(err, &ne) {
		code = 504
		if !ne.Timeout() {
			code = 502
		}
	}
	w.WriteHeader(code)
}

func EarlierCase(err error) int {
	var ne net.Error
	switch ok := errors.As(err, &ne); {
	case ok && !ne.Timeout():
		return 502
	case ok:
		return 504
	}
	return 500
}

func EarlierCaseOfSomethingElse(err error) int {
	var ne net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return 499
	case errors.As(err, &ne):
		return 504 // want "answered 504"
	}
	return 500
}

func EarlyReturn(err error) int {
	ne, ok := err.(net.Error)
	if !ok {
		return 500
	}
	if !ne.Timeout() {
		return 502
	}
	return 504
}

func StoredBool(err error) int {
	var ne net.Error
	late := errors.As(err, &ne) && ne.Timeout()
	log.Print(err)
	if late {
		return 504
	}
	return 502
}

func StoredBoolOfTheWrongQuestion(err error) int {
	var ne net.Error
	late := errors.As(err, &ne)
	log.Print(err)
	if late {
		return 504 // want "answered 504"
	}
	return 502
}

func StoredBoolInSteps(err error) int {
	late := false
	var ne net.Error
	if errors.As(err, &ne) {
		late = ne.Timeout()
	}
	if !late {
		return 502
	}
	return 504
}

func SwitchTrue(err error) int {
	var ne net.Error
	switch true {
	case errors.As(err, &ne) && ne.Timeout():
		return 504
	case errors.As(err, &ne):
		return 408 // want "answered 408"
	}
	return 502
}

// The dial is taken away first: what is left is late, or hung up.
func DialsTakenAway(err error) int {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return 502
	}
	var ne net.Error
	if errors.As(err, &ne) {
		return 504
	}
	return 500
}

// An unknown host is left.
func RefusedTakenAway(err error) int {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return 502
	}
	var ne net.Error
	if errors.As(err, &ne) {
		return 504 // want "answered 504"
	}
	return 500
}

func Goto(err error) int {
	var ne net.Error
	if errors.As(err, &ne) {
		goto late
	}
	return 502
late:
	return 504 // want "answered 504"
}

func Fallthrough(err error) int {
	var ne net.Error
	switch {
	case errors.As(err, &ne):
		fallthrough
	case errors.Is(err, context.DeadlineExceeded):
		return 504 // want "answered 504"
	}
	return 502
}

func CopiedBool(err error) int {
	var ne net.Error
	late := errors.As(err, &ne) && ne.Timeout()
	answer := late
	if answer {
		return 504
	}
	return 502
}

func CopiedBoolOfTheWrongQuestion(err error) int {
	_, ok := err.(net.Error)
	answer := ok
	if answer {
		return 504 // want "answered 504"
	}
	return 502
}
