package decontaminate

import (
	"cmp"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/match/sequences"
)

// How what is in common is found
//
// A seed is rule.minWords words in a row. Of the seeds of each sequence that counts, the one with the least hash is
// in a table (Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003,
// https://doi.org/10.1145/872757.872770). A document that has the sequence has the same seed as the least of as many
// words. So the seeds that are the least somewhere are looked for, two of seven, first in a filter that fits a cache:
// nearly all seeds of a training set end there. What is found is compared word by word, as far as it goes. Of a field
// that is too short for such sequences, the first seed is in a table of its own, in which all seeds of documents are
// looked for.
//
// Places of which all sequences are form are in no table. What forms leave of a field is in the table of short fields
// if it is shorter than a sequence.
//
// Of fields of the same words, such as a passage that several questions have, only the first is in tables.

// A finder finds what documents have in common with the fields of a text. It is safe for concurrent use.
type finder struct {
	*text
	rule        rule
	long, short sequences.Table  // of fields of rule.words words or more, and of fewer
	form        ints.NumberedSet // the places of sequences that are form, and do not count
	rests       ints.NumberedSet // where rests begin that count as a whole

	first, next []uint32       // of each field, the first one of the same words, and the next one or 0
	common      map[int]bool   // fields, first ones, that are form since so many items have them
	sizes, has  map[uint32]int // of benchmarks, items with fields that no item before has, and memory for isFormAt

	Form int // how many different sequences do not count
}

// newFinder returns a finder. Its tables have 12 bytes for each seed that is in one, and 8 more while they are made.
func newFinder(t *text, rule rule) *finder {
	f := &finder{text: t, rule: rule, form: ints.NewNumberedSet(len(t.words)), rests: ints.NewNumberedSet(len(t.words))}
	f.findEqual()
	window := rule.words - rule.minWords + 1
	long := disk.LargePages(make([]uint64, len(t.words)*22/(10*(window+1))+t.fields()))[:0] // two of window+1, and some more
	var short []uint64
	var grams sequences.Grams
	for i := range t.fields() {
		words := t.field(i)
		n := rule.length(len(words))
		if n == 0 || f.first[i] != uint32(i) {
			continue
		}
		grams.Read(words, rule.minWords, rule.words)
		if n < rule.words {
			short = append(short, sequences.Entry(grams.Hashes[0], t.starts[i]))
			continue
		}
		for _, at := range grams.Seeds {
			long = append(long, sequences.Entry(grams.Hashes[at], t.starts[i]+uint32(at)))
		}
	}
	f.long, f.short = sequences.NewTable(long), sequences.NewTable(short)
	f.findForms()
	f.findRests()
	f.long.Index()
	f.short.Index()
	return f
}

// findEqual finds fields of the same words, and which of them are form: those that more than half of the items of a
// benchmark have, and formItems, such as an instruction in a field of its own, or more than rule.maxPlaces fields of
// all tests.
func (f *finder) findEqual() {
	f.first, f.next = make([]uint32, f.fields()), make([]uint32, f.fields())
	last := map[uint64]uint32{} // by the hashes of fields, the last one until now
	for i := range f.first {
		f.first[i] = uint32(i)
		hash := fingerprint.WordGram(f.field(i))
		if same, ok := last[hash]; ok && slices.Equal(f.field(int(same)), f.field(i)) {
			f.first[i], f.next[same] = f.first[same], uint32(i)
		}
		last[hash] = uint32(i)
	}
	items, has := map[uint32]int{}, map[uint32]int{}
	for _, benchmark := range f.within {
		items[benchmark]++
	}
	f.common = map[int]bool{}
	for i, next := range f.next {
		if f.first[i] == uint32(i) && next != 0 && f.rule.length(len(f.field(i))) > 0 && f.isCommon(uint32(i), items, has) {
			f.common[i] = true
		}
	}
	f.sizes, f.has = map[uint32]int{}, has
	item := int64(-1)
	for i, is := range f.itemOf {
		if f.first[i] == uint32(i) && int64(is) != item {
			item = int64(is)
			f.sizes[f.within[is]]++
		}
	}
}

// isCommon reports whether a field and those of the same words are form. Benchmarks have as many items. has is memory
// to work with.
func (f *finder) isCommon(field uint32, items, has map[uint32]int) bool {
	clear(has)
	fields, last := 0, int64(-1)
	for more := true; more; more = field != 0 {
		item := f.itemOf[field]
		if benchmark := f.within[item]; int64(item) != last {
			if has[benchmark]++; has[benchmark] >= formItems && 2*has[benchmark] > items[benchmark] {
				return true
			}
		}
		if fields++; fields > f.rule.maxPlaces {
			return true
		}
		field, last = f.next[field], int64(item)
	}
	return false
}

// findForms finds the sequences that are form, and takes places out of the tables that have no others. All places of
// a sequence have the same least seed, so that the entries of that have them all.
func (f *finder) findForms() {
	least := f.rule.maxPlaces + 1 // entries of a form
	for _, size := range f.sizes {
		least = min(least, max(formItems, (size+formShare-1)/formShare))
	}
	known := map[uint64]bool{}
	for _, s := range []*sequences.Table{&f.long, &f.short} {
		kept := s.Entries[:0]
		s.Groups(func(entries []uint64) {
			if len(entries) < least && len(f.common) == 0 || !f.isFormAt(entries) {
				kept = append(kept, entries...)
				return
			}
			all := map[uint64][]uint64{} // their places, by their hashes
			for _, e := range entries {
				for at, to := f.around(uint32(e)); at <= to; at++ {
					hash := fingerprint.WordGram(f.sequence(at))
					all[hash] = append(all[hash], uint64(at))
				}
			}
			for hash, places := range all {
				slices.Sort(places)
				places = slices.Compact(places)
				if !f.isFormAt(places) {
					continue
				}
				if !known[hash] {
					known[hash] = true
					f.Form++
				}
				for _, at := range places {
					f.form.Add(uint32(at))
				}
			}
			for _, e := range entries {
				at, to := f.around(uint32(e))
				for at <= to && f.form.Has(at) {
					at++
				}
				if at <= to {
					kept = append(kept, e)
				}
			}
		})
		s.Entries = slices.Clip(kept)
	}
}

// isFormAt reports whether what stands at places, which ascend, is form: it stands in too many, so many items of a
// benchmark have it, or a field that is form.
func (f *finder) isFormAt(places []uint64) bool {
	if len(places) > f.rule.maxPlaces {
		return true
	}
	clear(f.has)
	last := int64(-1)
	for _, at := range places {
		field := f.fieldAt(uint32(at))
		if f.common[field] {
			return true
		}
		item := f.itemOf[field]
		if int64(item) == last {
			continue
		}
		last = int64(item)
		benchmark := f.within[item]
		if f.has[benchmark]++; isForm(f.has[benchmark], f.sizes[benchmark]) {
			return true
		}
	}
	return false
}

// A rest is some words in a row that forms leave of a field.
type rest struct {
	hash  uint64
	place uint32
	words []uint64
}

// findRests finds the rests that count as a whole: those of rule.minWords words or more, but fewer than a sequence
// has, that are not form themselves.
func (f *finder) findRests() {
	if f.Form == 0 {
		return
	}
	var all []rest
	for i := range f.fields() {
		if f.first[i] != uint32(i) {
			continue
		}
		words := f.field(i)
		for _, s := range stretches(f.ownWords(i)) {
			if n := s[1] - s[0]; n >= f.rule.minWords && n < f.rule.words {
				all = append(all, rest{fingerprint.WordGram(words[s[0]:s[1]]), f.starts[i] + uint32(s[0]), words[s[0]:s[1]]})
			}
		}
	}
	slices.SortFunc(all, func(a, b rest) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.place, b.place)) })
	var places []uint64
	for from, to := 0, 0; from < len(all); from = to {
		places = places[:0]
		for to = from; to < len(all) && all[to].hash == all[from].hash; to++ {
			places = append(places, sequences.Entry(all[to].hash, all[to].place))
		}
		if f.isFormAt(places) {
			continue
		}
		for _, is := range all[from:to] {
			f.rests.Add(is.place)
			f.short.Entries = append(f.short.Entries, sequences.Entry(fingerprint.WordGram(is.words[:f.rule.minWords]), is.place))
		}
	}
	slices.Sort(f.short.Entries)
	f.short.Entries = slices.Compact(f.short.Entries)
}

// rest returns how many words a rest has that counts as a whole and begins at a place, or 0 if none does.
func (f *finder) rest(place uint32) (n int) {
	if !f.rests.Has(place) {
		return 0
	}
	for end := place; f.words[end] != 0 && !f.form.Has(end); end++ {
		n++
	}
	return n
}

// ownWords tells the words of a field that are in no form, or returns nil if all are.
func (f *finder) ownWords(field int) (own []bool) {
	start, words := f.starts[f.first[field]], len(f.field(field))
	length := f.rule.length(words)
	for p := 0; f.Form > 0 && length > 0 && p+length <= words; p++ {
		if !f.form.Has(start + uint32(p)) {
			continue
		}
		if own == nil {
			own = slices.Repeat([]bool{true}, words)
		}
		clear(own[p : p+length])
	}
	return own
}

// own is ownWords with the number of own words.
func (f *finder) own(field int) (own []bool, n int) {
	if own = f.ownWords(field); own == nil {
		return nil, len(f.field(field))
	}
	for _, s := range stretches(own) {
		n += s[1] - s[0]
	}
	return own, n
}

// judge reports whether a field that is long enough has words of its own, and whether these are enough to be judged.
func (f *finder) judge(field int) (own, judged bool) {
	words := f.ownWords(field)
	all := stretches(words)
	return words == nil || len(all) > 0, words == nil || slices.ContainsFunc(all, func(s span) bool {
		return s[1]-s[0] >= f.rule.words || f.rest(f.starts[f.first[field]]+uint32(s[0])) > 0
	})
}

// stretches returns where neighbouring words are true.
func stretches(words []bool) (list []span) {
	for i, is := range words {
		if n := len(list) - 1; is && n >= 0 && list[n][1] == i {
			list[n][1]++
		} else if is {
			list = append(list, span{i, i + 1})
		}
	}
	return list
}

// sequence returns the sequence that begins at a place.
func (f *finder) sequence(place uint32) []uint64 {
	field := f.fieldAt(place)
	return f.words[place:][:f.rule.length(len(f.field(field)))]
}

// fieldAt returns the field of a place.
func (t *text) fieldAt(place uint32) int {
	next, _ := slices.BinarySearch(t.starts, place+1)
	return next - 1
}

// around returns where the first and the last sequence begin that have the seed at a place.
func (f *finder) around(place uint32) (from, to uint32) {
	field := f.fieldAt(place)
	start, end := int(f.starts[field]), int(f.starts[field+1]-1)
	n := f.rule.length(end - start)
	return uint32(max(start, int(place)+f.rule.minWords-n)), uint32(min(int(place), end-n))
}
