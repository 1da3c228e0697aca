package results

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"simsearch/fingerprint"
	"simsearch/internal/analysis"
	"simsearch/internal/index"
	"simsearch/internal/terminal"
)

// A Nearness is what a command takes as near, and what its rows say of it.
type Nearness struct {
	index.Predicate
	WithDistance bool // rows have the distance, whatever kind it is
}

// AppendColumns appends the columns that say how near a match or a pair is. s are the settings of the index. In JSON,
// which has room for it, estimates come with their standard error, or are said to be estimates. The key of a share of equal
// bits is similarity there, for the sake of scripts; its heading says what it is.
func (n Nearness) AppendColumns(dst []terminal.Column, s analysis.Settings, m index.Measures, json bool) []terminal.Column {
	if !n.Kind.Bare {
		dst = append(dst, col(n.Kind.Key, n.Kind.Of(&m)))
	}
	if json && n.Verify != index.Exact {
		dst = append(dst, col("standard_error", s.StandardError(m.Value)))
	}
	switch {
	case n.WithDistance && m.Distance != index.NoDistance:
		dst = append(dst, col("distance", m.Distance))
	case n.WithDistance && !json:
		dst = append(dst, col("distance", "-"))
	}
	share := col("equal bits", fingerprint.Similarity(m.Distance, s.Bits))
	if json {
		share.Key = "similarity"
	}
	if n.Kind.Bare || json && n.Kind.Fingerprints && !n.Kind.Sets {
		dst = append(dst, share)
	}
	if json && m.Estimate {
		dst = append(dst, col("estimated", true))
	}
	return dst
}

func col(key string, value any) terminal.Column { return terminal.Column{Key: key, Value: value} }

// Units are the documents of an index by the value of a field.
type Units struct {
	Of      []uint32 // the unit of each document, or index.NoUnit
	Names   []string // of the units, in the order of their first documents
	Without int      // documents that have no value
}

// HostField is the name of the field that is taken from addresses if it is not kept.
const HostField = "host"

// addressFields are the fields that are taken for the address of a document.
var addressFields = []string{"WARC-Target-URI", "url", "uri", "link"}

// UnitsOf returns the units of the documents of an index: those with equal values of a kept field. HostField, if it
// is not kept, is the host of the first of addressFields that is kept, or of the id.
func UnitsOf(ix *index.Snapshot, field string) (u Units, err error) {
	in := ix.Input()
	at, of := slices.Index(in.Kept(), field), func(value string) string { return value }
	if at < 0 && field == HostField {
		of = hostOf
		for _, name := range addressFields {
			if at < 0 {
				at = slices.Index(in.Kept(), name)
			}
		}
	} else if at < 0 {
		return u, fmt.Errorf("--by-field %s: the index keeps no such field: name it when the index is made, with --keep-fields", terminal.Plain(field))
	}
	known := map[string]uint32{}
	for doc := range uint32(ix.Len()) {
		value := ""
		if at >= 0 {
			value, _, err = ix.Field(doc, at)
		} else {
			var id []byte
			id, err = ix.ID(doc)
			value = string(id)
		}
		if err != nil {
			return u, err
		}
		if value = of(value); value == "" {
			u.Of = append(u.Of, index.NoUnit)
			u.Without++
			continue
		}
		unit, ok := known[value]
		if !ok {
			unit = uint32(len(u.Names))
			known[value] = unit
			u.Names = append(u.Names, value)
		}
		u.Of = append(u.Of, unit)
	}
	return u, nil
}

// hostOf returns the host of an address, in lower case and with its port, if it has one. It is "" if text is none.
func hostOf(text string) string {
	address, err := url.Parse(strings.Trim(text, " <>"))
	if err != nil {
		return ""
	}
	return strings.ToLower(address.Host)
}

// Told says how many pairs of units were found, of which some are printed.
func (u Units) Told(field string, found, printed int) string {
	told := fmt.Sprintf("%s, of %s of %s", terminal.Plural(printed, "pair"), terminal.Plural(len(u.Names), "value"), terminal.Plain(field))
	if found > printed {
		told += fmt.Sprintf("; %s with less in common are left out", terminal.Thousands(found-printed))
	}
	if u.Without > 0 {
		told += fmt.Sprintf("; documents without a value: %s", terminal.Thousands(u.Without))
	}
	return told
}

// Columns returns the columns of a pair of units.
func (u *Units) Columns(p *index.UnitPair) []terminal.Column {
	return []terminal.Column{named("a", u.Names[p.A]), named("b", u.Names[p.B]), col("a_in_b", p.AInB()), col("b_in_a", p.BInA()),
		col("a_near", p.NearA), col("b_near", p.NearB), col("a_documents", p.TotalA), col("b_documents", p.TotalB)}
}
