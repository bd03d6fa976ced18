package neterr

import (
	"context"
	"errors"
	"go/types"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// temporary and timeout are what the methods of a net.Error say.
type (
	timeout   interface{ Timeout() bool }
	temporary interface{ Temporary() bool }
)

// is returns the question whether an error, or one that it wraps, is a T.
func is[T any](err error) bool {
	var target T
	return errors.As(err, &target)
}

// isNow returns the question whether an error itself is a T.
func isNow[T any](err error) bool {
	_, ok := err.(T)
	return ok
}

// saysTimeout reports whether err, or one that it wraps, has a Timeout method that
// says so.
func saysTimeout(err error) bool {
	var t timeout
	return errors.As(err, &t) && t.Timeout()
}

func saysTemporary(err error) bool {
	var t temporary
	return errors.As(err, &t) && t.Temporary()
}

// isDNS returns the question whether f holds for the *net.DNSError in an error.
func isDNS(f func(*net.DNSError) bool) func(error) bool {
	return func(err error) bool {
		var dns *net.DNSError
		return errors.As(err, &dns) && f(dns)
	}
}

// isDial reports whether err failed while dialing.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// typeQuestion returns the question whether an error is a t: itself (a type
// assertion), or one that it wraps (errors.As).
func typeQuestion(t types.Type, deep bool) question {
	pick := func(now, as func(error) bool, net bool) question {
		if deep {
			now = as
		}
		return question{of: now, net: net}
	}
	switch {
	case types.IsInterface(t):
		iface, _ := t.Underlying().(*types.Interface)
		switch methodsOf(iface) {
		case ofError:
			return question{of: func(error) bool { return true }, otherYes: true}
		case ofNetError:
			return pick(isNow[timeout], is[timeout], true)
		}
	case !isPointer(t) && typeset.IsNamed(t, "syscall", "Errno"):
		return pick(isNow[syscall.Errno], is[syscall.Errno], false)
	case !isPointer(t):
	case typeset.IsNamed(t, "net/url", "Error"):
		return pick(isNow[*url.Error], is[*url.Error], true)
	case typeset.IsNamed(t, "net", "OpError"):
		return pick(isNow[*net.OpError], is[*net.OpError], true)
	case typeset.IsNamed(t, "net", "DNSError"):
		return pick(isNow[*net.DNSError], is[*net.DNSError], true)
	case typeset.IsNamed(t, "os", "SyscallError"):
		return pick(isNow[*os.SyscallError], is[*os.SyscallError], false)
	}
	return question{of: never, otherYes: true, otherNo: true}
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok
}

type methodSet int

const (
	ofOther    methodSet = iota
	ofError              // every error has them, as far as one can tell
	ofNetError           // Timeout or Temporary, which every net.Error has
)

// methodsOf classifies the methods of iface.
func methodsOf(iface *types.Interface) methodSet {
	set := ofError
	for m := range iface.Methods() {
		switch m.Name() {
		case "Error", "Unwrap", "Is", "As":
		case "Timeout", "Temporary":
			set = ofNetError
		default:
			return ofOther
		}
	}
	return set
}

// sentinels holds the errors of the standard library that an error may be compared
// with.
var sentinels = map[string]error{
	"context.DeadlineExceeded": context.DeadlineExceeded,
	"context.Canceled":         context.Canceled,
	"os.ErrDeadlineExceeded":   os.ErrDeadlineExceeded,
	"io.EOF":                   io.EOF,
	"syscall.ECONNREFUSED":     syscall.ECONNREFUSED,
}

// sentinelQuestion returns the question whether an error is obj, or wraps it.
//
// To answer a failure that was named as a timeout is a decision, right or wrong,
// and no oversight: yes leaves nothing of Dial.
func sentinelQuestion(obj types.Object, deep bool) question {
	q := question{of: never, otherYes: true, otherNo: true}
	if obj == nil || obj.Pkg() == nil {
		return q
	}
	if target, ok := sentinels[obj.Pkg().Path()+"."+obj.Name()]; ok {
		q.otherYes = false
		q.of = func(err error) bool {
			if deep {
				return errors.Is(err, target)
			}
			return err == target
		}
	}
	return q
}

// textQuestion returns the question whether the text of an error holds text.
func textQuestion(text string) question {
	text = strings.ToLower(text)
	return question{
		of: func(err error) bool {
			if saysTimeout(err) {
				for _, word := range []string{"timeout", "timed out", "deadline", "time"} {
					if strings.Contains(text, word) {
						return true
					}
				}
			}
			return strings.Contains(strings.ToLower(err.Error()), text)
		},
		otherYes: true, otherNo: true,
	}
}
