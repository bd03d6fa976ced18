package main

import "bytes"

// A third of the time to parse a file goes into the bodies of functions, which
// are of no use where only declarations are needed.

// withoutBodies returns the source of a file with the bodies of its functions
// empty. A function that is not formatted as by gofmt may keep its own.
func withoutBodies(src []byte) []byte {
	out := make([]byte, 0, len(src)/2)
	copied := 0    // of src to out
	depth := 0     // of brackets
	inSig := false // in the signature of a function, outside of its brackets
	word := ""     // the token before, if it is a word
	for i := 0; i < len(src); {
		next := skip(src, i)
		switch c := src[i]; {
		case next > i+1 && c != '/':
			word = "" // a string
		case isLetter(c):
			for next < len(src) && isLetter(src[next]) {
				next++
			}
			word = string(src[i:next])
			if word == "func" && depth == 0 && (i == 0 || src[i-1] == '\n') {
				inSig = true
			}
		case c == '\n':
			inSig = inSig && depth > 0 // or it has no body
		case c == '{' && depth == 0 && inSig && word != "struct" && word != "interface":
			end := closing(src, i)
			if end < 0 {
				return src
			}
			out = append(append(out, src[copied:next]...), '}')
			next, copied = end+1, end+1
			inSig, word = false, ""
		case c == '{', c == '(', c == '[':
			depth++
			word = ""
		case c == '}', c == ')', c == ']':
			depth--
			word = ""
		case c != ' ' && c != '\t' && c != '/':
			word = ""
		}
		i = next
	}
	return append(out, src[copied:]...)
}

// closing returns the offset of the brace that closes the one at offset i, or -1.
func closing(src []byte, i int) int {
	depth := 0
	for i < len(src) {
		switch src[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
		i = skip(src, i)
	}
	return -1
}

// skip returns the offset behind the comment, string or character that begins at
// offset i, or else behind the byte that is there.
func skip(src []byte, i int) int {
	var end []byte
	switch c := src[i]; c {
	case '"', '\'':
		for i++; i < len(src) && src[i] != c && src[i] != '\n'; i++ {
			if src[i] == '\\' {
				i++
			}
		}
		return min(i+1, len(src))
	case '`':
		end = []byte("`")
	case '/':
		switch {
		case bytes.HasPrefix(src[i:], []byte("//")):
			n := bytes.IndexByte(src[i:], '\n')
			if n < 0 {
				return len(src)
			}
			return i + n // a line ends there
		case bytes.HasPrefix(src[i:], []byte("/*")):
			end = []byte("*/")
			i++
		default:
			return i + 1
		}
	default:
		return i + 1
	}
	n := bytes.Index(src[i+1:], end)
	if n < 0 {
		return len(src)
	}
	return i + 1 + n + len(end)
}

// isLetter reports whether c is part of a word.
func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}
