package httpmodel

import "go/types"

// A Reading says what a function of the standard library, or of golang.org/x/net,
// does to an io.Reader that it is given, or a method to the reader that it is called on.
type Reading uint8

const (
	_            Reading = iota
	ReadsAll             // to its end, or to an error
	ReadsSome            // a part; a non-nil error says that there was no more
	ReadsMore            // reports false at the end
	ReadsValue           // one value of a stream; usually that is all of it
	ReadsToken           // a part of a value
	ReadsTag             // a tag of a page; returns html.ErrorToken at the end
	MoreValues           // reports whether the array or object at hand goes on; a stream usually ends with it
	Leaves               // does not read
	WrapsReader          // returns a reader that ends where the given one ends
	WrapsClosing         // likewise, and its Close closes the given one
	WrapsLimited         // returns a reader that may end earlier
	WrapsScanner         // returns a bufio.Scanner
	WrapsDecoder         // returns a decoder of values
	WrapsRecords         // returns a reader of records, lines or parts
)

// A ReaderCall is one entry of the table of readers.
type ReaderCall struct {
	Pkg, Type, Name string // Type is empty for a function
	Arg             int    // the index of the reader among the arguments; Receiver for a method's receiver
	Does            Reading
}

// Receiver is the index of a method's receiver.
const Receiver = -1

// readers is a table because the standard library's readers hide what they do
// behind interfaces and buffers, where no body shows it.
var readers = []ReaderCall{
	{"io", "", "ReadAll", 0, ReadsAll},
	{"io/ioutil", "", "ReadAll", 0, ReadsAll},
	{"io", "", "Copy", 1, ReadsAll},
	{"io", "", "CopyBuffer", 1, ReadsAll},
	{"io", "", "CopyN", 1, ReadsSome},
	{"io", "", "ReadFull", 0, ReadsSome},
	{"io", "", "ReadAtLeast", 0, ReadsSome},
	{"encoding/binary", "", "Read", 0, ReadsSome},
	{"image", "", "DecodeConfig", 0, ReadsSome},
	{"image/gif", "", "DecodeConfig", 0, ReadsSome},
	{"image/jpeg", "", "DecodeConfig", 0, ReadsSome},
	{"image/png", "", "DecodeConfig", 0, ReadsSome},
	{"io", "", "LimitReader", 0, WrapsLimited},
	{"io", "", "TeeReader", 0, WrapsReader},
	{"io", "", "NopCloser", 0, WrapsReader},
	{"io/ioutil", "", "NopCloser", 0, WrapsReader},
	{"net/http", "", "MaxBytesReader", 1, WrapsClosing},
	{"bufio", "", "NewReader", 0, WrapsReader},
	{"bufio", "", "NewReaderSize", 0, WrapsReader},
	{"compress/gzip", "", "NewReader", 0, WrapsReader},
	{"compress/zlib", "", "NewReader", 0, WrapsReader},
	{"compress/flate", "", "NewReader", 0, WrapsReader},
	{"compress/bzip2", "", "NewReader", 0, WrapsReader},
	{"compress/lzw", "", "NewReader", 0, WrapsReader},
	{"encoding/base64", "", "NewDecoder", 1, WrapsReader},
	{"encoding/hex", "", "NewDecoder", 0, WrapsReader},
	{"bufio", "", "NewScanner", 0, WrapsScanner},
	{"encoding/json", "", "NewDecoder", 0, WrapsDecoder},
	{"encoding/xml", "", "NewDecoder", 0, WrapsDecoder},
	{"encoding/gob", "", "NewDecoder", 0, WrapsDecoder},
	{"encoding/csv", "", "NewReader", 0, WrapsRecords},
	{"mime/multipart", "", "NewReader", 0, WrapsRecords},
	{"net/textproto", "", "NewReader", 0, WrapsRecords},
	{"archive/tar", "", "NewReader", 0, WrapsRecords},
	{"golang.org/x/net/html", "", "NewTokenizer", 0, WrapsRecords},

	{"net/http", "Response", "Write", Receiver, ReadsAll},
	{"net/http", "Response", "Cookies", Receiver, Leaves},
	{"net/http", "Response", "Location", Receiver, Leaves},
	{"net/http", "Response", "ProtoAtLeast", Receiver, Leaves},

	{"bufio", "Scanner", "Scan", Receiver, ReadsMore},
	{"bufio", "Scanner", "Text", Receiver, Leaves},
	{"bufio", "Scanner", "Bytes", Receiver, Leaves},
	{"bufio", "Scanner", "Err", Receiver, Leaves},
	{"bufio", "Scanner", "Buffer", Receiver, Leaves},
	{"bufio", "Scanner", "Split", Receiver, Leaves},

	{"bufio", "Reader", "Buffered", Receiver, Leaves},
	{"bufio", "Reader", "Size", Receiver, Leaves},
	{"bufio", "Reader", "UnreadByte", Receiver, Leaves},
	{"bufio", "Reader", "UnreadRune", Receiver, Leaves},

	{"encoding/json", "Decoder", "Token", Receiver, ReadsToken},
	{"encoding/json", "Decoder", "More", Receiver, MoreValues},
	{"encoding/json", "Decoder", "Buffered", Receiver, Leaves},
	{"encoding/json", "Decoder", "InputOffset", Receiver, Leaves},
	{"encoding/json", "Decoder", "UseNumber", Receiver, Leaves},
	{"encoding/json", "Decoder", "DisallowUnknownFields", Receiver, Leaves},
	{"encoding/xml", "Decoder", "Token", Receiver, ReadsToken},
	{"encoding/xml", "Decoder", "RawToken", Receiver, ReadsToken},
	{"encoding/xml", "Decoder", "Skip", Receiver, ReadsToken},
	{"encoding/xml", "Decoder", "DecodeElement", Receiver, ReadsValue},
	{"encoding/xml", "Decoder", "InputOffset", Receiver, Leaves},
	{"encoding/xml", "Decoder", "InputPos", Receiver, Leaves},

	{"encoding/csv", "Reader", "ReadAll", Receiver, ReadsAll},
	{"encoding/csv", "Reader", "FieldPos", Receiver, Leaves},
	{"encoding/csv", "Reader", "InputOffset", Receiver, Leaves},
	{"mime/multipart", "Reader", "ReadForm", Receiver, ReadsAll},
	{"golang.org/x/net/html", "Tokenizer", "Next", Receiver, ReadsTag},
}

// readerEntries lists what the table of readers names.
func readerEntries() []Entry {
	entries := make([]Entry, len(readers))
	for i, r := range readers {
		entries[i] = Entry{PkgPath: r.Pkg, Type: r.Type, Name: r.Name}
	}
	return entries
}

// ReadingOf returns what fn does to a reader, by the table.
func ReadingOf(fn *types.Func) (ReaderCall, bool) {
	if fn == nil || fn.Pkg() == nil {
		return ReaderCall{}, false
	}
	for _, r := range readers {
		if r.Name == fn.Name() && r.Pkg == fn.Pkg().Path() && r.Type == receiverName(fn) {
			return r, true
		}
	}
	return ReaderCall{}, false
}

// receiverName returns the name of the type that declares the method fn, or ""
// for a function.
func receiverName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := types.Unalias(recv.Type())
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name()
	}
	return "?"
}
