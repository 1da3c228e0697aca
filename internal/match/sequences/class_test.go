package sequences

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// made returns submissions of a few texts each, some of which have parts of others, with words changed, left out,
// added and moved.
func made(r *rand.Rand, submissions, vocabulary int) (all [][]ClassText) {
	word := func() uint64 { return uint64(r.IntN(vocabulary)) * 0x9e3779b97f4a7c15 }
	for range submissions {
		var texts []ClassText
		for range 1 + r.IntN(3) {
			var words []uint64
			for range 1 + r.IntN(4) {
				if len(all) > 0 && r.IntN(2) == 0 {
					of := all[r.IntN(len(all))]
					from := of[r.IntN(len(of))].Words
					at := r.IntN(len(from) + 1)
					for _, w := range from[at:min(len(from), at+r.IntN(60))] {
						switch r.IntN(12) {
						case 0:
							words = append(words, word())
						case 1:
							words = append(words, w, word())
						case 2:
						default:
							words = append(words, w)
						}
					}
				}
				for range r.IntN(20) {
					words = append(words, word())
				}
			}
			stop := make([]bool, len(words))
			for i, w := range words {
				stop[i] = w%5 == 0
			}
			texts = append(texts, ClassText{words, stop})
		}
		all = append(all, texts)
	}
	return all
}

// A Finder finds what comparing each word with each does, and asks with bounds that hold.
func TestClassAgainstReference(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 59))
	some := 0
	for round := range 200 {
		vocabulary := []int{400, 4000}[round%2]
		all := made(r, 2+r.IntN(10), vocabulary)
		base := [][]uint64{all[0][0].Words[:len(all[0][0].Words)/2]}
		c := NewClass(all, 1+r.IntN(4), base[:r.IntN(2)], nil)
		f := c.NewFinder()
		for a := range all {
			asked := map[int]Shared{}
			found := f.Of(a, func(s *Shared) bool { asked[s.Other] = *s; return true })
			for b := a + 1; b < len(all); b++ {
				want := c.classReference(a, b)
				i := slices.IndexFunc(found, func(s Shared) bool { return s.Other == b })
				if i < 0 {
					if want.Heaviest > 0 {
						t.Fatalf("round %d: %d and %d share %+v, which is not found", round, a, b, want)
					}
					continue
				}
				some++
				if most := asked[b]; !reflect.DeepEqual(found[i], want) || most.Heaviest < want.Heaviest || most.Distinct < want.Distinct || most.Shares[0] < want.Shares[0] || most.Shares[1] < want.Shares[1] {
					t.Fatalf("round %d: %d and %d share\n%+v, want\n%+v, at most %+v", round, a, b, found[i], want, most)
				}
				checkPassages(t, all, a, found[i])
			}
		}
	}
	if some < 1000 {
		t.Errorf("%d pairs share something", some)
	}
}

// checkPassages checks that passages lie in texts, and that words of one passage are in no other.
func checkPassages(t *testing.T, all [][]ClassText, a int, s Shared) {
	t.Helper()
	known := map[[3]int]bool{}
	for _, p := range s.Passages {
		for side, span := range [][2]int{p.Query, p.Document} {
			words := all[[]int{a, s.Other}[side]][p.Texts[side]].Words
			if span[0] < 0 || span[1] <= span[0] || span[1] > len(words) {
				t.Fatalf("words %v of a text of %d", span, len(words))
			}
			known[[3]int{side, p.Texts[side], span[0]}] = true
		}
		if p.Edits < 0 || p.Edits >= p.Words {
			t.Fatalf("%d words, %d edits", p.Words, p.Edits)
		}
	}
	if len(known) != 2*len(s.Passages) {
		t.Fatalf("two passages begin at one word: %+v", s.Passages)
	}
}

func wordsOf(from, n int) (words []uint64) {
	for i := range n {
		words = append(words, uint64(from+i)*0x9e3779b97f4a7c15)
	}
	return words
}

func TestSharesOfClass(t *testing.T) {
	t.Parallel()
	// Of 100 words, 40 in the middle are those of another text, two of them changed; a third has nothing.
	copied := slices.Concat(wordsOf(5000, 30), wordsOf(1020, 40), wordsOf(6000, 30))
	copied[45], copied[55] = 1, 2
	all := [][]ClassText{{{Words: wordsOf(1000, 100)}}, {{Words: copied}}, {{Words: wordsOf(9000, 100)}}}
	found := NewClass(all, 2, nil, nil).NewFinder().Of(0, func(*Shared) bool { return true })
	want := Shared{Other: 1, Shares: [2]float64{.38, .38}, Heaviest: 38 - .2, Distinct: 35,
		Passages: []inClass{{Passage: Passage{Query: [2]int{20, 60}, Document: [2]int{30, 70}, Words: 40, Edits: 2}}}}
	if len(found) != 1 || !reflect.DeepEqual(found[0], want) {
		t.Errorf("found %+v, want %+v", found, want)
	}
	// The base has the first half of what they share.
	c := NewClass(all, 2, [][]uint64{wordsOf(1000, 45)}, nil)
	found = c.NewFinder().Of(0, func(*Shared) bool { return true })
	if len(found) != 1 || found[0].Passages[0].Query != [2]int{46, 60} || math.Abs(found[0].Heaviest-14) > 1 {
		t.Errorf("with a base: %+v", found)
	}
	if b := c.Base(0, 0, 100); slices.Index(b, false) != 45 || slices.Contains(b[45:], true) {
		t.Errorf("the base has %v", b)
	}
	// Two passages that are far from each other are two, and so are those of two texts.
	apart := [][]ClassText{{{Words: wordsOf(0, 20)}, {Words: wordsOf(20, 20)}}, {{Words: slices.Concat(wordsOf(0, 10), wordsOf(70, 30), wordsOf(10, 30))}}}
	found = NewClass(apart, 2, nil, nil).NewFinder().Of(0, func(*Shared) bool { return true })
	if len(found) != 1 || len(found[0].Passages) != 3 || found[0].Passages[2].Texts != [2]int{1, 0} {
		t.Errorf("apart: %+v", found)
	}
}

func TestCosines(t *testing.T) {
	t.Parallel()
	// 3 is in all, so that it weighs least: log(5/4)/log(5/2).
	b := NewBags([][]uint64{{1, 2, 3}, {2, 1, 3}, {3, 7, 7, 7, 7}, {3}, nil}[:4])
	w := math.Log(5./4) / math.Log(5./2)
	one := 2 + w*w
	for _, tt := range []struct {
		x, y int
		want float64
	}{{0, 1, 1}, {0, 2, w * w / math.Sqrt(one) / math.Sqrt(4+w*w)}, {2, 2, 1}, {0, 3, w / math.Sqrt(one)}} {
		if got := b.Cosine(tt.x, tt.y); math.Abs(got-tt.want) > 1e-12 || got != b.Cosine(tt.y, tt.x) {
			t.Errorf("the cosine of %d and %d is %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
	if got := NewBags([][]uint64{nil, {1}}).Cosine(0, 1); got != 0 {
		t.Errorf("the cosine of nothing is %v", got)
	}
}
