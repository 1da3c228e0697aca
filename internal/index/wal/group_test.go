package wal

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
)

// A counted file system counts syncs, and each takes a while.
type counted struct {
	disk.FS
	syncs atomic.Int64
	takes time.Duration
}

func (c *counted) Create(path string) (disk.File, error) {
	f, err := c.FS.Create(path)
	return countedFile{f, c}, err
}

type countedFile struct {
	disk.File
	c *counted
}

func (f countedFile) Sync() error {
	f.c.syncs.Add(1)
	time.Sleep(f.c.takes)
	return f.File.Sync()
}

// Many goroutines share syncs. Records are in the order in which they were appended.
func TestGroups(t *testing.T) {
	t.Parallel()
	fsys := &counted{FS: disk.NewMemory(), takes: time.Millisecond}
	w, err := Create(fsys, "log", 7, false)
	if err != nil {
		t.Fatal(err)
	}
	const goroutines, each = 100, 20
	var mu sync.Mutex // of the caller
	var order [][]byte
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				p := fmt.Appendf(nil, "%d of %d", i, g)
				mu.Lock()
				end, err := w.Append(p)
				order = append(order, p)
				mu.Unlock()
				if err := errors.Join(err, w.Durable(end)); err != nil {
					t.Error(err)
					return
				}
				w.mu.Lock()
				if w.durable < end {
					t.Errorf("acknowledged to %d, durable to %d", end, w.durable)
				}
				w.mu.Unlock()
			}
		})
	}
	wg.Wait()
	n := 0
	_, err = Read(fsys, "log", 7, func(p []byte) error {
		if n == len(order) || !bytes.Equal(p, order[n]) {
			return fmt.Errorf("record %d is %q", n, p)
		}
		n++
		return nil
	})
	if n != goroutines*each || err != nil {
		t.Errorf("%d records, %v", n, err)
	}
	if syncs := fsys.syncs.Load(); syncs > goroutines*each/4 {
		t.Errorf("%d syncs of %d records", syncs, goroutines*each)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// A sync that fails fails for all that wait for it.
func TestAllAreToldOfAFailedSync(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	fsys := &disktest.FS{Base: disk.NewMemory(), Before: func(op disktest.Op) (int, error) {
		if broken.Load() && op.Kind == "sync" {
			return 0, syscall.EIO
		}
		return 0, nil
	}}
	w, err := Create(fsys, "log", 7, false)
	if err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			end, err := w.Append([]byte("x"))
			if err == nil {
				err = w.Durable(end)
			}
			if !errors.Is(err, disk.ErrUncertain) {
				t.Errorf("acknowledged: %v", err)
			}
		})
	}
	wg.Wait()
}

// Close waits for all, and leaves all of it durable.
func TestCloseDuringCalls(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		fsys := &counted{FS: disk.NewMemory(), takes: time.Millisecond}
		w, err := Create(fsys, "log", 7, late)
		if err != nil {
			t.Fatal(err)
		}
		var acknowledged atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					end, err := w.Append([]byte("x"))
					if err != nil {
						return
					}
					if err := w.Durable(end); err != nil {
						t.Error(err)
						return
					}
					acknowledged.Add(1)
				}
			})
		}
		time.Sleep(10 * time.Millisecond)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		n := int64(0)
		if _, err := Read(fsys, "log", 7, func([]byte) error { n++; return nil }); err != nil || n < acknowledged.Load() || n == 0 {
			t.Errorf("%d records of %d acknowledged, %v", n, acknowledged.Load(), err)
		}
		if w.durable != w.end {
			t.Errorf("durable to %d of %d", w.durable, w.end)
		}
	}
}

// Records a second, of goroutines that each wait until their record is durable.
func BenchmarkCommit(b *testing.B) {
	for _, goroutines := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			fsys := &counted{FS: disk.OS}
			w, err := Create(fsys, filepath.Join(b.TempDir(), "log"), 7, false)
			if err != nil {
				b.Fatal(err)
			}
			record := bytes.Repeat([]byte("r"), 100)
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var wg sync.WaitGroup
			for range goroutines {
				wg.Go(func() {
					for left.Add(-1) >= 0 {
						end, err := w.Append(record)
						if err := errors.Join(err, w.Durable(end)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64(b.N)/float64(fsys.syncs.Load()), "records/sync")
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	w, err := Create(disk.OS, filepath.Join(b.TempDir(), "log"), 7, true)
	if err != nil {
		b.Fatal(err)
	}
	record := bytes.Repeat([]byte("r"), 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Append(record); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{30, 1000, 1 << 20} {
		b.Run(fmt.Sprintf("payload=%d", size), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "log")
			w, err := Create(disk.OS, path, 7, true)
			if err != nil {
				b.Fatal(err)
			}
			for range (64 << 20) / (size + recordHeader) {
				if _, err := w.Append(make([]byte, size)); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(w.end)
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(disk.OS, path, 7, func([]byte) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
