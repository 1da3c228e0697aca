package decontaminate

import (
	"cmp"
	"slices"

	"simsearch/internal/match/sequences"
)

// reference finds what find finds, from the definition: it compares each sequence of each field with each of the
// document. It is what the tests compare find with.
//
// A sequence of a field counts if it has rule.length words, and is no form: as such a sequence of a field of
// rule.words words or more, or as a whole field of fewer. Words of forms are none of the own words of a field, of
// which a hit has some. What forms leave of a field, in a row, counts as a whole if it is shorter than a sequence,
// has rule.minWords words and is no form. Sequences that follow each other, each a word behind the one before, in the
// field and in the document, make a run.
func (t *text) reference(rule rule, forms forms, document []uint64) (hits []hit, covered []span) {
	own := make([][]bool, t.fields())
	var rests [][]uint64 // of all different fields
	var restsOf []int    // their fields
	for f := range t.fields() {
		field := t.field(f)
		own[f] = slices.Repeat([]bool{true}, len(field))
		for p, form := range forms.at[f] {
			if form {
				clear(own[f][p : p+rule.length(len(field))])
			}
		}
		for _, s := range stretches(own[f]) {
			if n := s[1] - s[0]; forms.counted[f] && n < len(field) && n >= rule.minWords && n < rule.words {
				rests, restsOf = append(rests, field[s[0]:s[1]]), append(restsOf, f)
			}
		}
	}
	for f := range t.fields() {
		field := t.field(f)
		var runs []stretch
		compare := func(p, n int) {
			for d := 0; d+n <= len(document); d++ {
				if slices.Equal(field[p:p+n], document[d:d+n]) {
					runs = append(runs, stretch{f, p, d, n})
				}
			}
		}
		for p, form := range forms.at[f] {
			if !form {
				compare(p, rule.length(len(field)))
			}
		}
		for _, s := range stretches(own[f]) {
			var have []int
			for i, rest := range rests {
				if slices.Equal(rest, field[s[0]:s[1]]) {
					have = append(have, restsOf[i])
				}
			}
			if n := s[1] - s[0]; n < len(field) && len(have) > 0 && !forms.are(have) {
				compare(s[0], n)
			}
		}
		if runs = joined(runs); len(runs) == 0 {
			continue
		}
		h := hitOf(f, slices.Clone(runs), own[f])
		if h.covered == 0 {
			continue
		}
		hits = append(hits, h)
		if !rule.counts(h.covered, len(slices.DeleteFunc(slices.Clone(own[f]), func(is bool) bool { return !is }))) {
			continue
		}
		for _, r := range runs {
			covered = append(covered, span{r.document, r.document + r.length})
		}
	}
	return hits, sequences.Union(covered)
}

// Forms tell what is form, from the definition.
type forms struct {
	counted []bool           // of each field, whether it is the first of its words
	are     func([]int) bool // whether what stands in these fields, once for each place, is form
	at      [][]bool         // of each field and each of its sequences, whether that is form
}

// referenceForms finds forms. Equal fields count once. What stands in more than rule.maxPlaces places is form, and so
// is what stands in as many items of a benchmark as isForm says, and what is in a field that isCommon.
func (t *text) referenceForms(rule rule) (f forms) {
	sizes, items := map[uint32]map[uint32]bool{}, map[uint32]int{} // of benchmarks: different items, and the number of all
	for _, benchmark := range t.within {
		sizes[benchmark] = map[uint32]bool{}
		items[benchmark]++
	}
	common := make([]bool, t.fields())
	for i := range t.fields() {
		equal, has := []int(nil), map[uint32]map[uint32]bool{}
		for j := range t.fields() {
			if item := t.itemOf[j]; slices.Equal(t.field(i), t.field(j)) {
				if has[t.within[item]] == nil {
					has[t.within[item]] = map[uint32]bool{}
				}
				equal, has[t.within[item]][item] = append(equal, j), true
			}
		}
		if f.counted = append(f.counted, equal[0] == i); equal[0] == i {
			sizes[t.within[t.itemOf[i]]][t.itemOf[i]] = true
		}
		common[i] = len(equal) > rule.maxPlaces
		for benchmark, of := range has {
			common[i] = common[i] || len(equal) > 1 && len(of) >= formItems && 2*len(of) > items[benchmark]
		}
	}
	f.are = func(fields []int) bool {
		if len(fields) > rule.maxPlaces || slices.ContainsFunc(fields, func(at int) bool { return common[at] }) {
			return true
		}
		for benchmark, size := range sizes {
			has := map[uint32]bool{}
			for _, at := range fields {
				if item := t.itemOf[at]; len(fields) >= formItems && t.within[item] == benchmark {
					has[item] = true
				}
			}
			if isForm(len(has), len(size)) {
				return true
			}
		}
		return false
	}
	for i := range t.fields() {
		var at []bool
		n := rule.length(len(t.field(i)))
		for p := 0; n > 0 && p+n <= len(t.field(i)); p++ {
			at = append(at, f.are(t.fieldsWith(rule, t.field(i)[p:p+n], f.counted)))
		}
		f.at = append(f.at, at)
	}
	return f
}

// fieldsWith returns the fields that have a sequence, once for each place where it stands.
func (t *text) fieldsWith(rule rule, sequence []uint64, counted []bool) (fields []int) {
	for f := range t.fields() {
		field := t.field(f)
		for p := 0; counted[f] && rule.length(len(field)) == len(sequence) && p+len(sequence) <= len(field); p++ {
			if slices.Equal(field[p:p+len(sequence)], sequence) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// joined returns runs of which none goes on in another one.
func joined(runs []stretch) []stretch {
	slices.SortFunc(runs, func(a, b stretch) int {
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
type span = sequences.Span

// hitOf returns the hit of a field with all its runs: those that show what is covered. Of runs that begin with the
// same word of the field, the longest one does, and of equally long ones the first of the document. own tells the own
// words of the field; nil stands for all.
func hitOf(field int, runs []stretch, own []bool) hit {
	slices.SortFunc(runs, func(a, b stretch) int {
		return cmp.Or(cmp.Compare(a.test, b.test), cmp.Compare(b.length, a.length), cmp.Compare(a.document, b.document))
	})
	h, end := hit{field: field}, 0
	for _, r := range runs {
		if to := r.test + r.length; to > end {
			for p := max(end, r.test); p < to; p++ {
				if own == nil || own[p] {
					h.covered++
				}
			}
			h.runs = append(h.runs, r)
			end = to
		}
	}
	return h
}
