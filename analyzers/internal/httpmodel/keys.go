package httpmodel

import (
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// KeyNames says which names are those of idempotency keys. The zero value knows
// the names that servers and clients commonly use.
type KeyNames struct {
	Extra []string // further headers, in any case
}

// IsHeader reports whether name is that of a header, form value or member that
// carries an idempotency key, in any case: Idempotency-Key, idempotency_key,
// PayPal-Request-Id and the like.
func (n KeyNames) IsHeader(name string) bool {
	if isKeyWord(name) {
		return true
	}
	return slices.ContainsFunc(n.Extra, func(extra string) bool { return strings.EqualFold(extra, name) })
}

// IsField reports whether name is that of a field, parameter or variable that
// holds an idempotency key.
func (n KeyNames) IsField(name string) bool { return isKeyWord(name) }

// setterPrefixes are what the names of functions that set a key begin with.
var setterPrefixes = []string{"set", "with", "add", "use", "withrequest", "setrequest", "append"}

// IsSetter reports whether fn is by its name a function that sets the idempotency
// key that it is given: SetIdempotencyKey, WithClientToken, IdempotencyKey. One of the
// last kind that returns text makes a key.
func (n KeyNames) IsSetter(fn *types.Func) bool {
	name := squeeze(fn.Name())
	if isKeyWord(name) {
		results := fn.Signature().Results()
		return results.Len() > 0 && !typeset.IsString(results.At(0).Type())
	}
	for _, prefix := range setterPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok && isKeyWord(rest) {
			return true
		}
	}
	return false
}

// keyEndings are what remains of a name that speaks of idempotency, after that.
var keyEndings = []string{"", "key", "keys", "token", "id", "uuid", "header", "keyheader", "value", "keyvalue"}

// keyWords are further names of idempotency keys, squeezed.
var keyWords = []string{
	"paypalrequestid",
	"clienttoken", "clientrequesttoken", // AWS
	"opcretrytoken",                                   // Oracle
	"idempotence", "creationtoken", "callerreference", // EFS; Route 53, CloudFront
}

// isKeyWord reports whether name, whatever its spelling, is that of an
// idempotency key.
func isKeyWord(name string) bool {
	name = squeeze(name)
	if slices.Contains(keyWords, name) {
		return true
	}
	for _, stem := range []string{"idempotency", "idempotence", "idempotent", "idempotecy", "idem", "idemp"} {
		if i := strings.LastIndex(name, stem); i >= 0 && slices.Contains(keyEndings, name[i+len(stem):]) {
			if stem == "idem" || stem == "idemp" {
				return i == 0 && name[len(stem):] == "key"
			}
			return stem != "idempotent" || name[i+len(stem):] != ""
		}
	}
	return false
}

// squeeze returns the letters and digits of name in lower case.
func squeeze(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, name)
}

// IsTraceName reports whether name is that of a header or field by which one
// delivery is told from another on purpose: a request ID, a nonce, a trace.
func IsTraceName(name string) bool {
	name = squeeze(name)
	for _, word := range []string{"requestid", "reqid", "trace", "span", "correlation", "nonce", "attempt", "retry", "retries", "tries", "messageid", "timestamp", "sentat", "createdat"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// headerSetters are the names of methods and functions that set the header or
// form value that their first string names to the one after it.
var headerSetters = []string{
	"Set", "Add", "Put", "SetHeader", "AddHeader", "Header", "WithHeader", "SetHeaders",
	"SetHeaderVerbatim", "SetRequestHeader", "AddRequestHeader", "HeaderAdd", "HeaderSet", "SetHeaderField",
	"SetBytesV", "SetCanonical", "AddBytesV", "SetFormField", "SetQueryParam", "SetFormValue", "SetHdr",
}

// IsHeaderSetter reports whether fn sets a named header, form value or the like,
// given its name and then its value.
func IsHeaderSetter(fn *types.Func) bool {
	if slices.Contains(headerSetters, fn.Name()) {
		return true
	}
	name := strings.ToLower(fn.Name())
	return strings.Contains(name, "header") && !strings.HasPrefix(name, "get") && !strings.HasPrefix(name, "has") && !strings.HasPrefix(name, "del")
}
