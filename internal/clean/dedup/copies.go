package dedup

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/join"
	"simsearch/internal/match/judge"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/setjoin"
	"simsearch/internal/quality/explain"
)

// With Options.Copy, a judge decides about sets that are near, as judge.Compared says. It compares the texts that are
// kept of each: units with the same text are one then. If near pairs are few, it decides about each of them, and stars
// or components are of those that it takes for copies. In crowds there are too many pairs. There, sets are near from
// judge.Alike on, and a set stays if the judge does not take it for a copy of its center.

// textRecords are the texts of some documents, or what is made of them: the number of a record of each, from 1.
type textRecords struct {
	*caught[int]
	mu      sync.Mutex // held to add a record
	records spill.Records
	err     error // of writing what exceeds the memory
}

// readTexts reads the texts of the documents that are kept of the sets of pairs, unless they are among those that
// were read last.
func readTexts(ctx context.Context, d *Decisions, pairs [][2]uint32) (*textRecords, error) {
	docs, known := make([]uint32, 0, 2*len(pairs)), d.texts != nil
	for _, p := range pairs {
		for _, set := range p {
			docs = append(docs, d.best[set])
			known = known && d.texts.at(d.best[set]) > 0
		}
	}
	if known || len(pairs) == 0 {
		return d.texts, nil
	}
	if err := d.closeTexts(); err != nil {
		return nil, err
	}
	t, err := readOf(ctx, d, docs, func(text []byte) []byte { return text })
	d.texts = t
	return t, err
}

// readOf reads documents, and keeps of each text what take returns.
func readOf(ctx context.Context, d *Decisions, docs []uint32, take func(text []byte) []byte) (*textRecords, error) {
	o, t := &d.c.Options, &textRecords{}
	t.records.Bytes = spill.NewBytes(o.FS, o.Temp, o.holds())
	t.caught = catch(docs, func(_ uint32, doc *document.Document) int {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.err == nil {
			t.records.Add(take(doc.Text))
			t.err = t.records.Flush()
		}
		return t.records.Len()
	})
	err := errors.Join(readDocuments(ctx, d, t), t.err)
	if err == nil {
		err = t.records.Map()
	}
	return t, err
}

// findFacts finds the facts that wantFacts wants, as far as t has the texts.
func (t *textRecords) findFacts(ctx context.Context, d *Decisions) error {
	const together = 1 << 8 // documents
	wantFacts(d)
	wanted := d.facts.unknown(0, noDocument)
	return d.c.Options.Each(ctx, len(wanted), together, nil, func(_ context.Context, from, to int) error {
		for _, doc := range wanted[from:to] {
			if i := t.at(doc); i > 0 {
				d.facts.put(doc, explain.FactsOf(t.records.At(i-1)))
			}
		}
		return nil
	})
}

// closeTexts forgets the texts that were read last.
func (d *Decisions) closeTexts() error {
	if d.texts == nil {
		return nil
	}
	err := d.texts.records.Close()
	d.texts = nil
	return err
}

func errNoText(id string) error {
	return fmt.Errorf("the text of %s is not there, and texts are compared: leave out --copy and --lossless, or give the files", id)
}

// ofSet returns the text of the document that is kept of a set.
func (t *textRecords) ofSet(d *Decisions, set uint32) ([]byte, error) {
	doc := d.best[set]
	i := t.at(doc)
	if i == 0 {
		return nil, errNoText(string(d.c.ID(doc)))
	}
	return t.records.At(i - 1), nil
}

// nearSets are two sets in ascending order, their similarity, and how likely they are copies; 0 if that is not known.
type nearSets struct {
	sets             [2]uint32
	similarity, copy float64
}

func byNumbers(p, q nearSets) int { return slices.Compare(p.sets[:], q.sets[:]) }

// judgeTexts finds out how likely it is that one text of each pair was made from the other, unless that is known.
func judgeTexts(ctx context.Context, d *Decisions, pairs []nearSets) error {
	var unknown []*nearSets
	var sets [][2]uint32
	for i, p := range pairs {
		if p.copy == 0 {
			unknown, sets = append(unknown, &pairs[i]), append(sets, p.sets)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	t, err := readTexts(ctx, d, sets)
	if err != nil {
		return err
	}
	const together = 1 << 10 // pairs
	d.c.Options.Next(judging)
	known := judge.NewCache(func(set uint32) ([]byte, error) { return t.ofSet(d, set) })
	return d.c.Options.Each(ctx, len(unknown), together, d.c.Options.DidParts, func(_ context.Context, from, to int) error {
		for _, p := range unknown[from:to] {
			a, err := known.Of(p.sets[0])
			if err != nil {
				return err
			}
			b, err := known.Of(p.sets[1])
			if err != nil {
				return err
			}
			if p.similarity == 0 {
				p.similarity, _ = d.nearness(p.sets[0], p.sets[1])
			}
			p.copy = judge.Default.Copy(a, b, p.similarity)
		}
		return nil
	})
}

// judgePairs makes the near pairs of sets those that a judge takes for copies, if those that it compares are few, and
// otherwise those of judge.Alike. It returns the value from which on they are near.
func judgePairs(ctx context.Context, d *Decisions, how join.Options) (least float64, err error) {
	c := d.c
	pairs, err := compared(ctx, d, how)
	if err != nil || d.crowded {
		return judge.Alike, err
	}
	slices.SortFunc(pairs, byNumbers)
	if err := judgeTexts(ctx, d, pairs); err != nil {
		return 0, err
	}
	d.judged = pairs
	list := func(least float64, is func(p nearSets) float64) {
		d.grouper = join.Listed(d.coded.Len(), func(add func(a, b uint32, is float64)) {
			for _, p := range pairs {
				if p.copy >= least {
					add(p.sets[0], p.sets[1], is(p))
				}
			}
		})
	}
	list(math.SmallestNonzeroFloat64, func(p nearSets) float64 { return p.similarity }) // which are compared
	if err := findBoilerplate(d); err != nil {
		return 0, err
	}
	if c.stored != nil {
		d.remember()
		for _, p := range pairs {
			if p.copy > 0 {
				c.Near.Copies = append(c.Near.Copies, math.Float64bits(p.copy))
			}
		}
	}
	list(c.Options.Copy, func(p nearSets) float64 { return p.copy })
	return c.Options.Copy, nil
}

// compared returns the pairs of sets that a judge compares, and perhaps some with a similarity below judge.Alike
// that it does not compare. If they are many, it sets d.crowded, and makes the near pairs those of judge.Alike.
func compared(ctx context.Context, d *Decisions, how join.Options) (pairs []nearSets, err error) {
	o := &d.c.Options
	add := func(a, b uint32, similarity float64) {
		pairs = append(pairs, nearSets{[2]uint32{min(a, b), max(a, b)}, similarity, 0})
	}
	o.Next(run.Comparing)
	if sets, all := d.coded.(*join.Sets); !all {
		d.c.Near.each(add)
		for i, is := range d.c.Near.Copies {
			pairs[i].copy = math.Float64frombits(is)
		}
	} else {
		joined := setjoin.Options{Threads: o.Threads, Memory: sets.Memory, Progress: o.DidParts}
		joined.Most = int64(setjoin.MostListed(d.coded.Len()))
		keys := func() (*setjoin.Keys, error) { return openingsOf(ctx, d) }
		itself := func(set int) (uint32, bool) { return uint32(set), true }
		var found []setjoin.Pair
		found, err = setjoin.Keyed(ctx, sets.Sets, o.Threshold, judge.Alike, keys, itself, joined)
		for _, p := range found {
			add(p.A, p.B, prefix.Jaccard(p.Shared, sets.Size(p.A), sets.Size(p.B)))
		}
	}
	if d.crowded = o.crowded || errors.Is(err, setjoin.ErrMany); d.crowded {
		d.grouper, err = join.NewGrouper(ctx, d.coded, judge.Alike, how)
	}
	return pairs, err
}

// judgeCenters finds out how likely each set is a copy of its center. In crowds, a set that is no copy becomes its own
// center. In a group of components, a set and its center may not have been judged yet.
func judgeCenters(ctx context.Context, d *Decisions) error {
	if d.c.Options.Copy == 0 {
		return nil
	}
	d.copies = make([]float64, len(d.centers))
	var pairs []nearSets
	for i, center := range d.centers {
		if set := uint32(i); center != set {
			p := nearSets{sets: [2]uint32{min(set, center), max(set, center)}}
			if at, ok := slices.BinarySearchFunc(d.judged, p, byNumbers); ok {
				d.copies[set] = d.judged[at].copy
				continue
			}
			p.sets = [2]uint32{set, center}
			pairs = append(pairs, p)
		}
	}
	err := judgeTexts(ctx, d, pairs)
	for _, p := range pairs {
		if set := p.sets[0]; d.crowded && p.copy < d.c.Options.Copy {
			d.centers[set] = set
		} else {
			d.copies[set] = p.copy
		}
	}
	return err
}

// copyOf returns how likely a removed document is a copy of the one kept for it, or 0 without Options.Copy.
func (d *Decisions) copyOf(doc uint32) float64 {
	switch {
	case d.c.Options.Copy == 0:
		return 0
	case d.c.SetOf[d.kept[doc]] == d.c.SetOf[doc]:
		return 1
	}
	return d.copies[d.c.SetOf[doc]]
}

// ofText returns the digest of a unit that is a text with a set: texts that differ have different ones.
func ofText(set analysis.Digest, text uint64) analysis.Digest {
	return analysis.Digest{set[0] ^ text, set[1] | 1}
}
