package cli

import (
	_ "embed"
	"strings"
)

// hintsText has in each line the name of a flag of another program, or of another command, and what does the same. The
// name may follow that of the one command that the line is for.
//
//go:embed hints.txt
var hintsText string

// Hints says what does what flags of other programs do, or of other commands, by their names.
var Hints = func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(hintsText) {
		name, hint, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all[name] = hint
	}
	return all
}()
