package syntax

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for name, want := range map[string][]string{
		"":                nil,
		"_":               nil,
		"tail":            {"tail"},
		"Tail":            {"tail"},
		"tailLogs":        {"tail", "logs"},
		"FetchDetails":    {"fetch", "details"},
		"HTTPLogTail":     {"http", "log", "tail"},
		"ReadSSE":         {"read", "sse"},
		"SSEClient":       {"sse", "client"},
		"log_tail":        {"log", "tail"},
		"Test_Tail__All_": {"test", "tail", "all"},
		"V2Stream":        {"v2", "stream"},
		"aB":              {"a", "b"},
		"Überwache":       {"überwache"},
	} {
		if got := Words(name); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", name, got, want)
		}
	}
}
