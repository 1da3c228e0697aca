package main

import (
	"runtime"
	"slices"
)

// endOfInput is what ends standard input on a terminal.
var endOfInput = map[bool]string{false: "Ctrl-D", true: "Ctrl-Z and Enter"}[runtime.GOOS == "windows"]

// asksNothing reports whether a command line is that of near without a query, which can be typed
// where there is a terminal.
func asksNothing(line *commandLine) bool {
	if line.command == nil || line.command.Name != "near" || len(line.rest) > 0 {
		return false
	}
	return !slices.ContainsFunc(line.flags, func(given givenFlag) bool {
		f := findFlag(line.command, given.flag)
		// A flag that does not exist is an error.
		return f == nil || slices.Contains([]string{"text", "fingerprint", "id", "ids", "files-from"}, f.Names()[0])
	})
}
