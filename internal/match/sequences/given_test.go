package sequences

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// givenSimply returns of each text which words lie in passages that many submissions have, as Given.Of does.
func givenSimply(class [][]ClassText, gram, least, many int, base map[string]bool) (masks [][][]bool, copiers int) {
	without := make([]bool, len(class))
	for range 2 {
		having := map[string]map[int]bool{}
		each := func(do func(i, k, at int, key string)) {
			for i, texts := range class {
				for k, text := range texts {
					for at := 0; at+gram <= len(text.Words) && len(text.Words) >= least; at++ {
						do(i, k, at, fmt.Sprint(text.Words[at:at+gram]))
					}
				}
			}
		}
		each(func(i, _, _ int, key string) {
			if having[key] == nil {
				having[key] = map[int]bool{}
			}
			having[key][i] = !without[i]
		})
		masks = nil
		for _, texts := range class {
			masks = append(masks, nil)
			for _, text := range texts {
				masks[len(masks)-1] = append(masks[len(masks)-1], make([]bool, len(text.Words)+1))
			}
		}
		each(func(i, k, at int, key string) {
			n := 0
			for _, counts := range having[key] {
				if counts {
					n++
				}
			}
			masks[i][k][at] = n >= many && !base[key]
		})
		copiers = 0
		for i, texts := range masks {
			words, all := 0, 0
			for k, starts := range texts {
				mask := make([]bool, len(class[i][k].Words))
				for from := 0; from < len(mask); from++ {
					to := from
					for starts[to] {
						to++
					}
					different := map[string]bool{}
					for at := from; at < to; at++ {
						different[fmt.Sprint(class[i][k].Words[at:at+gram])] = true
					}
					if n := to - from + gram - 1; to > from && n >= least && 2*len(different) >= to-from {
						Mark(mask, [2]int{from, from + n})
						words += n
					}
					from = to
				}
				texts[k], all = mask, all+len(mask)
			}
			if 2*words > all && !without[i] {
				without[i] = true
			}
			if without[i] {
				copiers++
			}
		}
	}
	return masks, copiers
}

// Given finds what many submissions have, as counting all sequences does.
func TestGiven(t *testing.T) {
	r := rand.New(rand.NewPCG(59, 1))
	some := 0
	for range 150 {
		words := func(n int) (all []uint64) {
			for range n {
				all = append(all, r.Uint64N(1<<(2+r.Uint64N(30))))
			}
			return all
		}
		passages := [][]uint64{words(20 + r.IntN(30)), words(20 + r.IntN(30)), words(10)}
		class := make([][]ClassText, 2+r.IntN(12))
		for i := range class {
			for range 1 + r.IntN(2) {
				var text []uint64
				for range r.IntN(4) {
					text = append(append(text, words(r.IntN(40))...), passages[r.IntN(len(passages))]...)
				}
				class[i] = append(class[i], ClassText{Words: text})
			}
		}
		gram, least, several := 2+r.IntN(4), 6+r.IntN(10), 2+r.IntN(3)
		many := several + r.IntN(3)
		var base [][]uint64
		known := map[string]bool{}
		if r.IntN(3) == 0 {
			base = append(base, passages[0])
			for at := 0; at+gram <= len(passages[0]); at++ {
				known[fmt.Sprint(passages[0][at:at+gram])] = true
			}
		}
		want, whole := givenSimply(class, gram, least, many, known)
		var got [][][]bool
		for _, texts := range class {
			got = append(got, nil)
			for _, text := range texts {
				got[len(got)-1] = append(got[len(got)-1], make([]bool, len(text.Words)))
			}
		}
		found, copiers := NewGiven(class, gram, least, several, base).Of(many, false)
		for _, p := range found {
			Mark(got[p.Submission][p.Text], p.Words)
			if some++; p.Having < many {
				t.Errorf("%+v of %d", p, many)
			}
		}
		if !reflect.DeepEqual(got, want) || copiers != whole {
			t.Fatalf("%d of %d, sequences of %d, %d copiers, want %d: %v, want %v", many, len(class), gram, copiers, whole, got, want)
		}
	}
	if some < 50 {
		t.Errorf("only %d passages", some)
	}
}
