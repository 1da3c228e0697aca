// Package spill sorts more integers than memory should hold, by way of temporary files.
//
// Keys that exceed the limit are sorted and written as a run. All runs lie one behind the other in
// one file, and are merged a bounded number at a time, in several passes where there are many: so
// neither the open files nor the buffers grow with the number of keys.
package spill

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"simsearch/internal/disk"
	"simsearch/internal/radix"
)

// A Sorter collects 64-bit keys and yields them in ascending order. Its methods may be
// called from any goroutine until Sorted is. After an error of Add or Sorted only Close is of
// use. Close removes its files.
type Sorter struct {
	fs    disk.FS
	dir   string
	limit int

	mu      sync.Mutex
	keys    []uint64 // guarded by mu, as all below
	scratch []uint64 // of the sort
	runs    *runs    // nil until memory is full
	spilled int
}

// New returns a Sorter that holds at most limit keys, of 16 bytes, in memory, all if limit
// is 0; the others are in files of fsys in dir, or in the system's directory for temporary
// files if dir is empty. Its buffers fit the same memory.
func New(fsys disk.FS, dir string, limit int) *Sorter {
	return &Sorter{fs: fsys, dir: dir, limit: limit}
}

// temporary returns a new file for runs; all files of the package come from here.
func (s *Sorter) temporary() (disk.File, error) {
	f, err := s.fs.CreateTemp(s.dir)
	if err != nil {
		return nil, fmt.Errorf("spilling to disk, as memory is limited: %w", err)
	}
	return f, nil
}

// Add adds keys, which it does not keep. The error is of the file system.
func (s *Sorter) Add(keys []uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit == 0 {
		s.keys = append(s.keys, keys...)
		return nil
	}
	for len(keys) > 0 {
		n := min(len(keys), s.limit-len(s.keys))
		s.grow(len(s.keys) + n)
		s.keys, keys = append(s.keys, keys[:n]...), keys[n:]
		if len(s.keys) < s.limit {
			break
		}
		if err := s.spill(); err != nil {
			return err
		}
	}
	return nil
}

// grow makes room for n keys in all, at most limit, and never for more than that.
func (s *Sorter) grow(n int) {
	if n > cap(s.keys) {
		more := make([]uint64, len(s.keys), min(s.limit, max(n, 2*cap(s.keys))))
		copy(more, s.keys)
		s.keys = more
	}
}

func (s *Sorter) sort() {
	if len(s.scratch) < len(s.keys) {
		s.scratch = make([]uint64, len(s.keys))
	}
	radix.Sort(s.keys, s.scratch[:len(s.keys)])
}

// spill writes the keys to a run and forgets them.
func (s *Sorter) spill() error {
	if s.runs == nil {
		f, err := s.temporary()
		if err != nil {
			return err
		}
		_, buffer := plan(s.limit)
		s.runs = newRuns(f, buffer)
	}
	s.sort()
	for _, x := range s.keys {
		if err := s.runs.add(x); err != nil {
			return err
		}
	}
	s.runs.end()
	s.spilled++
	s.keys = s.keys[:0]
	return nil
}

// Sorted yields all keys in ascending order; it ends at the first error, of ctx or of the file
// system. It may be called once, when nothing is added any more.
func (s *Sorter) Sorted(ctx context.Context) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		sources, err := s.sources(ctx)
		if err != nil {
			yield(0, err)
			return
		}
		for x, err := range merged(ctx, sources) {
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// sources returns what the last merge reads: the keys in memory, or runs that are few.
func (s *Sorter) sources(ctx context.Context) ([]*source, error) {
	if s.runs == nil {
		s.sort()
		return []*source{{keys: s.keys}}, nil
	}
	if len(s.keys) > 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
	}
	s.keys, s.scratch = nil, nil // their memory goes to the buffers
	fanIn, buffer := plan(s.limit)
	for len(s.runs.ends) > fanIn {
		if err := s.pass(ctx, fanIn, buffer); err != nil {
			return nil, err
		}
	}
	return s.runs.sources(0, len(s.runs.ends), buffer)
}

// pass merges each fanIn runs into one, in another file.
func (s *Sorter) pass(ctx context.Context, fanIn, buffer int) (err error) {
	f, err := s.temporary()
	if err != nil {
		return err
	}
	from := s.runs
	into := newRuns(f, buffer)
	s.runs = into // to be closed whatever happens
	defer func() { err = errors.Join(err, from.close()) }()
	for lo := 0; lo < len(from.ends); lo += fanIn {
		sources, err := from.sources(lo, min(lo+fanIn, len(from.ends)), buffer)
		if err != nil {
			return err
		}
		for x, err := range merged(ctx, sources) {
			if err == nil {
				err = into.add(x)
			}
			if err != nil {
				return err
			}
		}
		into.end()
	}
	return nil
}

// Spilled returns how many runs the keys have filled.
func (s *Sorter) Spilled() int { return s.spilled }

// Close removes the files. The error is of the file system.
func (s *Sorter) Close() error {
	runs := s.runs
	s.runs, s.keys, s.scratch = nil, nil, nil
	if runs == nil {
		return nil
	}
	return runs.close()
}
