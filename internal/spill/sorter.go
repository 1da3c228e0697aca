package spill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"

	"simsearch/internal/disk"
	"simsearch/internal/ints"
	"simsearch/internal/terminal"
)

// ErrSpace ends sorting if its temporary files would take more than a third of the free space of their disk. Merging them may
// take as much again, and there are other programs.
var ErrSpace = errors.New("temporary files would take more than a third of the free space of the disk")

// A Sorter collects 64-bit keys and yields them in ascending order. When there are as many keys as the limit allows, they are
// sorted and written as a run. All runs follow each other in one file. A bounded number of runs is merged at a time, in several
// passes if there are many runs. So neither the number of open files nor the buffers grow with the number of keys.
//
// A Sorter is safe for concurrent use until Sorted is called. After an error of Add or Sorted, only Close may be called. Close removes its files.
type Sorter struct {
	fs    disk.FS
	dir   string
	limit int

	mu      sync.Mutex
	keys    []uint64 // guarded by mu, as are the next fields
	scratch []uint64 // for sorting
	runs    *runs    // nil until the first run
	spilled int
	most    int64 // bytes of runs, or 0
}

// NewSorter returns a Sorter that holds at most limit keys in memory, in 16 bytes each, or all keys if limit is 0.
// Its buffers fit the same memory. The other keys are in temporary files of fsys in dir, or in the directory
// of the system if dir is empty.
func NewSorter(fsys disk.FS, dir string, limit int) *Sorter {
	return &Sorter{fs: fsys, dir: dir, limit: limit}
}

// freeIn is disk.Free, which tests replace.
var freeIn = disk.Free

// temporary returns a new file for runs. The package makes no other files.
func (s *Sorter) temporary() (disk.File, error) {
	f, err := s.fs.CreateTemp(s.dir)
	if err != nil {
		return nil, fmt.Errorf("spilling to disk, as memory is limited: %w", err)
	}
	return f, nil
}

// Add adds keys. It does not keep the slice. The error is of the file system.
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

// grow makes room for n keys altogether. n is at most limit, and so is the room.
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
	ints.Sort(s.keys, s.scratch[:len(s.keys)])
}

// spill writes the keys to a run and drops them.
func (s *Sorter) spill() error {
	if s.runs == nil {
		f, err := s.temporary()
		if err != nil {
			return err
		}
		if free, ok := freeIn(cmp.Or(s.dir, os.TempDir())); ok && s.fs == disk.OS {
			s.most = max(1, free/3)
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
	if n := s.runs.n * keySize; s.most > 0 && n > s.most {
		return fmt.Errorf("%w: they have %s", ErrSpace, terminal.Bytes(n))
	}
	s.spilled++
	s.keys = s.keys[:0]
	return nil
}

// Sorted yields all keys in ascending order. It ends with the first error, of ctx or of the file system. It
// may be called once, after the last Add.
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

// sources returns the sources of the last merge: the keys in memory, or a few runs.
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
	s.keys, s.scratch = nil, nil // the buffers take this memory
	fanIn, buffer := plan(s.limit)
	for len(s.runs.ends) > fanIn {
		if err := s.pass(ctx, fanIn, buffer); err != nil {
			return nil, err
		}
	}
	return s.runs.sources(0, len(s.runs.ends), buffer)
}

// pass merges every fanIn runs into one run of another file.
func (s *Sorter) pass(ctx context.Context, fanIn, buffer int) (err error) {
	f, err := s.temporary()
	if err != nil {
		return err
	}
	from := s.runs
	into := newRuns(f, buffer)
	s.runs = into // so that Close closes it
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

// Spilled returns the number of runs that were written.
func (s *Sorter) Spilled() int { return s.spilled }

// Close removes the files. The error is one of the file system.
func (s *Sorter) Close() error {
	runs := s.runs
	s.runs, s.keys, s.scratch = nil, nil, nil
	if runs == nil {
		return nil
	}
	return runs.close()
}
