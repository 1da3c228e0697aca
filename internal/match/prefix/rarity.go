package prefix

import (
	"math/bits"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
)

// A rarityTable says how rare features seem, so that their first ones are known without looking up each. It is a
// table of classes, a byte for each bucket of hashes that begin with the same bits. The class of a bucket is that of
// the most frequent feature of it, and 0 if none is frequent. So a feature seems as frequent as it is, or more so if
// it shares its bucket. This costs speed only: an order by class, then by hash, is the same for all sets. As most
// features are not frequent, the table fits a cache.
type rarityTable struct {
	classes section.Array[byte]
	shift   uint // from a hash to its bucket
}

// secRarity is the name of the section that write writes.
const secRarity = "postings.rarity"

// classes is how many classes there are: four for each doubling of the number of sets from frequent on.
const classes = 64

// frequent is the number of sets from which on a feature has a class above 0.
const frequent = 1 << frequentBits

const frequentBits = 3

// classOf returns the class of a feature that some sets have.
func classOf(sets uint32) byte {
	if sets < frequent {
		return 0
	}
	l := bits.Len32(sets) - 1
	return byte(min(classes-1, 4*(l-frequentBits)+1+int(sets>>(l-2)&3)))
}

// maxBucketBits bounds the table.
const maxBucketBits = 32

// newRarity returns the table for counts. There are two to four buckets a frequent feature.
func newRarity(counts []Counted) *rarityTable {
	n := 0
	for _, c := range counts {
		if c.Sets >= frequent {
			n++
		}
	}
	b := min(maxBucketBits, bits.Len(uint(n))+1)
	r := &rarityTable{shift: uint(64 - b)}
	table := make([]byte, 1<<b)
	for _, c := range counts {
		bucket := &table[c.Feature>>r.shift]
		*bucket = max(*bucket, classOf(c.Sets))
	}
	r.classes = section.Checked(table)
	return r
}

// loadRarity loads a table that write has written.
func loadRarity(f *section.File) *rarityTable {
	n := f.Size(secRarity)
	b := bits.Len64(n) - 1
	if n == 0 || n != 1<<b || b > maxBucketBits {
		panic(f.Corruptf(secRarity, 0, "%d buckets", n))
	}
	table := section.Integers[byte](f, secRarity, n)
	return &rarityTable{table, uint(64 - b)}
}

// write writes the table as a section of w, which keeps the error of writing.
func (r *rarityTable) write(w *section.Writer) {
	w.Begin(secRarity)
	_, _ = w.Write(r.classes.All)
}

// A chooser finds the first features of sets.
type chooser struct {
	class   []byte
	first   []uint64
	scratch []uint64
}

// Choose returns the first features of a set in the order of r, up to n. They are valid until the next call.
// ascending says that features are in the order of their hashes.
func (c *chooser) Choose(r *rarityTable, features []uint64, n int, ascending bool) []uint64 {
	n = min(n, len(features))
	if len(c.class) < len(features) {
		c.class = make([]byte, 2*len(features))
		c.first = make([]uint64, 2*len(features))
	}
	class, table := c.class[:len(features)], r.classes.All
	if !r.classes.Guard.Whole() {
		for _, f := range features {
			r.classes.At(f >> r.shift)
		}
	}
	var next [classes]int        // the number of features of each class, then the place of the next one
	for i, f := range features { // a step of its own, so that no read waits for another
		k := table[f>>r.shift] % classes
		class[i] = k
		next[k]++
	}
	sum, used := 0, 0 // the features of the first classes, as many as are used
	for ; used < classes && sum < n; used++ {
		next[used], sum = sum, sum+next[used]
	}
	for k := used; k < classes; k++ {
		next[k] = sum // behind what is used, where each finds room
	}
	first := c.first[:len(features)]
	for i, f := range features {
		at := &next[class[i]%classes]
		first[*at] = f
		*at++
	}
	if !ascending {
		from := 0
		for _, to := range next[:used] { // where a class ends, which has a few
			ints.SortFew(first[from:to], &c.scratch)
			from = to
		}
	}
	return first[:n]
}
