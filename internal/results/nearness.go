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

// Measured is how near two documents are: a match, or a pair.
type Measured = index.Measures

// OfMatch returns how near a match is.
func OfMatch(m index.Match) Measured {
	return m.Measures
}

// OfPair returns how near a pair is.
func OfPair(p index.Pair) Measured {
	return p.Measures
}

// Columns returns the columns that say how near a match is. s are the settings of the index. In JSON,
// which has room for it, estimates come with their standard error, or are said to be estimates.
func (n Nearness) Columns(s analysis.Settings, m Measured, json bool) []terminal.Column {
	return n.AppendColumns(nil, s, m, json)
}

// AppendColumns appends what Columns returns.
func (n Nearness) AppendColumns(dst []terminal.Column, s analysis.Settings, m Measured, json bool) []terminal.Column {
	distance, jaccard := m.Distance, m.Jaccard
	if n.Cosine != 0 {
		dst = append(dst, col("cosine", m.Cosine), col("distance", distance))
		if json {
			dst = append(dst, col("similarity", fingerprint.Similarity(distance, s.Bits)))
			if m.CosineEstimated {
				dst = append(dst, col("estimated", true))
			}
		}
		return dst
	}
	if !n.BySets() {
		return append(dst, col("distance", distance), col("similarity", fingerprint.Similarity(distance, s.Bits)))
	}
	dst = append(dst, col("jaccard", jaccard))
	if json && n.Verify != index.Exact {
		dst = append(dst, col("standard_error", s.StandardError(jaccard)))
	}
	switch {
	case n.WithDistance && distance != index.NoDistance:
		dst = append(dst, col("distance", distance))
	case n.WithDistance && !json:
		dst = append(dst, col("distance", "-"))
	}
	return dst
}

func col(key string, value any) terminal.Column { return terminal.Column{Key: key, Value: value} }
