package tables

import (
	"math"
	"math/bits"
	"slices"

	"simsearch/internal/kernels"
	"simsearch/internal/section"
)

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

// fullLine is the mean length of buckets up to which each has a line of its own. Of longer ones, too many exceed a line.
const fullLine = 10.5

// buckets are the entries of a table.
type buckets struct {
	bits   int      // of a bucket: the highest bits of an entry
	base   int      // a word is the 32 bits below the highest base bits
	up     uint     // by which entries are shifted to the left, so that they have 64 bits
	starts []uint64 // for each 32 buckets: the number of lines begun before them, and below it a bit for each that begins one
	lines  []kernels.Line
	more   []uint32 // the words of buckets that are longer than a line
	table  int      // its number, which is part of the checksums
	sealed bool     // lines have their checksums
	guards guards
}

// moreWords is the count of a line that says where the words of its bucket are: the first two elements are the first of them in
// more, and their number.
const moreWords = 0xff

// bucketBits returns the number of bits of the buckets of a table of n entries, and how many of them are bits of its header.
func bucketBits(n, headerBits, width int) (bucket, header int) {
	fine := min(width, max(0, bits.Len(uint(n))-3)) // four to eight entries
	if float64(n) > fullLine*math.Exp2(float64(headerBits)) {
		return max(headerBits, fine), headerBits
	}
	return min(headerBits, fine), min(headerBits, fine)
}

// outlineBuckets returns the buckets of n entries of width bits without contents.
func outlineBuckets(n, headerBits, width, table int) buckets {
	bucket, header := bucketBits(n, headerBits, width)
	return buckets{bits: bucket, base: header, up: uint(64 - width), table: table}
}

// startsLen returns the length of starts.
func (b *buckets) startsLen() uint64 { return (1<<b.bits + 31) / 32 }

// build makes the lines of entries, which are sorted by their buckets.
func (b *buckets) build(entries []uint64) {
	begun, more := b.begin(entries)
	b.lines, b.more = hugeLines(begun), make([]uint32, 0, more)
	down := uint(64-b.bits) - b.up
	at, filled := -1, 0
	if len(entries) > 0 && entries[0]>>down != 0 {
		at = 0 // of the first bucket, which has none
	}
	for lo := 0; lo < len(entries); {
		bucket := entries[lo] >> down
		hi := endOf(entries, lo, down)
		run := entries[lo:hi]
		if b.starts[bucket/32]>>(bucket%32)&1 != 0 {
			at, filled = at+1, 0
		}
		lo = hi
		line := &b.lines[at]
		if len(run) > kernels.LineWords {
			line[0], line[1], line[kernels.LineWords] = uint32(len(b.more)), uint32(len(run)), moreWords
			for _, x := range run {
				b.more = append(b.more, b.word(x))
			}
			slices.Sort(b.more[line[0]:]) // so that equal words are neighbours
			continue
		}
		for _, x := range run {
			line[filled&15] = b.word(x)
			filled++
		}
		line[kernels.LineWords] = uint32(filled)
	}
}

// begin makes the starts of entries. It returns the number of lines, and that of the words that are in none.
func (b *buckets) begin(entries []uint64) (begun, more int) {
	b.starts = make([]uint64, b.startsLen())
	down := uint(64-b.bits) - b.up
	filled := kernels.LineWords // so that the first begins a line
	if len(entries) > 0 && entries[0]>>down != 0 {
		b.starts[0] = 1
		filled = 0
	}
	for lo := 0; lo < len(entries); {
		bucket, hi := entries[lo]>>down, endOf(entries, lo, down)
		size := hi - lo
		if filled += size; filled > kernels.LineWords {
			b.starts[bucket/32] |= 1 << (bucket % 32)
			filled = size
		}
		if size > kernels.LineWords {
			more += size
		}
		lo = hi
	}
	for i, x := range b.starts {
		b.starts[i] |= uint64(begun) << 32
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

// word returns the word of an entry.
func (b *buckets) word(entry uint64) uint32 { return uint32(entry << b.up << (b.base & 63) >> 32) }

// line returns the number of the line that has a bucket.
func (b *buckets) line(bucket uint64) uint64 {
	x := b.starts[bucket/32]
	return x>>32 + uint64(bits.OnesCount32(uint32(x)&(2<<(bucket&31)-1))) - 1
}

// bucket returns the bucket of an entry.
func (b *buckets) bucket(entry uint64) uint64 { return entry << b.up >> uint(64-b.bits) }

// span returns the buckets [from, to] that have the entries with the header of an entry.
func (b *buckets) span(entry uint64) (from, to uint64) {
	from = b.bucket(entry)
	rest := lowBits(b.bits - b.base)
	return from &^ rest, from | rest
}

// checkStarts checks what line needs for the buckets [from, to].
func (b *buckets) checkStarts(from, to uint64) error {
	return b.guards.starts.Check(from/32*8, to/32*8+8)
}

// badStarts returns the error of buckets [from, to] that are in no lines.
func (b *buckets) badStarts(from, to uint64) error {
	return b.guards.starts.Corruptf(from/32*8, "buckets %#x to %#x lead to lines %d to %d of %d", from, to, b.line(from), b.line(to), len(b.lines))
}

// has reports whether a line that has no words of its own may have those of the header of an entry. It has those of the bucket that
// begins it. Buckets behind that one lead to it, too, if they are empty.
func (b *buckets) has(number, entry uint64) bool {
	from, _ := b.span(entry)
	return number != b.line(from) || b.starts[from/32]>>(from%32)&1 != 0
}

// run returns where in more the words of a line are that has none of its own.
func (b *buckets) run(number uint64) (lo, hi int, err error) {
	line := &b.lines[number]
	lo, hi = int(line[0]), int(line[0])+int(line[1])
	if line.Count() != moreWords || hi > len(b.more) {
		return 0, 0, b.guards.lines.Corruptf(64*number, "line %d has %d words, or those from %d to %d of %d", number, line.Count(), lo, hi, len(b.more))
	}
	return lo, hi, b.guards.more.Check(4*uint64(lo), 4*uint64(hi))
}

// seal gives each line its checksum.
func (b *buckets) seal() {
	for i := range b.lines {
		kernels.SealLine(&b.lines[i], b.seal1(uint64(i)))
	}
	b.sealed = true
}

// seal1 returns the number of a line that goes into its checksum.
func (b *buckets) seal1(line uint64) uint64 { return uint64(b.table)<<40 | line }

// unsound returns the error of a line that fails its checksum.
func (b *buckets) unsound(line uint64) error {
	return b.guards.lines.Corruptf(64*line, "line %d fails its checksum", line)
}

// bytes returns the memory of the lines in bytes.
func (b *buckets) bytes() int { return 8*len(b.starts) + 64*len(b.lines) + 4*len(b.more) }

// expectedBytes returns about the memory of the lines of n uniform entries in bytes.
func expectedBytes(n, headerBits, width int) float64 {
	bucket, _ := bucketBits(n, headerBits, width)
	buckets := math.Exp2(float64(bucket))
	begun, more := expectedLines(float64(n) / buckets)
	return buckets * (8./32 + 64*begun + 4*more)
}

// expectedLines returns how many lines a bucket begins, and how many words it has outside of lines, if buckets have mean entries on
// average and the values are uniform.
func expectedLines(mean float64) (begun, more float64) {
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

// guards check the parts of a table that lie in a file: no byte is used before its block has been checked. Lines are checked by
// themselves, unless all of them have been. The guards of a table in memory are nil.
type guards struct{ starts, lines, more *section.Guard }
