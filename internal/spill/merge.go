package spill

import (
	"container/heap"
	"context"
	"iter"
)

// lookEvery is the number of keys after which a merge looks at its context.
const lookEvery = 1 << 16

// merged yields the keys of all sources in ascending order. It ends with the first error, of ctx or of a
// source.
func merged(ctx context.Context, all []*source) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		var some sources
		for _, m := range all {
			ok, err := m.advance()
			if err != nil {
				yield(0, err)
				return
			}
			if ok {
				some = append(some, m)
			}
		}
		heap.Init(&some)
		for n := 0; len(some) > 0; n++ {
			if n%lookEvery == 0 && ctx.Err() != nil {
				yield(0, context.Cause(ctx))
				return
			}
			if !yield(some[0].next, nil) {
				return
			}
			ok, err := some[0].advance()
			switch {
			case err != nil:
				yield(0, err)
				return
			case ok:
				heap.Fix(&some, 0)
			default:
				heap.Pop(&some)
			}
		}
	}
}

// sources is a heap, ordered by next.
type sources []*source

func (s sources) Len() int           { return len(s) }
func (s sources) Less(i, j int) bool { return s[i].next < s[j].next }
func (s sources) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *sources) Push(x any)        { *s = append(*s, x.(*source)) }
func (s *sources) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
