package steps

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
)

// secPairs is the section of the pairs of a part, ascending, of pairWords words each.
const secPairs, pairWords = "pairs", 3

// A pair is two near sets, as setID returns them, the lesser one first; and how many features they share, or the distance of the
// fingerprints in bits.
type pair [pairWords]uint64

func comparePairs(a, b *pair) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// A pairSorter sorts pairs. Those beyond hold are in temporary files, each of which is sorted.
type pairSorter struct {
	fs    disk.FS
	temp  string
	hold  int // at least one
	n     int
	pairs []pair
	runs  []*spill.Lists
}

func (s *pairSorter) add(p pair) error {
	if s.n++; len(s.pairs) >= s.hold {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.pairs = append(s.pairs, p)
	return nil
}

func (s *pairSorter) sort() {
	slices.SortFunc(s.pairs, func(a, b pair) int { return comparePairs(&a, &b) })
}

// spill writes the pairs in memory to a file.
func (s *pairSorter) spill() error {
	s.sort()
	run := &spill.Lists{Bytes: spill.NewBytes(s.fs, s.temp, 1)}
	s.runs = append(s.runs, run)
	for i := range s.pairs {
		if run.Add(s.pairs[i][:]); i%spillAtOnce == spillAtOnce-1 || i == len(s.pairs)-1 {
			if err := run.Flush(); err != nil {
				return err
			}
		}
	}
	s.pairs = s.pairs[:0]
	return nil
}

// spillAtOnce is how many pairs are written at a time.
const spillAtOnce = 1 << 12

// each calls do with each pair, in their order. Nothing may be added afterwards.
func (s *pairSorter) each(do func(p *pair)) error {
	s.sort()
	type source struct {
		next pair
		read func(p *pair) error // io.EOF if there is none
	}
	at := -1
	sources := []*source{{read: func(p *pair) error {
		if at++; at == len(s.pairs) {
			return io.EOF
		}
		*p = s.pairs[at]
		return nil
	}}}
	for _, run := range s.runs {
		from := bufio.NewReader(run.Reader())
		sources = append(sources, &source{read: func(p *pair) error { return binary.Read(from, binary.LittleEndian, p[:]) }})
	}
	var err error
	ended := func(of *source) bool {
		e := of.read(&of.next)
		if e != nil && !errors.Is(e, io.EOF) {
			err = e
		}
		return e != nil
	}
	sources = slices.DeleteFunc(sources, ended)
	n := 0
	for ; len(sources) > 0 && err == nil; n++ {
		least := slices.MinFunc(sources, func(a, b *source) int { return comparePairs(&a.next, &b.next) })
		if do(&least.next); ended(least) {
			sources = slices.DeleteFunc(sources, func(of *source) bool { return of == least })
		}
	}
	if err == nil && n < s.n {
		err = spill.ErrCut
	}
	return err
}

func (s *pairSorter) close() error {
	var errs []error
	for _, run := range s.runs {
		errs = append(errs, run.Close())
	}
	return errors.Join(errs...)
}
