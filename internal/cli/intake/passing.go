package intake

import (
	"bufio"
	"context"
	"fmt"

	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/serve/gate"
)

// A Passing passes the records of an input through, unchanged: those that are new, or the others. A record
// is new if nothing in the index is near it, and no new record before it.
type Passing struct {
	Matched bool          // the others pass
	Writer  *index.Writer // adds the new ones; nil if they are not added
	Fresh   int           // records that are new
	Passed  int           // records that have passed

	near   index.Predicate
	out    *bufio.Writer
	before *gate.Gate // an index of the new records so far
	header string     // of the last table that a row has passed of
}

// NewPassing returns what passes records through to out. Fingerprints have the given number of bits. The caller closes
// it.
func NewPassing(near index.Predicate, bits int, out *bufio.Writer) (*Passing, error) {
	compared := analysis.Classic()
	if near.BySets() {
		compared = analysis.Default()
	}
	compared.Bits = bits
	how := index.WriterOptions{Search: analysis.Search{Planned: near.Threshold},
		Distance: min(max(1, near.Distance), bits-1), Keep: index.KeepNothing, SyncLate: true, Threads: 1}
	if near.Kind.Texts {
		how.Keep, how.Search.Planned = index.KeepText, index.CopyFloor
	}
	live, err := index.NewMemory(compared, how)
	if err != nil {
		return nil, err
	}
	before, err := gate.New(live, 0)
	return &Passing{near: near, out: out, before: before}, err
}

// Close forgets the records.
func (p *Passing) Close() error { return p.before.Close() }

// Decide decides about the next record by the answer of the index, whose Note is a Passed.
func (p *Passing) Decide(ctx context.Context, a index.Answer) error {
	isNew := len(a.Matches) == 0
	if isNew && !a.Empty {
		var err error
		if isNew, err = p.remember(ctx, *a.Result); err != nil {
			return err
		}
	}
	if isNew {
		p.Fresh++
		if p.Writer != nil {
			if err := p.Writer.Add(a.Result); err != nil {
				return err
			}
		}
	}
	if isNew == p.Matched {
		return nil
	}
	p.Passed++
	record := a.Result.Note.(Passed)
	if record.Header != "" && record.Header != p.header { // once for tables that continue each other
		p.header = record.Header
		if _, err := p.out.WriteString(record.Header); err != nil {
			return err
		}
	}
	_, err := p.out.Write(record.Record)
	return err
}

// remember adds a record to the new ones before it, unless one of these is near it.
func (p *Passing) remember(ctx context.Context, r analysis.Result) (added bool, err error) {
	r.Given = false // texts are compared with ready-made fingerprints
	var earlier gate.Answer
	err = p.before.See(func(v *gate.View) (err error) {
		earlier, err = v.Near(ctx, &r, index.Options{Predicate: p.near, Limit: 1, Threads: 1})
		return err
	})
	if err != nil || len(earlier.Matches) > 0 {
		return false, err
	}
	r.ID, r.Signature = fmt.Append(nil, p.before.Live().Len()), nil
	_, err = p.before.Live().AddOne(ctx, &r, &index.OneInput{})
	return true, err
}
