package httpmodel

import (
	"go/types"
	"slices"
	"strings"

	"github.com/httpvet/httpvet/analyzers/internal/typeset"
)

// dedupHeaders are headers, squeezed, by which a server can tell that it has carried
// out a request before, besides those that carry an idempotency key: conditions, and
// the place of a part in a whole.
var dedupHeaders = []string{
	"ifmatch", "ifnonematch", "ifunmodifiedsince", "uploadoffset", "contentrange",
	"xmsclientrequestid", "repeatabilityrequestid", "repeatabilityfirstsent", "replaynonce",
	"dedupid", "deduplicationid", "messagededuplicationid", "dedupkey", "dedupekey", "xdedup", "xdedupkey",
}

// IsDedupName reports whether name, in any spelling, is that of a header, field or
// member by which a server can tell that it has carried out a request before.
func IsDedupName(name string) bool {
	return isKeyWord(name) || slices.Contains(dedupHeaders, squeeze(name))
}

// SetsDedup reports whether name is that of a function that sets what IsDedupName names.
func SetsDedup(name string) bool {
	rest, ok := strings.CutPrefix(name, "Set")
	if !ok {
		rest, ok = strings.CutPrefix(name, "With")
	}
	return ok && IsDedupName(rest)
}

// NamesDedup reports whether text is such a name, or holds it as a member of JSON.
func NamesDedup(text string) bool {
	if len(text) <= 40 && IsDedupName(text) {
		return true
	}
	if !strings.Contains(text, `"`) {
		return false
	}
	for part := range strings.SplitSeq(text, `"`) {
		if len(part) <= 40 && IsDedupName(strings.TrimSuffix(part, `\`)) {
			return true
		}
	}
	return false
}

// IsIdentity reports whether name, in any spelling, is that of a member by which a
// server can tell what it was sent from all else, if it wants to: the ID of an event or
// a message.
func IsIdentity(name string) bool {
	return slices.Contains([]string{"uuid", "messageid", "messageuuid", "eventid", "eventuuid", "insertid", "deliveryid"}, squeeze(name))
}

// IsQuestion reports whether contentType is that of a POST that only asks, as OCSP and
// DNS over HTTPS do.
func IsQuestion(contentType string) bool {
	return slices.Contains([]string{"application/ocsp-request", "application/timestamp-query", "application/dns-message", "application/sparql-query"}, contentType)
}

// restyMethods are the methods of a resty request that send it.
var restyMethods = []string{"Get", "Head", "Post", "Put", "Patch", "Delete", "Options", "Execute"}

// RestySend returns the HTTP method that fn, a method of a resty request, sends, and
// whether it is one. For Execute the method is an argument.
func RestySend(fn *types.Func) (method string, ok bool) {
	if !typeset.IsMethod(fn, RestyPath, "Request", restyMethods...) {
		return "", false
	}
	if fn.Name() == "Execute" {
		return "", true
	}
	return strings.ToUpper(fn.Name()), true
}

// RepeatsAtOnce reports whether fn, of a library, calls its argument again without a wait.
func RepeatsAtOnce(fn *types.Func) bool {
	return typeset.IsFunc(fn, "github.com/samber/lo", "Attempt", "AttemptWhile")
}

// fastSends are the functions of package fasthttp, and the methods of its clients, that
// send.
var fastSends = []string{"Do", "DoTimeout", "DoDeadline", "DoRedirects", "Get", "GetTimeout", "GetDeadline", "Post"}

// FastSend returns the HTTP method that fn, of package fasthttp, sends, and whether it is
// one. Do and its like send their first argument.
func FastSend(fn *types.Func) (method string, ok bool) {
	if fn == nil || fn.Pkg() == nil || typeset.PkgPath(fn.Pkg()) != FastHTTP || !slices.Contains(fastSends, fn.Name()) {
		return "", false
	}
	switch receiverName(fn) {
	case "", "Client", "HostClient", "PipelineClient", "LBClient":
	default:
		return "", false
	}
	switch fn.Name()[0] {
	case 'G':
		return "GET", true
	case 'P':
		return "POST", true
	}
	return "", true
}

// websocketDials are the functions that open a WebSocket as a client.
var websocketDials = []Entry{
	{PkgPath: "github.com/gorilla/websocket", Type: "Dialer", Name: "Dial"},
	{PkgPath: "github.com/gorilla/websocket", Type: "Dialer", Name: "DialContext"},
	{PkgPath: "golang.org/x/net/websocket", Name: "Dial"},
	{PkgPath: "golang.org/x/net/websocket", Name: "DialConfig"},
}

// otherWebsocketDials are those of libraries that the fixtures do not use.
var otherWebsocketDials = []string{"nhooyr.io/websocket", "github.com/coder/websocket"}

// IsWebsocketDial reports whether fn opens a WebSocket as a client.
func IsWebsocketDial(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	path := typeset.PkgPath(fn.Pkg())
	if fn.Name() == "Dial" && slices.Contains(otherWebsocketDials, path) {
		return true
	}
	return slices.ContainsFunc(websocketDials, func(e Entry) bool {
		return e.PkgPath == path && e.Name == fn.Name() && receiverName(fn) == e.Type
	})
}

// resendEntries lists what the tables of this file name.
func resendEntries() []Entry {
	entries := slices.Clone(websocketDials)
	for _, name := range restyMethods {
		entries = append(entries, Entry{PkgPath: RestyPath, Type: "Request", Name: name})
	}
	return entries
}
