package results

import (
	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// A Nearness is what a command takes as near, and what its rows say of it.
type Nearness struct {
	index.Predicate
	WithDistance bool // rows have the distance, whatever kind it is
}

// AppendColumns appends the columns that say how near a match or a pair is. s are the settings of the index. In JSON,
// the key of a share of equal
// bits is similarity there, for the sake of scripts; its heading says what it is.
func (n Nearness) AppendColumns(dst []terminal.Column, s analysis.Settings, m index.Measures, json bool) []terminal.Column {
	switch {
	case n.Kind.Texts:
		dst = append(dst, col(index.Jaccard.Key, m.Jaccard))
	case !n.Kind.Bare:
		dst = append(dst, col(n.Kind.Key, n.Kind.Of(&m)))
	}
	switch {
	case n.WithDistance && m.Distance != index.NoDistance:
		dst = append(dst, col("distance", m.Distance))
	case n.WithDistance && !json:
		dst = append(dst, col("distance", "-"))
	}
	if n.Kind.Texts {
		dst = append(dst, col(n.Kind.Key, n.Kind.Of(&m)))
	}
	share := col("equal bits", fingerprint.Similarity(m.Distance, s.Bits))
	if json {
		share.Key = "similarity"
	}
	if n.Kind.Bare || json && n.Kind.Fingerprints && !n.Kind.Sets {
		dst = append(dst, share)
	}
	return dst
}

func col(key string, value any) terminal.Column { return terminal.Column{Key: key, Value: value} }

// with appends a column if it has something to say.
func with(columns []terminal.Column, says bool, key string, value any) []terminal.Column {
	if says {
		columns = append(columns, col(key, value))
	}
	return columns
}
