// Package applog is a logger, whose Panicf panics as is the custom, though its body does
// not show it to who looks for a function that always does.
package applog

import (
	"fmt"
	"log"
)

func Infof(format string, args ...any)  { write("INFO", format, args) }
func Panicf(format string, args ...any) { write("PANIC", format, args) }

func write(level, format string, args []any) {
	text := fmt.Sprintf(format, args...)
	log.Print(level, text)
	if level == "PANIC" {
		panic(text)
	}
}
