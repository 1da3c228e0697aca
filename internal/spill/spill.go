// Package spill sorts more integers than memory should hold, by way of temporary files.
package spill

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"

	"simsearch/internal/radix"
)

// bufferSize is the size of a buffer for a temporary file, in bytes.
const bufferSize = 256 << 10

// A Sorter collects 64-bit keys and yields them in ascending order. Its methods may be
// called from any goroutine until Sorted is. Close removes its files.
type Sorter struct {
	dir   string
	limit int

	mu   sync.Mutex
	keys []uint64   // guarded by mu
	runs []*os.File // sorted; guarded by mu
}

// New returns a Sorter that holds at most limit keys, of 16 bytes, in memory, all if limit
// is 0; the others are in files in dir, or in the system's directory for temporary files
// if dir is empty.
func New(dir string, limit int) *Sorter { return &Sorter{dir: dir, limit: limit} }

// Add adds keys, which it does not keep. The error is of the file system.
func (s *Sorter) Add(keys []uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, keys...)
	if s.limit == 0 || len(s.keys) < s.limit {
		return nil
	}
	return s.spill()
}

func (s *Sorter) sort() { radix.Sort(s.keys, make([]uint64, len(s.keys))) }

// spill writes the keys to a file and forgets them.
func (s *Sorter) spill() error {
	f, err := os.CreateTemp(s.dir, "simsearch-pairs-*")
	if err != nil {
		return fmt.Errorf("spilling to disk, as --memory demands: %w", err)
	}
	s.runs = append(s.runs, f)
	s.sort()
	w := bufio.NewWriterSize(f, bufferSize)
	var b [8]byte
	for _, x := range s.keys {
		binary.LittleEndian.PutUint64(b[:], x)
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	s.keys = s.keys[:0]
	return w.Flush()
}

// Sorted yields all keys in ascending order; it ends at the first error, of the file
// system. It may be called once, when nothing is added any more.
func (s *Sorter) Sorted() iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		s.sort()
		merge := sources{{keys: s.keys}}
		for _, f := range s.runs {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				yield(0, err)
				return
			}
			merge = append(merge, &source{file: bufio.NewReaderSize(f, bufferSize)})
		}
		some := merge[:0]
		for _, m := range merge {
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
		for len(some) > 0 {
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

// Spilled returns how many files the keys have filled.
func (s *Sorter) Spilled() int { return len(s.runs) }

// Close removes the files.
func (s *Sorter) Close() error {
	var err error
	for _, f := range s.runs {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	s.runs, s.keys = nil, nil
	return err
}

// A source yields sorted keys, from memory or from a file.
type source struct {
	keys []uint64
	file *bufio.Reader
	next uint64
}

// advance sets next and reports whether there was one more key.
func (m *source) advance() (bool, error) {
	if m.file == nil {
		if len(m.keys) == 0 {
			return false, nil
		}
		m.next, m.keys = m.keys[0], m.keys[1:]
		return true, nil
	}
	b, err := m.file.Peek(8)
	switch {
	case errors.Is(err, io.EOF) && len(b) == 0:
		return false, nil
	case errors.Is(err, io.EOF):
		return false, io.ErrUnexpectedEOF
	case err != nil:
		return false, err
	}
	m.next = binary.LittleEndian.Uint64(b)
	_, err = m.file.Discard(8)
	return true, err
}

// sources is a heap by next.
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
