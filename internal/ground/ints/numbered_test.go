package ints

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// Several goroutines add what one would.
func TestAddAtOnce(t *testing.T) {
	s, want := NewNumberedSet(10_000), NewNumberedSet(10_000)
	var adding sync.WaitGroup
	for from := range uint32(4) {
		for x := from; x < 10_000; x += 3 + from {
			want.Add(x)
		}
		adding.Go(func() {
			for x := from; x < 10_000; x += 3 + from {
				s.AddAtOnce(x)
			}
		})
	}
	adding.Wait()
	if s.Index() != want.Index() || !slices.Equal(s, want) {
		t.Error("other members")
	}
}

// Members are numbered as they are counted one after the other.
func TestNumberedSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, bound := range []int{1, 63, 64, blockMembers - 1, blockMembers, blockMembers + 1, 10_000} {
		for _, one := range []int{1, 2, 50} {
			s, is := NewNumberedSet(bound), make([]bool, bound)
			for x := range is {
				if is[x] = rng.IntN(one) == 0; is[x] && (!s.Add(uint32(x)) || s.Add(uint32(x))) {
					t.Fatalf("%d is not new once", x)
				}
			}
			all, n := s.Index(), uint32(0)
			for x := range is {
				number, ok := s.Number(uint32(x))
				if ok != is[x] || ok && number != n || s.Has(uint32(x)) != ok || s.Before(uint32(x)) != n {
					t.Fatalf("bound %d, one in %d: %d has number %d, %v; want %d, %v; before are %d", bound, one, x, number, ok, n, is[x], s.Before(uint32(x)))
				}
				if word := *s.Word(x / 64); word>>(x%64)&1 == 1 != ok {
					t.Fatalf("bound %d: word %d is %x", bound, x/64, word)
				}
				if ok {
					n++
				}
			}
			if int(n) != all {
				t.Fatalf("bound %d, one in %d: %d members, want %d", bound, one, all, n)
			}
		}
	}
}
