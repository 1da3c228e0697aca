package prefix

import "slices"

// NoRank stands for no rank, or for any.
const NoRank = ^uint32(0)

// readEvery is the number of ranks after which a comparison looks whether enough can be shared.
const readEvery = 32

// Marks are some ranks, a bit for each.
type Marks []uint64

// NewMarks returns room for marks of ranks below a number, none of which is marked.
func NewMarks(ranks int) Marks { return make(Marks, (ranks+63)/64) }

// Grow makes room for ranks below a number. If there is less, it forgets all marks.
func (m *Marks) Grow(ranks int) {
	if 64*len(*m) < ranks {
		*m = NewMarks(ranks)
	}
}

// Mark marks ranks. Unmark takes away their marks and, for speed, those of their neighbours in a word.
func (m Marks) Mark(ranks []uint32) {
	for _, r := range ranks {
		m[r/64] |= 1 << (r % 64)
	}
}

// Unmark is described at Mark.
func (m Marks) Unmark(ranks []uint32) {
	for _, r := range ranks {
		m[r/64] = 0
	}
}

// Has reports whether a rank is marked.
func (m Marks) Has(rank uint32) bool { return m.of(rank) > 0 }

// of returns 1 if a rank is marked, and 0 otherwise.
func (m Marks) of(rank uint32) int { return int(m[rank/64] >> (rank % 64) & 1) }

// Shared returns how many of the ranks that d has not read are marked, or 0 if the first of them is not the wanted one,
// unless that is NoRank. None behind last is marked. If they are less than least, the answer is some such number. The
// error is errCoded.
func (m Marks) Shared(d *Decoder, wanted, last uint32, least int) (shared int, err error) {
	var ranks [readEvery]uint32
	for d.Ranks > 0 && shared+d.Ranks >= least && d.Next <= uint64(last) {
		some := ranks[:min(d.Ranks, readEvery)]
		if err := d.Read(some); err != nil {
			return 0, err
		}
		n := 0
		for _, r := range some {
			n += m.of(r)
		}
		if n > 0 && shared == 0 && wanted != NoRank && some[slices.IndexFunc(some, m.Has)] != wanted {
			return 0, nil
		}
		shared += n
	}
	return shared, nil
}
