package keptsets

import (
	"math"
	"sync"
)

// Some are some of the sets of files, in an order of their own, by which they are numbered from 0. They are safe for concurrent use.
type Some struct {
	*Sets
	At      []uint32  // the number of each in the files
	scratch sync.Pool // of *Scratch
}

// Scan calls do with the features of each set, in order, until do returns an error. Features are valid until do returns.
func (s *Some) Scan(do func(i int, features []uint64) error) error {
	var memory Scratch
	var features []uint64
	for i, at := range s.At {
		features = s.Sets.Append(features[:0], at, &memory)
		if err := do(i, features); err != nil {
			return err
		}
	}
	return nil
}

// with calls do with memory for reading sets.
func (s *Some) with(do func(*Scratch)) {
	memory, _ := s.scratch.Get().(*Scratch)
	if memory == nil {
		memory = &Scratch{}
	}
	defer s.scratch.Put(memory)
	do(memory)
}

// Append appends the features of a set, ascending, and returns the extended slice.
func (s *Some) Append(dst []uint64, set uint32) []uint64 {
	s.with(func(memory *Scratch) { dst = s.Sets.Append(dst, s.At[set], memory) })
	return dst
}

// Features is Append, and returns how many features are left out: none.
func (s *Some) Features(dst []uint64, set uint32) (features []uint64, alone int) {
	return s.Append(dst, set), 0
}

// Shared returns how many features two sets share, and how many each has.
func (s *Some) Shared(a, b uint32) (shared, sizeA, sizeB int) {
	s.with(func(memory *Scratch) {
		s.with(func(other *Scratch) { shared, sizeA, sizeB = s.Sets.Shared(s.At[a], s.At[b], memory, other) })
	})
	return shared, sizeA, sizeB
}

// A List is near pairs as they are stored.
type List struct {
	At           float64  // the least similarity
	Pairs        []uint64 // the numbers of two sets, one in each half
	Similarities []uint64 // the bits of the similarity of each pair
}

// Add adds a pair.
func (l *List) Add(a, b uint32, similarity float64) {
	l.Pairs, l.Similarities = append(l.Pairs, uint64(a)<<32|uint64(b)), append(l.Similarities, math.Float64bits(similarity))
}

// Each calls do with each pair.
func (l *List) Each(do func(a, b uint32, similarity float64)) {
	for i, p := range l.Pairs {
		do(uint32(p>>32), uint32(p), math.Float64frombits(l.Similarities[i]))
	}
}
