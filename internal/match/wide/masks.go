package wide

import (
	"math/bits"
	"sync"
)

// masks are all numbers of some bits, by how many bits are set.
type masks struct {
	all  []uint16
	ends []int // of those with no bit, one bit, and so on
}

// at returns those with d bits; none if d is too large.
func (m *masks) at(d int) []uint16 {
	switch {
	case d >= len(m.ends):
		return nil
	case d == 0:
		return m.all[:1]
	}
	return m.all[m.ends[d-1]:m.ends[d]]
}

var allMasks [blockBits + 1]func() *masks

func init() {
	for n := range allMasks {
		allMasks[n] = sync.OnceValue(func() *masks {
			m := &masks{all: make([]uint16, 0, 1<<n)}
			for d := range n + 1 {
				for x := range 1 << n {
					if bits.OnesCount(uint(x)) == d {
						m.all = append(m.all, uint16(x))
					}
				}
				m.ends = append(m.ends, len(m.all))
			}
			return m
		})
	}
}

// masksOf returns the masks of n bits, in [0, 16].
func masksOf(n int) *masks { return allMasks[n]() }
