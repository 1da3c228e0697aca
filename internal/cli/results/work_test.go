package results

import (
	"testing"

	"simsearch/internal/index"
)

func TestWork(t *testing.T) {
	for want, got := range map[string]string{
		"queries answered: 1; headers or bands looked up: 4; entries compared: 1,234":                                                                Work(&index.Stats{Queries: 1, LookUps: 4, Compared: 1234}, 0),
		"queries answered: 2; headers or bands looked up: 0; entries compared: 9; queries that scanned a segment: 2; tables made in memory: 2.50 MB": Work(&index.Stats{Queries: 2, Compared: 9, Scans: 2}, 2_500_000),
		"queries answered: 1; headers or bands looked up: 16; entries compared: 3; candidates: 3, of which sets were compared: 2":                    Work(&index.Stats{Queries: 1, LookUps: 16, Compared: 3, Candidates: 3, Verified: 2}, 0),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
