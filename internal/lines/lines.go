// Package lines has the entries of a table of fingerprints in cache lines, for package tables.
//
// A table other than the first is lines: a query reads one cache line of each. An entry is a word of 32 bits there, those below the
// header. A word tells nearly all entries that are not near: of a million random ones, about one agrees with a query in all but
// three bits. What else the fingerprint has is found in the values, by the bits that are known.
//
// Entries that agree on the highest bits are a bucket. Buckets lie in lines one after the other, each whole in one line. Where buckets
// have about ten entries, as with headers of 20 bits among ten million, most lines have one; finer ones share lines. Which line a
// bucket is in follows from one bit a bucket: whether it begins a line. These bits stay in the cache, so that a query waits for memory
// once. A bucket that is longer than a line has a line that says where its words are.
//
// A line has a checksum of its own. In a file, it is compared whenever the line is read, which takes some nanoseconds: reading more
// of the file than the line, to check it once, takes longer for most queries that a process will ever ask.
//
// Tried and dropped: directories of four bytes a slot, and entries one behind the other. Five tables had as many bytes, and a query
// among ten million read seventeen lines in two steps.
package lines

import (
	"math"
	"math/bits"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/kernels"
	"simsearch/internal/section"
)

// Full is the mean length of buckets up to which each has a line of its own. Of longer ones, too many exceed a line.
const Full = 10.5

// Buckets are the entries of a table.
type Buckets struct {
	Bits   int      // of a bucket: the highest bits of an entry
	Base   int      // a word is the 32 bits below the highest Base bits
	Up     uint     // by which entries are shifted to the left, so that they have 64 bits
	Starts []uint64 // for each 32 buckets: the number of lines begun before them, and below it a bit for each that begins one
	Lines  []kernels.Line
	More   []uint32 // the words of buckets that are longer than a line
	Table  int      // its number, which is part of the checksums
	Guards Guards
}

// moreWords is the count of a line that says where the words of its bucket are: the first two elements are the first of them in
// more, and their number.
const moreWords = 0xff

// BucketBits returns the number of bits of the buckets of a table of n entries, and how many of them are bits of its header.
func BucketBits(n, headerBits, width int) (bucket, header int) {
	fine := min(width, max(0, bits.Len(uint(n))-3)) // four to eight entries
	if float64(n) > Full*math.Exp2(float64(headerBits)) {
		return max(headerBits, fine), headerBits
	}
	return min(headerBits, fine), min(headerBits, fine)
}

// Outline returns the buckets of n entries of width bits without contents.
func Outline(n, headerBits, width, table int) Buckets {
	bucket, header := BucketBits(n, headerBits, width)
	return Buckets{Bits: bucket, Base: header, Up: uint(64 - width), Table: table}
}

// StartsLen returns the length of Starts.
func (b *Buckets) StartsLen() uint64 { return (1<<b.Bits + 31) / 32 }

// Build makes the lines of entries, which are sorted by their buckets.
func (b *Buckets) Build(entries []uint64) {
	begun, more := b.begin(entries)
	// A query reads a line of each table, and looks up the address of each: fewer pages have fewer addresses.
	b.Lines, b.More = disk.LargePages(make([]kernels.Line, begun)), make([]uint32, 0, more)
	down := uint(64-b.Bits) - b.Up
	at, filled := -1, 0
	if len(entries) > 0 && entries[0]>>down != 0 {
		at = 0 // of the first bucket, which has none
	}
	for lo := 0; lo < len(entries); {
		bucket := entries[lo] >> down
		hi := endOf(entries, lo, down)
		run := entries[lo:hi]
		if b.Starts[bucket/32]>>(bucket%32)&1 != 0 {
			at, filled = at+1, 0
		}
		lo = hi
		line := &b.Lines[at]
		if len(run) > kernels.LineWords {
			line[0], line[1], line[kernels.LineWords] = uint32(len(b.More)), uint32(len(run)), moreWords
			for _, x := range run {
				b.More = append(b.More, b.Word(x))
			}
			slices.Sort(b.More[line[0]:]) // so that equal words are neighbours
			continue
		}
		for _, x := range run {
			line[filled&15] = b.Word(x)
			filled++
		}
		line[kernels.LineWords] = uint32(filled)
	}
}

// begin makes the starts of entries. It returns the number of lines, and that of the words that are in none.
func (b *Buckets) begin(entries []uint64) (begun, more int) {
	b.Starts = make([]uint64, b.StartsLen())
	down := uint(64-b.Bits) - b.Up
	filled := kernels.LineWords // so that the first begins a line
	if len(entries) > 0 && entries[0]>>down != 0 {
		b.Starts[0] = 1
		filled = 0
	}
	for lo := 0; lo < len(entries); {
		bucket, hi := entries[lo]>>down, endOf(entries, lo, down)
		size := hi - lo
		if filled += size; filled > kernels.LineWords {
			b.Starts[bucket/32] |= 1 << (bucket % 32)
			filled = size
		}
		if size > kernels.LineWords {
			more += size
		}
		lo = hi
	}
	for i, x := range b.Starts {
		b.Starts[i] |= uint64(begun) << 32
		begun += bits.OnesCount64(x)
	}
	return begun, more
}

// endOf returns the end of the bucket that begins at lo.
func endOf(entries []uint64, lo int, down uint) int {
	hi := lo + 1
	for hi < len(entries) && (entries[hi]^entries[lo])>>down == 0 {
		hi++
	}
	return hi
}

// Word returns the word of an entry.
func (b *Buckets) Word(entry uint64) uint32 { return uint32(entry << b.Up << (b.Base & 63) >> 32) }

// Line returns the number of the line that has a bucket.
func (b *Buckets) Line(bucket uint64) uint64 {
	x := b.Starts[bucket/32]
	return x>>32 + uint64(bits.OnesCount32(uint32(x)&(2<<(bucket&31)-1))) - 1
}

// Bucket returns the bucket of an entry.
func (b *Buckets) Bucket(entry uint64) uint64 { return entry << b.Up >> uint(64-b.Bits) }

// Span returns the buckets [from, to] that have the entries with the header of an entry.
func (b *Buckets) Span(entry uint64) (from, to uint64) {
	from = b.Bucket(entry)
	rest := uint64(1)<<uint(b.Bits-b.Base) - 1
	return from &^ rest, from | rest
}

// CheckStarts checks what Line needs for the buckets [from, to].
func (b *Buckets) CheckStarts(from, to uint64) error {
	return b.Guards.Starts.Check(from/32*8, to/32*8+8)
}

// BadStarts returns the error of buckets [from, to] that are in no lines.
func (b *Buckets) BadStarts(from, to uint64) error {
	return b.Guards.Starts.Corruptf(from/32*8, "buckets %#x to %#x lead to lines %d to %d of %d", from, to, b.Line(from), b.Line(to), len(b.Lines))
}

// Has reports whether a line that has no words of its own may have those of the header of an entry. It has those of the bucket that
// begins it. Buckets behind that one lead to it, too, if they are empty.
func (b *Buckets) Has(number, entry uint64) bool {
	from, _ := b.Span(entry)
	return number != b.Line(from) || b.Starts[from/32]>>(from%32)&1 != 0
}

// Run returns where in More the words of a line are that has none of its own.
func (b *Buckets) Run(number uint64) (lo, hi int, err error) {
	line := &b.Lines[number]
	lo, hi = int(line[0]), int(line[0])+int(line[1])
	if line.Count() != moreWords || hi > len(b.More) {
		return 0, 0, b.Guards.Lines.Corruptf(64*number, "line %d has %d words, or those from %d to %d of %d", number, line.Count(), lo, hi, len(b.More))
	}
	return lo, hi, b.Guards.More.Check(4*uint64(lo), 4*uint64(hi))
}

// Seal gives each line its checksum.
func (b *Buckets) Seal() {
	for i := range b.Lines {
		kernels.SealLine(&b.Lines[i], b.Number(uint64(i)))
	}
}

// Number returns the number of a line that goes into its checksum.
func (b *Buckets) Number(line uint64) uint64 { return uint64(b.Table)<<40 | line }

// Unsound returns the error of a line that fails its checksum.
func (b *Buckets) Unsound(line uint64) error {
	return b.Guards.Lines.Corruptf(64*line, "line %d fails its checksum", line)
}

// Bytes returns the memory of the lines in bytes.
func (b *Buckets) Bytes() int { return 8*len(b.Starts) + 64*len(b.Lines) + 4*len(b.More) }

// ExpectedBytes returns about the memory of the lines of n uniform entries in bytes.
func ExpectedBytes(n, headerBits, width int) float64 {
	bucket, _ := BucketBits(n, headerBits, width)
	buckets := math.Exp2(float64(bucket))
	begun, more := ExpectedLines(float64(n) / buckets)
	return buckets * (8./32 + 64*begun + 4*more)
}

// ExpectedLines returns how many lines a bucket begins, and how many words it has outside of lines, if buckets have mean entries on
// average and the values are uniform.
func ExpectedLines(mean float64) (begun, more float64) {
	const full = kernels.LineWords
	var size [full + 1]float64 // how often a bucket has so many entries
	p, rest, long := math.Exp(-mean), 1., mean
	for s := range size {
		size[s] = p
		rest -= p
		long -= float64(s) * p
		p *= mean / float64(s+1)
	}
	more = max(0, long)
	var filled [full + 1]float64 // how often the line has so many words before a bucket
	filled[full] = 1
	for range 64 {
		var next [full + 1]float64
		next[full], begun = max(0, rest), max(0, rest)
		for f, pf := range filled {
			for s, ps := range size {
				to := f + s
				if to > full {
					to = s
					begun += pf * ps
				}
				next[to] += pf * ps
			}
		}
		filled = next
	}
	return begun, more
}

// Guards check the parts of a table that lie in a file: no byte is used before its block has been checked. Lines are checked by
// themselves, unless all of them have been. The guards of a table in memory are nil.
type Guards struct{ Starts, Lines, More *section.Guard }
