package fingerprint

import (
	"encoding/binary"
	"math/bits"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
)

// Weights are fixed-point numbers, and their logarithms are logarithms of integers, by repeated squaring.
// No processor rounds them otherwise.

// An IDF weighs features by how rare they are in a collection: by the inverse document frequency of
// Spärck Jones, smoothed, in fixed point. It is immutable and safe for concurrent use.
//
// A feature that df of N documents have weighs 1 + log2((N+1)/(df+1)). That is at least 1, and largest
// for a feature that no document has. Features are identified by their 64-bit hashes. The weights do not
// depend on the order of the documents.
//
// Source: K. Spärck Jones, "A statistical interpretation of term specificity and its application in
// retrieval", Journal of Documentation 28 (1972). Here one is added to both counts, so that a feature
// that was never seen has a weight.
type IDF struct {
	documents uint64
	bits      int                   // the number of first bits of a hash that identify a feature: below 64 if there were very many
	keys      section.Array[uint64] // ascending; the bits below these are 0
	weights   section.Array[uint32] // of each key
	directory ints.Directory        // of keys
	dirGuard  *section.Guard        // of its bytes
	unseen    uint32
}

// EmptyIDF returns the model of no documents: every feature weighs WeightOne.
func EmptyIDF() *IDF {
	m := &IDF{bits: 64}
	m.finish()
	return m
}

// weigh returns the weight of a feature that df documents have.
func (m *IDF) weigh(df uint64) uint32 {
	// Features that share a key may occur more often than there are documents.
	return WeightOne + log2(m.documents+1) - log2(min(df, m.documents)+1)
}

// finish sets the fields that follow from documents and keys.
func (m *IDF) finish() {
	m.unseen = m.weigh(0)
	m.directory = outline(m.keys.Len())
	m.directory.Build(m.keys.All)
}

// outline returns the directory of n keys, which is still to be filled.
func outline(n int) ints.Directory { return ints.OutlineDirectory(64, ints.DirectoryBits(n, 64, 0)) }

// Weights appends to dst the weight of each feature, at least WeightOne, and returns the extended slice.
// It allocates only to grow dst. The error is section.ErrCorrupt, which only loaded models return. Then
// dst is returned as it was.
func (m *IDF) Weights(dst []uint32, features []uint64) ([]uint32, error) {
	start := len(dst)
	mask := ^uint64(0) << (64 - m.bits)
	if !m.keys.Guard.Whole() || !m.weights.Guard.Whole() || !m.dirGuard.Whole() {
		for _, f := range features {
			if err := m.check(f & mask); err != nil {
				return dst, err
			}
		}
	}
	keys, weights, starts, shift := m.keys.All, m.weights.All, m.directory.Starts, m.directory.Shift
	for _, f := range features {
		f &= mask
		at := f >> shift
		weight := m.unseen
		lo, hi := starts[at], starts[at+1]
		if lo > hi || int(hi) > len(keys) {
			return dst[:start], m.directory.Bad(at, at, len(keys))
		}
		for i := lo; i < hi; i++ {
			if keys[i] == f {
				if weight = weights[i]; weight < WeightOne || weight > maxWeight {
					return dst[:start], m.weights.Corruptf(uint64(i), "feature %d weighs %d", i, weight)
				}
				break
			}
		}
		dst = append(dst, weight)
	}
	return dst, nil
}

// maxWeight is above the weight of any feature of fewer than 2^63 documents.
const maxWeight = 64 * WeightOne

// check checks the blocks of a loaded model on which the weight of feature f depends.
func (m *IDF) check(f uint64) error {
	at := m.directory.Slot(f)
	return section.DamageOf(func() {
		m.directory.Check(at, at)
		lo, hi, ok := m.directory.Entries(at, at, m.keys.Len())
		if !ok {
			panic(m.directory.Bad(at, at, m.keys.Len()))
		}
		m.keys.Check(uint64(lo), uint64(hi))
		m.weights.Check(uint64(lo), uint64(hi))
	})
}

// log2 returns the binary logarithm of x > 0 in fixed point with 16 fractional bits, rounded down. It
// uses integers only, so that all processors agree. Squaring a number in [1, 2) doubles its logarithm,
// the integer part of which is the next bit.
func log2(x uint64) uint32 {
	whole := bits.Len64(x) - 1
	y := x << (63 - whole) // in [1, 2), with 63 fractional bits
	result := uint32(whole)
	for range 16 {
		hi, lo := bits.Mul64(y, y) // with 126 fractional bits
		result <<= 1
		if hi>>63 != 0 {
			result |= 1
			y = hi
		} else {
			y = hi<<1 | lo>>63
		}
	}
	return result
}

// LogCount returns 1 + log2(n) in fixed point: the weight by LogTF of a feature that occurs n > 0
// times.
func LogCount(n uint32) uint32 { return WeightOne + log2(uint64(n)) }

// Names of the sections, as internal/ground/section/FORMAT.md lists them.
const (
	sectionCounts    = "idf.counts"
	sectionFeatures  = "idf.features"
	sectionWeights   = "idf.weights"
	sectionDirectory = "idf.directory"
)

// Write writes the sections of the model to w, which keeps the error.
func (m *IDF) Write(w *section.Writer) {
	w.Begin(sectionCounts)
	w.Uint64s([]uint64{m.documents, uint64(m.bits), uint64(m.keys.Len())})
	w.Begin(sectionFeatures)
	w.Uint64s(m.keys.All)
	w.Begin(sectionWeights)
	w.Uint32s(m.weights.All)
	w.Begin(sectionDirectory)
	w.Uint32s(m.directory.Starts)
}

// LoadIDF returns the model that Write put into f. It refers to the bytes of f, which must not change
// while the model is used. LoadIDF checks the sizes of all sections. Weights checks a block when it
// first uses it.
func LoadIDF(f *section.File) *IDF {
	head := f.Bytes(sectionCounts)
	if len(head) != 24 {
		panic(f.Corruptf(sectionCounts, 0, "counts of %d bytes, want 24", len(head)))
	}
	documents, resolved, n := binary.LittleEndian.Uint64(head), binary.LittleEndian.Uint64(head[8:]), binary.LittleEndian.Uint64(head[16:])
	if documents >= 1<<40 || resolved < 1 || resolved > 64 || n >= 1<<32 {
		panic(f.Corruptf(sectionCounts, 0, "%d features of %d bits in %d documents", n, resolved, documents))
	}
	m := &IDF{documents: documents, bits: int(resolved), directory: outline(int(n))}
	m.unseen = m.weigh(0)
	m.keys = section.Integers[uint64](f, sectionFeatures, n)
	m.weights = section.Integers[uint32](f, sectionWeights, n)
	starts := section.Integers[uint32](f, sectionDirectory, m.directory.Len())
	m.directory.Use(starts.All, starts.Guard)
	m.dirGuard = starts.Guard
	return m
}
