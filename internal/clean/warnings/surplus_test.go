package warnings

import (
	"fmt"
	"slices"
	"testing"

	"github.com/spaolacci/murmur3"
)

// wordSets are sets of words.
type wordSets [][]string

func (s wordSets) Features(dst []uint64, set uint32) ([]uint64, int) {
	for _, w := range s[set] {
		dst = append(dst, murmur3.Sum64([]byte(w)))
	}
	slices.Sort(dst)
	return slices.Compact(dst), 0
}

// What several groups add is boilerplate, and what one adds is not.
func TestAddBoilerplate(t *testing.T) {
	t.Parallel()
	var sets wordSets
	var sizes, lengths []uint32
	type pair struct{ a, b uint32 }
	var pairs []pair
	add := func(words ...string) uint32 {
		sets, sizes, lengths = append(sets, words), append(sizes, uint32(len(words))), append(lengths, uint32(8*len(words)))
		return uint32(len(sets) - 1)
	}
	var want []bool
	for group := range 4 {
		var text []string
		for i := range 20 {
			text = append(text, fmt.Sprint("text", group, "-", i))
		}
		a := add(text...)
		for more, boilerplate := range map[string]bool{"more": true, fmt.Sprint("own", group): false} {
			b := add(append(slices.Clone(text), more)...)
			pairs = append(pairs, pair{b, a})
			for len(want) < len(sets) {
				want = append(want, false)
			}
			want[b] = boilerplate
		}
	}
	got, err := AddBoilerplate(sets, sizes, lengths, func(do func(a, b uint32, similarity float64) error) error {
		for _, p := range pairs {
			if err := do(p.a, p.b, 20.0/21); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
}
