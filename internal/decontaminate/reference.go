package decontaminate

import (
	"cmp"
	"simsearch/internal/wordhash"
	"slices"
)

// reference finds what find finds, from the definition: it compares each sequence of each field with each of the document. It is what
// the tests compare find with.
//
// A sequence of a field counts if it has Rule.length words, and is no form: as such a sequence of a field of Rule.Words words or more, or
// as a whole field of fewer. It is a form if it stands in more than Rule.MaxPlaces places of all fields, or in as many items of the
// benchmark as isForm says. Words of forms are none of the own words of a field, of which a hit has some. Sequences that follow each other,
// each a word behind the one before, in the field and in the document, make a run.
func (t *text) reference(rule Rule, document []uint64) (hits []hit, covered []span) {
	for f := range t.fields() {
		field := t.field(f)
		n := rule.length(len(field))
		var runs []run
		own := slices.Repeat([]bool{true}, len(field))
		for p := 0; n > 0 && p+n <= len(field); p++ {
			if places, items, all := t.countPlaces(rule, f, field[p:p+n]); places > rule.MaxPlaces || isForm(items, all) {
				clear(own[p : p+n])
				continue
			}
			for d := 0; d+n <= len(document); d++ {
				if slices.Equal(field[p:p+n], document[d:d+n]) {
					runs = append(runs, run{f, p, d, n})
				}
			}
		}
		if runs = joined(runs); len(runs) == 0 {
			continue
		}
		h := hitOf(f, slices.Clone(runs), func(p int) bool { return own[p] })
		if h.covered == 0 {
			continue
		}
		hits = append(hits, h)
		if !rule.counts(h.covered, len(slices.DeleteFunc(own, func(is bool) bool { return !is }))) {
			continue
		}
		for _, r := range runs {
			covered = append(covered, span{r.document, r.document + r.length})
		}
	}
	return hits, wordhash.Union(covered)
}

// countPlaces returns in how many places of the tests a sequence stands, and in how many items of the benchmark of a field, of all.
func (t *text) countPlaces(rule Rule, of int, sequence []uint64) (places, items, all int) {
	benchmark := t.within[t.itemOf[of]]
	has := map[uint32]bool{}
	for f := range t.fields() {
		field, item := t.field(f), t.itemOf[f]
		if rule.length(len(field)) != len(sequence) {
			continue
		}
		for p := 0; p+len(sequence) <= len(field); p++ {
			if slices.Equal(field[p:p+len(sequence)], sequence) {
				places++
				has[item] = has[item] || t.within[item] == benchmark
			}
		}
	}
	for _, within := range has {
		if within {
			items++
		}
	}
	for _, b := range t.within {
		if b == benchmark {
			all++
		}
	}
	return places, items, all
}

// joined returns runs of which none goes on in another one.
func joined(runs []run) []run {
	slices.SortFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.document-a.test, b.document-b.test), cmp.Compare(a.test, b.test))
	})
	out := runs[:0]
	for _, r := range runs {
		if n := len(out); n > 0 && out[n-1].document-out[n-1].test == r.document-r.test && r.test <= out[n-1].test+out[n-1].length {
			out[n-1].length = max(out[n-1].length, r.test+r.length-out[n-1].test)
			continue
		}
		out = append(out, r)
	}
	return out
}

// A span is the words, or bytes, from one before another.
type span = wordhash.Span

// hitOf returns the hit of a field with all its runs: those that show what is covered. Of runs that begin with the same word of the
// field, the longest one does, and of equally long ones the first of the document. own tells the own words of the field; nil stands for all.
func hitOf(field int, runs []run, own func(word int) bool) hit {
	slices.SortFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.test, b.test), cmp.Compare(b.length, a.length), cmp.Compare(a.document, b.document))
	})
	h, end := hit{field: field}, 0
	for _, r := range runs {
		if to := r.test + r.length; to > end {
			for p := max(end, r.test); p < to; p++ {
				if own == nil || own(p) {
					h.covered++
				}
			}
			h.runs = append(h.runs, r)
			end = to
		}
	}
	return h
}
