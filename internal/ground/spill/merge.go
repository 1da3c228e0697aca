package spill

import (
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
)

const (
	keySize = 8  // bytes in a file
	held    = 16 // bytes of memory for a key while it is sorted

	// maxBuffer is the size in bytes of a buffer beyond which more gains nothing.
	maxBuffer = 256 << 10
	// lookEvery is the number of keys after which a merge looks at its context.
	lookEvery = 1 << 16
)

// bufferOf returns the size in bytes of the buffer of each of a number of runs. All buffers fit the memory of limit
// keys, unless there are so many runs that it has no room for two keys of each.
func bufferOf(limit, runs int) int {
	return min(max(keySize, held*limit/max(1, runs)), maxBuffer) / keySize * keySize
}

// merged yields the keys of all runs in ascending order. It ends with the first error, of ctx or of a run.
func merged(ctx context.Context, all []*run) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		var some runs
		for _, r := range all {
			ok, err := r.advance()
			if err != nil {
				yield(0, err)
				return
			}
			if ok {
				some = append(some, r)
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

// A run yields sorted keys of a file.
type run struct {
	file   *io.SectionReader
	left   int64 // the number of keys that have not been read
	buffer []byte
	some   []byte // the bytes of the buffer that have not been used

	next uint64
}

// advance reads the next key into next, and reports whether there was one.
func (r *run) advance() (bool, error) {
	if len(r.some) == 0 {
		if r.left == 0 {
			return false, nil
		}
		n := min(r.left, int64(len(r.buffer)/keySize))
		r.some, r.left = r.buffer[:n*keySize], r.left-n
		switch _, err := io.ReadFull(r.file, r.some); {
		case errors.Is(err, io.EOF): // the file has been truncated
			return false, io.ErrUnexpectedEOF
		case err != nil:
			return false, err
		}
	}
	r.next, r.some = binary.NativeEndian.Uint64(r.some), r.some[keySize:]
	return true, nil
}

// runs is a heap, ordered by next.
type runs []*run

func (s runs) Len() int           { return len(s) }
func (s runs) Less(i, j int) bool { return s[i].next < s[j].next }
func (s runs) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *runs) Push(x any)        { *s = append(*s, x.(*run)) }
func (s *runs) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
