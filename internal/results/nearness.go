package results

import (
	"simsearch/analysis"
	"simsearch/fingerprint"
	"simsearch/index"
	"simsearch/internal/terminal"
)

// A Nearness is what a command takes as near, and what its rows say of it.
type Nearness struct {
	index.Predicate
	WithDistance bool // rows by similarity have the distance, too
}

// Columns returns the columns that say how near a match is. s are the settings of the index. In JSON,
// which has room for it, estimates come with their standard error.
func (n Nearness) Columns(s analysis.Settings, distance int, jaccard float64, json bool) []terminal.Column {
	if !n.BySets() {
		return []terminal.Column{col("distance", distance), col("similarity", fingerprint.Similarity(distance, s.Bits))}
	}
	columns := []terminal.Column{col("jaccard", jaccard)}
	if json && n.Verify != index.Exact {
		columns = append(columns, col("standard_error", s.StandardError(jaccard)))
	}
	switch {
	case n.WithDistance && distance != index.NoDistance:
		columns = append(columns, col("distance", distance))
	case n.WithDistance && !json:
		columns = append(columns, col("distance", "-"))
	}
	return columns
}

func col(key string, value any) terminal.Column { return terminal.Column{Key: key, Value: value} }
