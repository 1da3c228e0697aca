package spill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"unsafe"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
)

// ErrSpace ends sorting if its temporary file would take more than a third of the free space of the disk, since there
// are other programs.
var ErrSpace = errors.New("temporary files would take more than a third of the free space of the disk")

// A Sorter collects 64-bit keys and yields them in ascending order. When there are as many keys as the limit allows,
// they are sorted and written as a run. All runs follow each other in one file, and are merged at once. So neither
// the number of open files nor the buffers grow with the number of keys.
//
// A Sorter is safe for concurrent use until Sorted is called. After an error of Add or Sorted, only Close may be
// called. Close removes its file.
type Sorter struct {
	fs    disk.FS
	dir   string
	limit int

	mu      sync.Mutex
	keys    []uint64  // guarded by mu, as are the next fields
	scratch []uint64  // for sorting
	file    disk.File // nil until the first run
	ends    []int64   // run i has the keys [ends[i-1], ends[i])
	most    int64     // bytes of runs, or 0
}

// NewSorter returns a Sorter that holds at most limit keys in memory, in 16 bytes each, or all keys if limit is 0.
// Its buffers fit the same memory. The other keys are in a temporary file of fsys in dir, or in the directory
// of the system if dir is empty.
func NewSorter(fsys disk.FS, dir string, limit int) *Sorter {
	return &Sorter{fs: fsys, dir: dir, limit: limit}
}

// freeIn is disk.Free, which tests replace.
var freeIn = disk.Free

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
func (s *Sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = s.fs.CreateTemp(s.dir); err != nil {
			return fmt.Errorf("spilling to disk, as memory is limited: %w", err)
		}
		if free, ok := freeIn(cmp.Or(s.dir, os.TempDir())); ok && s.fs == disk.OS {
			s.most = max(1, free/3)
		}
	}
	s.sort()
	run := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s.keys))), keySize*len(s.keys))
	if _, err := s.file.Write(run); err != nil { // as the machine has the keys: the file is read by nobody else
		return err
	}
	s.ends = append(s.ends, s.written()+int64(len(s.keys)))
	s.keys = s.keys[:0]
	if n := s.written() * keySize; s.most > 0 && n > s.most {
		return fmt.Errorf("%w: they have %s", ErrSpace, terminal.Bytes(n))
	}
	return nil
}

// written returns the number of keys in the file.
func (s *Sorter) written() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// Sorted yields all keys in ascending order. It ends with the first error, of ctx or of the file system. It
// may be called once, after the last Add.
func (s *Sorter) Sorted(ctx context.Context) iter.Seq2[uint64, error] {
	if s.file != nil {
		return s.merged(ctx)
	}
	return func(yield func(uint64, error) bool) {
		s.sort()
		for n, x := range s.keys {
			if n%lookEvery == 0 && ctx.Err() != nil {
				yield(0, context.Cause(ctx))
				return
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// merged is Sorted of the runs and the keys that are in none yet.
func (s *Sorter) merged(ctx context.Context) iter.Seq2[uint64, error] {
	if err := s.spill(); err != nil {
		return func(yield func(uint64, error) bool) { yield(0, err) }
	}
	s.keys, s.scratch = nil, nil // the buffers take this memory
	buffer := bufferOf(s.limit, len(s.ends))
	all := make([]*run, len(s.ends))
	from := int64(0)
	for i, end := range s.ends {
		file := io.NewSectionReader(s.file, from*keySize, (end-from)*keySize)
		all[i] = &run{file: file, left: end - from, buffer: make([]byte, buffer)}
		from = end
	}
	return merged(ctx, all)
}

// Close removes the file. The error is one of the file system.
func (s *Sorter) Close() error {
	file := s.file
	s.file, s.keys, s.scratch = nil, nil, nil
	if file == nil {
		return nil
	}
	return file.Close()
}
