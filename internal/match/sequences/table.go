package sequences

import (
	"simsearch/fingerprint"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
)

// Seeds of sequences of n words, which are found as they are, are grams of fewer words. Of the grams of a sequence,
// the one with the least hash is its seed: equal sequences have an equal seed, at the same place (winnowing, as in
// seeds.go).

// Grams are the hashes of the grams of a text, and the places of those that are seeds. They must not be used by
// several goroutines at once.
type Grams struct {
	Hashes []uint64
	Seeds  []int32
}

// Read makes g the grams of so many words of a text, and the seeds of its sequences of n words. A text of fewer words
// has no seeds.
func (g *Grams) Read(words []uint64, gram, n int) {
	g.Hashes, g.Seeds = g.Hashes[:0], g.Seeds[:0]
	if len(words) >= gram {
		g.Hashes = fingerprint.AppendWordGrams(g.Hashes, words, gram)
		g.Seeds = AppendLeast(g.Seeds, g.Hashes, n-gram+1)
	}
}

// A Table has places of texts by the hash of what stands there. It tells 32 bits of hashes apart: what is found is
// compared.
type Table struct {
	Entries []uint64 // the upper half of a hash, and a place, in order
	Filter
	starts ints.Directory
}

// Entry returns the entry of a place.
func Entry(hash uint64, place uint32) uint64 { return hash&^(1<<32-1) | uint64(place) }

// NewTable returns the table of entries, which are in the order of their places.
func NewTable(entries []uint64) Table {
	ints.SortFrom(entries, make([]uint64, len(entries)), 32)
	return Table{Entries: entries}
}

// Index makes the table ready to be searched.
func (t *Table) Index() {
	t.starts = ints.OutlineDirectory(64, ints.DirectoryBits(len(t.Entries), 32, 1))
	t.starts.Build(t.Entries)
	t.Filter = NewFilter(len(t.Entries))
	for _, e := range t.Entries {
		t.Filter.Add(e)
	}
}

// Find sets found to the entries of the hashes of some places, at most as many as found has. It waits for the memory
// once and not for each of them.
func (t *Table) Find(found [][]uint64, places []int32, hashes []uint64) {
	found = found[:len(places)]
	for i, at := range places {
		slot := t.starts.Slot(hashes[at])
		found[i] = t.Entries[t.starts.Starts[slot]:t.starts.Starts[slot+1]]
	}
	for i, at := range places {
		found[i] = only(hashes[at], found[i])
	}
}

// only returns those of the entries of a slot that are of a hash.
func only(hash uint64, entries []uint64) []uint64 {
	for len(entries) > 0 && entries[0]>>32 < hash>>32 {
		entries = entries[1:]
	}
	n := 0
	for n < len(entries) && entries[n]>>32 == hash>>32 {
		n++
	}
	return entries[:n]
}

// Groups calls do with the entries of each hash.
func (t *Table) Groups(do func(entries []uint64)) {
	for from, to := 0, 0; from < len(t.Entries); from = to {
		for to = from + 1; to < len(t.Entries) && t.Entries[to]>>32 == t.Entries[from]>>32; to++ {
		}
		do(t.Entries[from:to])
	}
}

// A Filter tells most hashes that have not been added. It has up to four bits of a word for each that has.
type Filter struct {
	words []uint64
	shift uint
}

// filterBits is how many bits a filter has for each hash, at least, unless it would exceed the caches: it has 32 MiB
// at most.
const filterBits = 12

// NewFilter returns a Filter for so many hashes.
func NewFilter(hashes int) Filter {
	bits := 8 // of the number of words
	for bits < 22 && 64<<bits < filterBits*hashes {
		bits++
	}
	return Filter{words: disk.LargePages(make([]uint64, 1<<bits)), shift: uint(64 - bits)}
}

// Add adds a hash.
func (f *Filter) Add(hash uint64) { f.words[hash>>f.shift] |= f.mask(hash) }

// mask returns the bits of a hash. They depend on its upper half alone, and not only on the bits that choose the word.
func (*Filter) mask(hash uint64) uint64 {
	x := uint32(hash>>32) * 0x9e3779b1
	return 1<<(x>>26) | 1<<(x>>20&63) | 1<<(x>>14&63) | 1<<(x>>8&63)
}

// AppendLikely appends those of the given places whose hashes may have been added. It loads words for some places
// before it looks at the first, so that it waits for the memory once and not for each: in a filter of 32 MiB, a place
// takes .7 of the time that it takes without that.
func (f *Filter) AppendLikely(dst, places []int32, hashes []uint64) []int32 {
	var words [128]uint64
	all, shift := f.words, f.shift&63
	for len(places) > 0 {
		some := places[:min(len(places), len(words))]
		for i, at := range some {
			words[i] = all[hashes[at]>>shift]
		}
		for i, at := range some {
			if m := f.mask(hashes[at]); words[i]&m == m {
				dst = append(dst, at)
			}
		}
		places = places[len(some):]
	}
	return dst
}

// AppendAllLikely is AppendLikely of all places, for a filter that is in a near cache.
func (f *Filter) AppendAllLikely(dst []int32, hashes []uint64) []int32 {
	words, shift := f.words, f.shift&63
	for at, hash := range hashes {
		if m := f.mask(hash); words[hash>>shift]&m == m {
			dst = append(dst, int32(at))
		}
	}
	return dst
}
