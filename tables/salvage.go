package tables

import (
	"cmp"
	"slices"

	"simsearch/internal/kernels"
	"simsearch/internal/section"
)

// A damaged file may have lost values that its tables still have. A line tells most bits of a value, and lines of two or three tables
// tell all of them: what one table does not know is in the header of another.

// Salvage returns the values of the tables in f, some of whose blocks are damaged. It returns nil unless all values are found: in their
// own section, or in tables of which no block is damaged.
func Salvage(f *section.File) []uint64 {
	t, err := Load(f)
	if err != nil {
		return nil
	}
	if t.valuesGuard.CheckAll() == nil {
		return t.values
	}
	var found partly
	for i := 1; i < len(t.tables); i++ {
		tb := &t.tables[i]
		if t.design.byHand() {
			if tb.entriesGuard.CheckAll() == nil {
				found = partly{xs: make([]uint64, t.Len())}
				for j, x := range tb.entries {
					found.xs[j] = tb.perm.invert(x)
				}
				break
			}
			continue
		}
		some, ok := tb.partly(t.Len())
		switch {
		case !ok:
		case found.xs == nil:
			found = some
		case found.unknown&^some.unknown != 0:
			found = found.join(some, expandAtMost*t.Len())
		}
	}
	slices.Sort(found.xs)
	found.xs = slices.Compact(found.xs)
	if found.unknown != 0 || len(found.xs) != t.Len() {
		return nil
	}
	return found.xs
}

// Partly are values of which some bits are not known. These are 0.
type partly struct {
	xs      []uint64
	unknown uint64
}

// expandAtMost limits what is made of n words: expandAtMost n values.
const expandAtMost = 16

// partly returns what n lines say of the values: which bucket of its line a word is of is not known, so that it counts for each.
// ok is false if something is damaged, or if there are too many buckets without words.
func (t *table) partly(n int) (p partly, ok bool) {
	if t.guards.starts.CheckAll() != nil || t.guards.lines.CheckAll() != nil || t.guards.more.CheckAll() != nil {
		return p, false
	}
	p.unknown = t.unknown
	for bucket := range uint64(1) << t.bits {
		line := t.line(bucket)
		if line >= uint64(len(t.lines)) {
			return p, false
		}
		words := t.lines[line][:]
		if count := t.lines[line].Count(); count <= kernels.LineWords {
			words = words[:count]
		} else {
			lo, hi, err := t.run(line)
			if err != nil {
				return p, false
			}
			words = t.more[lo:hi]
		}
		for _, w := range words {
			if x := t.known(bucket<<(64-t.bits)>>t.up, w); t.line(t.bucket(t.perm.Apply(x))) == line {
				p.xs = append(p.xs, x)
			}
		}
		if len(p.xs) > expandAtMost*(n+1) {
			return p, false
		}
	}
	return p, true
}

// join returns all values that p and q agree on, at most most of them.
func (p partly) join(q partly, most int) partly {
	known := ^(p.unknown | q.unknown)
	order := func(a, b uint64) int { return cmp.Compare(a&known, b&known) }
	slices.SortFunc(p.xs, order)
	slices.SortFunc(q.xs, order)
	both := partly{unknown: p.unknown & q.unknown}
	from := 0
	for _, x := range p.xs {
		for from < len(q.xs) && order(q.xs[from], x) < 0 {
			from++
		}
		for at := from; at < len(q.xs) && order(q.xs[at], x) == 0 && len(both.xs) <= most; at++ {
			both.xs = append(both.xs, x|q.xs[at])
		}
	}
	slices.Sort(both.xs)
	both.xs = slices.Compact(both.xs)
	return both
}
