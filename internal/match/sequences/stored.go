package sequences

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
)

// The sections of an index. internal/ground/section/FORMAT.md specifies them.
const (
	secEnds      = "passages.ends"
	secCodes     = "passages.codes"
	secDirectory = "passages.directory"
	secSeeds     = "passages.seeds"
)

// gramBits is the width of grams, and manySeeds says how many seeds a slot of the directory has: 16 to 32.
const gramBits, manySeeds = 32, 4

// seedsAtOnce is about how many bytes of seeds Write gathers in memory, unless it is told otherwise.
const seedsAtOnce = 128 << 20

// A Scan calls do with the codes of each document, in order, which are valid until do returns. It may leave out
// documents without codes, and ends with the first error.
type Scan func(do func(doc int, codes []uint8) error) error

// Write writes the codes of n documents, and their seeds. It scans them several times. It holds about memory bytes of
// seeds; 0 is a default. w keeps the errors of writing; others are those of scan.
func Write(w *section.Writer, n int, scan Scan, memory int) error {
	if memory == 0 {
		memory = seedsAtOnce
	}
	ends, end := make([]uint64, n), uint64(0)
	w.Begin(secCodes)
	err := scan(func(doc int, codes []uint8) error {
		end += uint64(len(codes))
		ends[doc] = end
		_, _ = w.Write(codes) // w keeps the error
		return nil
	})
	if err != nil {
		return err
	}
	for i := 1; i < n; i++ {
		ends[i] = max(ends[i], ends[i-1])
	}
	w.Begin(secEnds)
	w.Uint64s(ends)
	directory := ints.OutlineDirectory(gramBits, ints.DirectoryBits(int(end*2/5), gramBits, manySeeds))
	directory.Starts = make([]uint32, directory.Len())
	all := uint64(0)
	err = scan(func(_ int, codes []uint8) error {
		eachSeed(codes, func(_ int, gram uint32) {
			directory.Starts[uint64(gram)>>directory.Shift+1]++
			all++
		})
		return nil
	})
	if err != nil || all > math.MaxUint32 { // without seeds, codes are scanned
		return err
	}
	for i := 1; i < len(directory.Starts); i++ {
		directory.Starts[i] += directory.Starts[i-1]
	}
	w.Begin(secDirectory)
	w.Uint32s(directory.Starts)
	w.Begin(secSeeds)
	return writeSeeds(w, seedBytes(uint64(n)), scan, &directory, memory)
}

// writeSeeds writes the seeds, of some bytes each, in the order of their slots, then of the documents: those of as
// many slots at once as the memory holds.
func writeSeeds(w *section.Writer, width int, scan Scan, directory *ints.Directory, memory int) error {
	starts := directory.Starts
	buffer, next := []byte(nil), []uint32(nil)
	for lo := 0; lo+1 < len(starts); {
		hi := lo + 1
		for hi+1 < len(starts) && int(starts[hi+1]-starts[lo])*width <= memory {
			hi++
		}
		size := int(starts[hi]-starts[lo]) * width
		buffer = slices.Grow(buffer[:0], size)[:size]
		next = append(next[:0], starts[lo:hi]...)
		err := scan(func(doc int, codes []uint8) error {
			eachSeed(codes, func(at int, gram uint32) {
				s := int(uint64(gram)>>directory.Shift) - lo
				if s < 0 || s >= len(next) {
					return
				}
				i := int(next[s]-starts[lo]) * width
				next[s]++
				binary.LittleEndian.PutUint16(buffer[i:], surroundings(codes, at))
				for j := 2; j < width; j++ {
					buffer[i+j] = byte(doc >> (8 * (j - 2)))
				}
			})
			return nil
		})
		if err != nil {
			return err
		}
		_, _ = w.Write(buffer[:size]) // w keeps the error
		lo = hi
	}
	return nil
}

// seedBytes returns the size of a seed in an index of some documents: the surroundings, and the number of the document.
func seedBytes(documents uint64) int {
	switch {
	case documents <= 1<<16:
		return 4
	case documents <= 1<<24:
		return 5
	}
	return 6
}

// An Index finds documents by codes. It is safe for concurrent use.
type Index struct {
	ends      section.Array[uint64]
	codes     section.Array[byte]
	directory ints.Directory // without Starts if there are no seeds
	seeds     section.Array[byte]
	width     int
}

// Load returns the index of some documents in f, or nil if f has none.
func Load(f *section.File, documents uint64) (x *Index) {
	if !f.Has(secCodes) {
		return nil
	}
	x = &Index{width: seedBytes(documents)}
	x.ends = section.Integers[uint64](f, secEnds, documents)
	if x.codes = section.Integers[byte](f, secCodes, section.Any); !f.Has(secSeeds) {
		return x
	}
	x.seeds = section.Integers[byte](f, secSeeds, section.Any)
	x.directory = ints.OutlineDirectory(gramBits, ints.DirectoryBits(x.codes.Len()*2/5, gramBits, manySeeds))
	starts := section.Integers[uint32](f, secDirectory, x.directory.Len())
	x.directory.Use(starts.All, starts.Guard)
	return x
}

// Codes returns the codes of a document. They are a part of the file.
func (x *Index) Codes(doc uint32) []uint8 {
	from := max(doc, 1) - 1
	ends := x.ends.Range(uint64(from), uint64(doc)+1)
	lo, hi := uint64(0), ends[len(ends)-1]
	if doc > 0 {
		lo = ends[0]
	}
	if lo > hi || hi > uint64(x.codes.Len()) {
		panic(x.ends.Corruptf(uint64(doc), "the codes of document %d span [%d, %d) of %d", doc, lo, hi, x.codes.Len()))
	}
	return x.codes.Range(lo, hi)
}

// Check checks that the seeds are those of the codes. The bytes have passed their checksums.
func (x *Index) Check() error {
	for doc := range uint32(x.ends.Len()) {
		x.Codes(doc)
	}
	last := x.ends.Len() - 1
	if end := x.ends.All[last]; end != uint64(x.codes.Len()) {
		return x.ends.Corruptf(uint64(last), "the codes end at byte %d of %d", end, x.codes.Len())
	}
	if x.directory.Starts == nil {
		return nil
	}
	next, n := slices.Clone(x.directory.Starts), x.seeds.Len()/x.width
	for i, start := range next {
		if i > 0 && start < next[i-1] || int64(start) > int64(n) {
			return x.seeds.Corruptf(0, "slot %d begins at seed %d of %d", i, start, n)
		}
	}
	wrong := -1
	for doc := range x.ends.Len() {
		codes := x.Codes(uint32(doc)) // checked above
		eachSeed(codes, func(at int, gram uint32) {
			slot := uint64(gram) >> x.directory.Shift
			i := int(next[slot])
			if next[slot]++; i >= int(x.directory.Starts[slot+1]) || wrong >= 0 {
				wrong = min(i, n-1)
				return
			}
			if bits, of := x.seed(x.seeds.All[i*x.width:]); bits != surroundings(codes, at) || of != uint32(doc) {
				wrong = i
			}
		})
	}
	if next = next[:len(next)-1]; wrong < 0 && !slices.Equal(next, x.directory.Starts[1:]) {
		wrong = 0
	}
	if wrong >= 0 {
		return x.seeds.Corruptf(uint64(wrong*x.width), "seed %d is not one of the codes", wrong)
	}
	return nil
}

// seed returns what a seed has: bits of its surroundings, and the number of the document.
func (x *Index) seed(entry []byte) (bits uint16, doc uint32) {
	doc = uint32(entry[2]) | uint32(entry[3])<<8
	for j := 4; j < x.width; j++ {
		doc |= uint32(entry[j]) << (8 * (j - 2))
	}
	return binary.LittleEndian.Uint16(entry), doc
}

// Stats say how much a search has looked at.
type Stats struct {
	Seeds      int // of the query
	Entries    int // seeds of documents
	Candidates int // documents whose codes were compared
}

// Add adds o to s.
func (s *Stats) Add(o Stats) {
	s.Seeds, s.Entries, s.Candidates = s.Seeds+o.Seeds, s.Entries+o.Entries, s.Candidates+o.Candidates
}

// Leads appends the documents to dst, in order, that may have a run of six words of q: all documents that share a
// passage with it are among them. Sharing says of most others that they do not.
func (x *Index) Leads(dst []uint32, q *Query) ([]uint32, Stats) {
	q.seek()
	stats := Stats{Seeds: len(q.seeds)}
	n := len(dst)
	if x.directory.Starts == nil || q.codes.run < seededRun {
		for doc := range x.ends.Len() {
			dst = append(dst, uint32(doc))
		}
	} else {
		for i := range q.seeds {
			dst = x.lookUp(dst, &q.seeds[i], &stats)
		}
		ints.SortFew32(dst[n:], uint32(x.ends.Len()), &q.scratch)
	}
	dst = dst[:n+len(slices.Compact(dst[n:]))]
	stats.Candidates = len(dst) - n
	return dst, stats
}

// Sharing returns those of docs whose codes have a passage of q, in the memory of docs.
func (x *Index) Sharing(q *Query, docs []uint32) []uint32 {
	return slices.DeleteFunc(docs, func(doc uint32) bool { return !x.Shares(q, doc) })
}

// Shares reports whether the codes of a document have a passage of q. If they have none, its text has none; if they
// have one, few texts have none.
func (x *Index) Shares(q *Query, doc uint32) bool {
	q.seek()
	codes := x.Codes(doc)
	return q.grams.maybe(codes) && q.codes.mayHave(codes)
}

// lookUp appends the documents that may have a run of six words of the query with a seed.
func (x *Index) lookUp(dst []uint32, s *sought, stats *Stats) []uint32 {
	at := x.directory.Slot(uint64(s.gram))
	x.directory.Check(at, at)
	width := x.width
	lo, hi, ok := x.directory.Entries(at, at, x.seeds.Len()/width)
	if !ok {
		panic(x.directory.Bad(at, at, x.seeds.Len()/width))
	}
	entries := x.seeds.Range(uint64(lo*width), uint64(hi*width))
	stats.Entries += hi - lo
	before := len(dst)
	for ; len(entries) > 0; entries = entries[width:] {
		if !s.agrees(binary.LittleEndian.Uint16(entries)) {
			continue
		}
		_, doc := x.seed(entries)
		if int64(doc) >= int64(x.ends.Len()) {
			panic(x.seeds.Corruptf(uint64(lo*width), "a seed is of document %d of %d", doc, x.ends.Len()))
		}
		if len(dst) == before || dst[len(dst)-1] != doc { // a document that repeats words has a seed many times
			dst = append(dst, doc)
		}
	}
	return dst
}

// InMemory returns an index of documents by their codes.
func InMemory(codes [][]uint8) (*Index, error) {
	var file bytes.Buffer
	w := section.NewWriter(&file)
	err := Write(w, len(codes), func(do func(int, []uint8) error) error {
		for doc, c := range codes {
			if err := do(doc, c); err != nil {
				return err
			}
		}
		return nil
	}, 0)
	if _, _, closed := w.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	f, err := section.Parse("", file.Bytes())
	if err != nil {
		return nil, err
	}
	return Load(f, uint64(len(codes))), nil
}
