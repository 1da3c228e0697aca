package terminal

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Sequences that change how a terminal writes. A Screen lets these pass, and no others. All data from
// outside passes through package idtext, which leaves none of them in it.
const (
	Red    = "\x1b[31m"
	Green  = "\x1b[32m"
	Bold   = "\x1b[1m"
	Normal = "\x1b[0m"
)

const escape = 0x1b

var sequences = []string{Red, Green, Bold, Normal}

// beginsSequence reports whether p is the beginning of such a sequence and not all of it.
func beginsSequence(p []byte) bool {
	return slices.ContainsFunc(sequences, func(s string) bool { return len(p) < len(s) && strings.HasPrefix(s, string(p)) })
}

// sequence returns the length of such a sequence at the beginning of p, or 0.
func sequence(p []byte) int {
	for _, s := range sequences {
		if bytes.HasPrefix(p, []byte(s)) {
			return len(s)
		}
	}
	return 0
}

// Colours reports whether a program whose output is a terminal may use colours. NO_COLOR forbids it, with
// any value that is not empty, and so does TERM=dumb. Consoles of Windows that are not the Windows
// Terminal would print the sequences.
func Colours() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" &&
		(runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != "")
}
