package explain

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// paragraphs returns texts of 40 random words each.
func paragraphs(n int) (all []string) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range n {
		var words []string
		for range 40 {
			words = append(words, fmt.Sprintf("word%d", rng.IntN(10_000)))
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

func TestMoved(t *testing.T) {
	p := paragraphs(4)
	a := strings.Join(p, "\n")
	for _, c := range []struct {
		name  string
		order []int
		moved string
	}{
		{"as it is", []int{0, 1, 2, 3}, ""},
		{"the first comes last", []int{1, 2, 3, 0}, "0"},
		{"the last comes first", []int{3, 0, 1, 2}, "3"},
		{"one within", []int{0, 2, 3, 1}, "1"},
		{"two move", []int{2, 3, 0, 1}, "23"}, // of equally many, those stay that come first in A
		{"one is repeated", []int{0, 1, 0, 2, 3}, ""},
		{"one is gone", []int{0, 2, 3}, ""},
	} {
		var b []string
		for _, i := range c.order {
			b = append(b, p[i])
		}
		text := strings.Join(b, "\n")
		var moved string
		for _, m := range Moved(a, text) {
			passage := a[m.A[0]:m.A[1]]
			if passage != text[m.B[0]:m.B[1]] || m.Edits > 0 {
				t.Errorf("%s: %+v", c.name, m)
			}
			for i := range p {
				if strings.Contains(passage, p[i]) {
					moved += fmt.Sprint(i)
				}
			}
		}
		if moved != c.moved {
			t.Errorf("%s: %q has moved, want %q", c.name, moved, c.moved)
		}
	}
}
