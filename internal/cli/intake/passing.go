package intake

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/serve/gate"
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

	before *gate.Gate // an index of the new records so far, whose ids are their numbers
	header string     // of the last table that a row has passed of
	ids    []string   // of the new records, if objects are printed
}

// NewPassing returns what passes records through to raw, or objects of them to out if it is of JSON. s are the settings of the index.
// The caller closes it.
func NewPassing(near results.Nearness, s analysis.Settings, out *terminal.Rows, raw *bufio.Writer) (*Passing, error) {
	compared := analysis.Classic()
	if near.BySets() {
		compared = analysis.Default()
	}
	compared.Bits = s.Bits
	how := index.WriterOptions{Search: analysis.Search{Planned: near.Threshold}, Distance: min(max(1, near.Distance), s.Bits-1),
		Keep: index.KeepNothing, SyncEvery: time.Hour, Threads: 1}
	if near.Kind.Texts {
		how.Keep, how.Search.Planned = index.KeepText, index.CopyFloor
	}
	live, err := index.NewMemory(compared, how)
	if err != nil {
		return nil, err
	}
	before, err := gate.New(live, 0)
	return &Passing{near: near, settings: s, out: out, raw: raw, before: before}, err
}

// Close forgets the records.
func (p *Passing) Close() error { return p.before.Close() }

// Decide decides about the next record by the answer of the index.
func (p *Passing) Decide(ctx context.Context, a index.Answer, record Passed) error {
	match, err := p.match(ctx, a)
	if err != nil {
		return err
	}
	isNew := match == nil
	if isNew {
		p.Fresh++
		if !a.Empty {
			if err := p.remember(ctx, a); err != nil {
				return err
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
	_, err = p.raw.Write(record.Record)
	return err
}

// A matched is what is near a record that is not new.
type matched struct {
	id      string
	earlier bool // it is a new record of the input, not a document of the index
	index.Measures
}

// remember adds a new record to those before.
func (p *Passing) remember(ctx context.Context, a index.Answer) error {
	r := compared(a)
	r.ID = fmt.Appendf(nil, "%020d", p.before.Live().Len()) // ids are in the order of the records
	r.Signature = nil
	if p.out.JSON() {
		p.ids = append(p.ids, string(a.ID))
	}
	_, err := p.before.Live().AddOne(ctx, &r, &index.OneInput{})
	return err
}

// compared returns what is compared of a record, whether it is a text or a ready-made fingerprint.
func compared(a index.Answer) analysis.Result {
	r := *a.Result
	r.Given = false
	return r
}

// match returns what is near a record, or nil if it is new: the nearest, if objects are printed.
func (p *Passing) match(ctx context.Context, a index.Answer) (*matched, error) {
	var in *matched
	if len(a.Matches) > 0 {
		in = &matched{id: string(a.Matches[0].ID), Measures: a.Matches[0].Measures}
	}
	if a.Empty || in != nil && !p.out.JSON() {
		return in, nil
	}
	v, err := p.before.View()
	if err != nil {
		return nil, err
	}
	r := compared(a)
	earlier, err := v.Near(ctx, &r, index.Options{Predicate: p.near.Predicate, Limit: 1, Threads: 1})
	if err = errors.Join(err, p.before.Release(v)); err != nil || len(earlier.Matches) == 0 {
		return in, err
	}
	m := earlier.Matches[0]
	if !p.near.Kind.Within {
		m.Distance = index.NoDistance // of no meaning
	}
	if in != nil && m.Distance == index.NoDistance {
		m.Distance = in.Distance // which decides nothing then
	}
	if in != nil && m.Compare(&in.Measures) >= 0 {
		return in, nil
	}
	in = &matched{earlier: true, Measures: m.Measures}
	if p.out.JSON() {
		n, err := strconv.Atoi(m.ID)
		if err != nil {
			return nil, err
		}
		in.id = p.ids[n]
	}
	return in, nil
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
