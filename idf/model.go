package idf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"simsearch/internal/section"
)

// ErrCorrupt marks a model whose bytes contradict each other.
var ErrCorrupt = errors.New("idf: corrupt")

// A Model weighs features. It is immutable and safe for concurrent use.
type Model struct {
	check     func() error // what Verify does, once; nil where the model was learnt here
	documents uint64
	bits      int      // features are told apart by so many first bits of their hashes
	keys      []uint64 // ascending; the lower bits are 0
	weights   []uint32 // of each key
	directory []uint32 // keys whose dirBits first bits are x lie from directory[x] to directory[x+1]
	dirBits   int
	unseen    uint32
}

// Documents returns how many documents the model was learnt from.
func (m *Model) Documents() uint64 { return m.documents }

// Len returns how many features are told apart.
func (m *Model) Len() int { return len(m.keys) }

// Bits returns by how many bits of their hashes features are told apart: 64 if exactly.
func (m *Model) Bits() int { return m.bits }

// weigh returns the weight of a feature that df documents have.
func (m *Model) weigh(df uint64) uint32 {
	// Features counted together may occur more often than there are documents.
	return One + log2(m.documents+1) - log2(min(df, m.documents)+1)
}

// finish derives what follows from documents and keys.
func (m *Model) finish() {
	m.dirBits = directoryBits(len(m.keys))
	m.unseen = m.weigh(0)
	m.directory = make([]uint32, 1<<m.dirBits+1)
	for _, key := range m.keys {
		m.directory[key>>(64-m.dirBits)+1]++
	}
	for i := 1; i < len(m.directory); i++ {
		m.directory[i] += m.directory[i-1]
	}
}

func directoryBits(n int) int { return max(0, bits.Len(uint(n))-1) }

// Verify checks every byte of a loaded model the first time that it is called, and returns
// what was found then. Errors wrap ErrCorrupt or section.ErrCorrupt.
func (m *Model) Verify() error {
	if m.check == nil {
		return nil
	}
	return m.check()
}

// Weights appends to dst the weight of each feature, at least One, and returns the
// extended slice. It allocates only to grow dst. The error is that of Verify, with dst as it
// was.
func (m *Model) Weights(dst []uint32, features []uint64) ([]uint32, error) {
	if err := m.Verify(); err != nil {
		return dst, err
	}
	mask := ^uint64(0) << (64 - m.bits)
	for _, f := range features {
		f &= mask
		at := f >> (64 - m.dirBits)
		weight := m.unseen
		for i := m.directory[at]; i < m.directory[at+1]; i++ {
			if m.keys[i] == f {
				weight = m.weights[i]
				break
			}
		}
		dst = append(dst, weight)
	}
	return dst, nil
}

// log2 returns the binary logarithm of x > 0 in fixed point with 16 bits behind the point,
// rounded down. It is of integers alone, so that all processors agree: squaring a number
// in [1, 2) doubles its logarithm, and shows the next bit.
func log2(x uint64) uint32 {
	whole := bits.Len64(x) - 1
	y := x << (63 - whole) // in [1, 2), 63 bits behind the point
	result := uint32(whole)
	for range 16 {
		hi, lo := bits.Mul64(y, y) // 126 bits behind the point
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

// LogCount returns 1 + log2(n) in fixed point, the weight of a feature that occurs n > 0
// times where repetition is to count less and less.
func LogCount(n uint32) uint32 { return One + log2(uint64(n)) }

// Names of the sections, as docs/FORMAT.md lists them.
const (
	sectionCounts    = "idf.counts"
	sectionFeatures  = "idf.features"
	sectionWeights   = "idf.weights"
	sectionDirectory = "idf.directory"
)

// Write writes the sections of the model; w keeps the error.
func (m *Model) Write(w *section.Writer) {
	w.Begin(sectionCounts)
	w.Uint64s([]uint64{m.documents, uint64(m.bits), uint64(len(m.keys))})
	w.Begin(sectionFeatures)
	w.Uint64s(m.keys)
	w.Begin(sectionWeights)
	w.Uint32s(m.weights)
	w.Begin(sectionDirectory)
	w.Uint32s(m.directory)
}

// Load returns the model that Write put into f, without copying it: f's bytes must stay as they
// are while the model is used. It checks the shape of everything; the contents are checked by
// Verify, which Weights calls. Errors wrap ErrCorrupt or section.ErrCorrupt.
func Load(f *section.File) (*Model, error) {
	head, err := f.Checked(sectionCounts)
	if err != nil {
		return nil, err
	}
	if len(head) != 24 {
		return nil, fmt.Errorf("%w: counts of %d bytes, want 24", ErrCorrupt, len(head))
	}
	documents, resolved, n := binary.LittleEndian.Uint64(head), binary.LittleEndian.Uint64(head[8:]), binary.LittleEndian.Uint64(head[16:])
	if documents >= 1<<40 || resolved < 1 || resolved > 64 || n >= 1<<32 {
		return nil, fmt.Errorf("%w: %d features of %d bits in %d documents", ErrCorrupt, n, resolved, documents)
	}
	m := &Model{documents: documents, bits: int(resolved), dirBits: directoryBits(int(n))}
	m.unseen = m.weigh(0)
	if m.keys, err = f.Uint64s(sectionFeatures, n); err != nil {
		return nil, err
	}
	if m.weights, err = f.Uint32s(sectionWeights, n); err != nil {
		return nil, err
	}
	if m.directory, err = f.Uint32s(sectionDirectory, 1<<m.dirBits+1); err != nil {
		return nil, err
	}
	m.check = sync.OnceValue(func() error {
		if err := f.Verify(); err != nil {
			return err
		}
		return m.checkContents()
	})
	return m, nil
}

// checkContents reports what would lead Weights astray.
func (m *Model) checkContents() error {
	for i, at := range m.directory {
		if uint64(at) > uint64(len(m.keys)) || i > 0 && at < m.directory[i-1] {
			return fmt.Errorf("%w: the directory leads to feature %d of %d", ErrCorrupt, at, len(m.keys))
		}
	}
	for i, w := range m.weights {
		if w < One || w > 64*One {
			return fmt.Errorf("%w: feature %d weighs %d", ErrCorrupt, i, w)
		}
	}
	return nil
}
