package decontaminate

import (
	"cmp"
	"slices"

	"simsearch/internal/match/sequences"
)

// A finding is the working memory of finder.find. The zero value is ready. It must not be used by several goroutines
// at once.
type finding struct {
	*finder
	document []uint64
	grams    sequences.Grams // of the document
	likely   []int32         // the grams that may be in a table
	found    [32][]uint64
	ends     map[int64]int
	runs     []stretch // whose field is 0, and whose test is a place
	covered  []span
}

// find returns what a document of the given words has in common with fields, in their order, and which of its words
// are those of items that count as found. All is valid until find is called again.
func (f *finding) find(document []uint64) (hits []hit, covered []span) {
	f.document, f.likely = document, f.likely[:0]
	f.grams.Read(document, f.rule.minWords, f.rule.words)
	f.likely = f.long.AppendLikely(f.likely, f.grams.Seeds, f.grams.Hashes)
	long := len(f.likely)
	if len(f.short.Entries) > 0 {
		f.likely = f.short.AppendAllLikely(f.likely, f.grams.Hashes)
	}
	if len(f.likely) == 0 {
		return nil, nil
	}
	f.runs, f.covered = f.runs[:0], f.covered[:0]
	f.compare(&f.long, f.likely[:long])
	f.compare(&f.short, f.likely[long:])
	return f.hits(), sequences.Union(f.covered)
}

// compare compares the places of seeds of the document that may be in a table.
func (f *finding) compare(table *sequences.Table, likely []int32) {
	f.ends = map[int64]int{}
	for len(likely) > 0 {
		some := likely[:min(len(likely), len(f.found))]
		table.Find(f.found[:], some, f.grams.Hashes)
		for i, at := range some {
			for _, e := range f.found[i] {
				f.extend(int(uint32(e)), int(at))
			}
		}
		likely = likely[len(some):]
	}
}

// extend finds the run in which a place of the tests and a word of the document are, as far as it goes.
func (f *finding) extend(place, at int) {
	diagonal := int64(at) - int64(place)
	if at < f.ends[diagonal] || f.words[place] != f.document[at] {
		return
	}
	from, to := at, at+1
	for p := place; p > 0 && from > 0 && f.words[p-1] == f.document[from-1] && f.words[p-1] != 0; p-- {
		from--
	}
	for p := place + 1; p < len(f.words) && to < len(f.document) && f.words[p] == f.document[to] && f.words[p] != 0; p++ {
		to++
	}
	f.ends[diagonal] = to
	if to-from >= f.rule.minWords {
		f.runs = append(f.runs, stretch{0, place - (at - from), from, to - from})
	}
}

// hits makes hits of the runs, as far as they count.
func (f *finding) hits() (hits []hit) {
	slices.SortFunc(f.runs, func(a, b stretch) int {
		return cmp.Or(cmp.Compare(a.test, b.test), cmp.Compare(a.document, b.document))
	})
	var counted []stretch
	field := -1
	end := func() {
		if len(counted) == 0 {
			return
		}
		runs := len(f.covered)
		for _, c := range counted {
			f.covered = append(f.covered, span{c.document, c.document + c.length})
		}
		own, all := f.own(field)
		h := hitOf(field, counted, own)
		if h.covered > 0 {
			hits = append(hits, h)
		}
		if h.covered == 0 || !f.rule.counts(h.covered, all) {
			f.covered = f.covered[:runs]
		}
		counted = counted[:0]
	}
	for _, r := range f.runs {
		if i := f.fieldAt(uint32(r.test)); i != field {
			end()
			field = i
		}
		start := int(f.starts[field])
		n := f.rule.length(int(f.starts[field+1]-1) - start)
		if r.field, r.test = field, r.test-start; n == 0 || r.length < n && f.Form == 0 {
			continue
		}
		counted = f.appendCounted(counted, r, n)
	}
	end()
	return f.withEqual(hits)
}

// withEqual adds the hits of the fields that have the same words as those of hits.
func (f *finding) withEqual(hits []hit) []hit {
	for _, h := range hits {
		for field := int(f.next[h.field]); field != 0; field = int(f.next[field]) {
			same := hit{field: field, covered: h.covered, runs: slices.Clone(h.runs)}
			for i := range same.runs {
				same.runs[i].field = field
			}
			hits = append(hits, same)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(a.field, b.field) })
	return hits
}

// appendCounted appends the parts of a run whose sequences of n words count, or which forms leave and that count as a
// whole.
func (f *finding) appendCounted(dst []stretch, r stretch, n int) []stretch {
	if f.Form == 0 {
		return append(dst, r)
	}
	start, begun := int(f.starts[r.field]), len(dst)
	for p := 0; p+f.rule.minWords <= r.length; p++ {
		place, n := uint32(start+r.test+p), n
		if p+n > r.length || f.form.Has(place) {
			if n = f.rest(place); n == 0 || p+n > r.length {
				continue
			}
		}
		if last := len(dst) - 1; last >= begun && r.test+p <= dst[last].test+dst[last].length {
			dst[last].length = max(dst[last].length, r.test+p+n-dst[last].test)
			continue
		}
		dst = append(dst, stretch{r.field, r.test + p, r.document + p, n})
	}
	return dst
}
