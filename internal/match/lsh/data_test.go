package lsh

import (
	"math/rand/v2"

	"simsearch/internal/ground/section"
	"simsearch/minhash"
)

// random returns n random signatures. Many of them are near copies of others: a copy keeps each position
// with a probability that is drawn for the copy.
func random(seed uint64, n, positions int) *Signatures {
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([]byte, 0, n*positions)
	for i := range n {
		from, keep := -1, 0.0
		if i > 0 && r.IntN(3) > 0 {
			from, keep = r.IntN(i), r.Float64()
		}
		for p := range positions {
			b := byte(r.Uint32())
			if from >= 0 && r.Float64() < keep {
				b = all[from*positions+p]
			}
			all = append(all, b)
		}
	}
	s := NewSignatures(positions, n)
	s.Add(all[:n/2*positions]) // signatures may be in several slices
	s.Add(all[n/2*positions:])
	return s
}

// sharing makes pairs of sets of a given similarity, and their signatures.
type sharing struct {
	sketcher minhash.Sketcher
	r        *rand.Rand
	buffer   []uint64
}

func newSharing(positions int, seed uint64) *sharing {
	return &sharing{sketcher: minhash.VariantFast.New(positions, seed), r: rand.New(rand.NewPCG(seed, 2))}
}

func (s *sharing) set(n int) []uint64 {
	xs := make([]uint64, n)
	for i := range xs {
		xs[i] = s.r.Uint64()
	}
	return xs
}

// like returns a set of the size of base that has about similarity j with it.
func (s *sharing) like(base []uint64, j float64) []uint64 {
	shared := int(2*j*float64(len(base))/(1+j) + 0.5)
	return append(append([]uint64{}, base[:shared]...), s.set(len(base)-shared)...)
}

func (s *sharing) signature(set []uint64) []byte {
	s.buffer = s.sketcher.Sketch(s.buffer[:0], set)
	return minhash.Pack(nil, s.buffer)
}

// agree reports whether two signatures agree on the first depth rows of some band.
func agree(x, y []byte, b Bands, depth int) bool {
	for i := range b.Bands {
		at := i * b.Rows
		if string(x[at:at+depth]) == string(y[at:at+depth]) {
			return true
		}
	}
	return false
}

// build returns the tables that Write writes.
func build(s *Signatures, b Bands) *Tables {
	t := &Tables{bands: b, positions: s.positions}
	for set := range uint32(s.Len()) {
		t.signatures.All = append(t.signatures.All, s.Of(set)...)
	}
	for i := range b.Bands {
		_, sets := s.sorted(b, i, nil)
		t.tables = append(t.tables, section.Checked(sets))
	}
	return t
}
