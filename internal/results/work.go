package results

import (
	"fmt"

	"simsearch/index"
	"simsearch/internal/terminal"
)

// Work returns one line about the work of searches, which have made and kept tables of the given size
// in memory.
func Work(s *index.Stats, bytes int64) string {
	n := func(x int64) string { return terminal.Thousands(int(x)) }
	text := fmt.Sprintf("queries answered: %s; headers or bands looked up: %s; entries compared: %s", n(s.Queries), n(s.LookUps), n(s.Compared))
	if s.Candidates > 0 {
		text += fmt.Sprintf("; candidates: %s, of which sets were compared: %s", n(s.Candidates), n(s.Verified))
	}
	if s.Scans > 0 {
		text += "; queries that scanned a segment: " + n(s.Scans)
	}
	if bytes > 0 {
		text += "; tables made in memory: " + terminal.Bytes(bytes)
	}
	return text
}
