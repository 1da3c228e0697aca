package main

import (
	"runtime"
	"slices"

	"simsearch/internal/commandline"
)

// endOfInput is what ends standard input on a terminal.
var endOfInput = map[bool]string{false: "Ctrl-D", true: "Ctrl-Z and Enter"}[runtime.GOOS == "windows"]

// asksNothing reports whether a command line is that of near without a query, which can be typed
// where there is a terminal.
func asksNothing(line *commandline.Line) bool {
	if line.Command == nil || line.Command.Name != "near" || len(line.Arguments) > 0 {
		return false
	}
	return !slices.ContainsFunc(line.FlagNames(), func(name string) bool {
		// A flag that does not exist is an error.
		return name == "" || slices.Contains([]string{"text", "fingerprint", "id", "ids", "files-from"}, name)
	})
}
