package arrivals

import (
	"bufio"

	"simsearch/internal/analysis"
	"simsearch/internal/index"
	"simsearch/internal/intake"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

// A Passing passes the records of an input through, unchanged: those that are new, or the others. A record
// is new if nothing in the index is near it, and no new record before it. With JSON, an object for each record says which it is.
type Passing struct {
	Matched bool          // the others pass
	Writer  *index.Writer // adds the new ones; nil if they are not added
	Fresh   int           // records that are new

	near     results.Nearness
	settings analysis.Settings
	out      *terminal.Rows
	raw      *bufio.Writer // what out writes to

	before *intake.Seen // the new records so far
	header string       // of the last table that a row has passed of
	ids    []string     // of the new records, if objects are printed
}

// NewPassing returns what passes records through to raw, or objects of them to out if it is of JSON. s are the settings of the index.
func NewPassing(near results.Nearness, s analysis.Settings, out *terminal.Rows, raw *bufio.Writer) *Passing {
	return &Passing{near: near, settings: s, out: out, raw: raw, before: intake.NewSeen(near.Predicate, s.Bits)}
}

// Decide decides about the next record by the answer of the index.
func (p *Passing) Decide(a index.Answer, record intake.Passed) error {
	match := p.match(a)
	isNew := match == nil
	if isNew {
		p.Fresh++
		if !a.Empty {
			p.before.Add(a.Result.Fingerprint, a.Result.Set)
			if p.out.JSON() {
				p.ids = append(p.ids, string(a.ID))
			}
		}
		if p.Writer != nil {
			if err := p.Writer.Add(a.Result); err != nil {
				return err
			}
		}
	}
	passes := isNew != p.Matched
	switch {
	case p.out.JSON():
		return p.tellOf(a.ID, match, passes)
	case !passes:
		return nil
	}
	p.out.Printed()
	if record.Header != "" && record.Header != p.header { // once for tables that continue each other
		p.header = record.Header
		if _, err := p.raw.WriteString(record.Header); err != nil {
			return err
		}
	}
	_, err := p.raw.Write(record.Record)
	return err
}

// A matched is what is near a record that is not new.
type matched struct {
	id      string
	earlier bool // it is a new record of the input, not a document of the index
	index.Measures
}

// match returns what is near a record, or nil if it is new: the nearest, if objects are printed.
func (p *Passing) match(a index.Answer) *matched {
	var in *matched
	if len(a.Matches) > 0 {
		in = &matched{id: string(a.Matches[0].ID), Measures: a.Matches[0].Measures}
	}
	switch {
	case a.Empty: // it is near nothing
	case p.out.JSON():
		if i, how, ok := p.before.Nearest(a.Result.Fingerprint, a.Result.Set); ok {
			if in != nil && how.Distance == index.NoDistance {
				how.Distance = in.Distance // which decides nothing then
			}
			if in == nil || how.Compare(&in.Measures) < 0 {
				in = &matched{p.ids[i], true, how}
			}
		}
	case in == nil && p.before.Near(a.Result.Fingerprint, a.Result.Set):
		in = &matched{earlier: true}
	}
	return in
}

// tellOf prints the object of a record. Those of records that pass count as results.
func (p *Passing) tellOf(query []byte, match *matched, passes bool) error {
	columns := []terminal.Column{id("query", query), column("new", match == nil)}
	if match == nil {
		columns = append(columns, column("id", nil))
	} else {
		columns = p.near.AppendColumns(append(columns, id("id", []byte(match.id))), p.settings, match.Measures, true)
		if match.earlier {
			columns = append(columns, column("earlier", true))
		}
	}
	if passes {
		return p.out.Print(columns...)
	}
	return p.out.PrintNothing(columns...)
}
