package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
)

const testSeed = 0x0123456789abcdef

// payload returns the payload of record i: it is different from all others.
func payload(i int) []byte {
	return fmt.Appendf(nil, "record %d%s", i, strings.Repeat(".", i*7%20))
}

// example returns the bytes of a log called 7, as a killed process leaves them. groups has how many records
// share each sync. ends has where each record ends.
func example(t testing.TB, groups ...int) (log []byte, ends []int64) {
	t.Helper()
	fsys := disk.NewMemory()
	w, err := create(fsys, "log", 7, testSeed, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range groups {
		for range n {
			end, err := w.Append(payload(len(ends)))
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end)
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if log, err = fsys.ReadFile("log", 1<<30); err != nil {
		t.Fatal(err)
	}
	return log, ends
}

// put makes a file of log in a file system in memory.
func put(t testing.TB, log []byte) disk.FS {
	t.Helper()
	fsys := disk.NewMemory()
	f, err := fsys.Create("log")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(log); err != nil {
		t.Fatal(err)
	}
	return fsys
}

// readAll returns how many records a log has, which must be those of example.
func readAll(t testing.TB, log []byte) (n int, end int64, err error) {
	t.Helper()
	end, err = Read(put(t, log), "log", 7, func(p []byte) error {
		if want := payload(n); !bytes.Equal(p, want) {
			t.Errorf("record %d is %q, want %q", n, p, want)
		}
		n++
		return nil
	})
	return n, end, err
}

// damage tests that err names the log, or says that another version wrote it.
func damage(t testing.TB, err error) {
	t.Helper()
	var corrupt *section.CorruptError
	if !errors.Is(err, section.ErrVersion) && (!errors.As(err, &corrupt) || corrupt.File != "log" || corrupt.Offset < 0) {
		t.Errorf("not an error that names file and offset: %v", err)
	}
}

// stale returns a copy of a log whose cells were never written.
func stale(log []byte) []byte {
	log = bytes.Clone(log)
	clear(log[min(len(log), cellAt):min(len(log), recordsAt)])
	return log
}

func TestRoundTrip(t *testing.T) {
	for _, groups := range [][]int{nil, {1}, {3, 1, 2}} {
		log, ends := example(t, groups...)
		for name, log := range map[string][]byte{"log": log, "log without cells": stale(log)} {
			n, end, err := readAll(t, log)
			if want := int64(len(log)); n != len(ends) || end != want || err != nil {
				t.Errorf("%v: the %s has %d records to %d, %v; want %d to %d", groups, name, n, end, err, len(ends), want)
			}
		}
	}
}

func TestBoundsOfAPayload(t *testing.T) {
	w, err := Create(disk.NewMemory(), "log", 7, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append(nil); err == nil {
		t.Error("an empty record")
	}
	if _, err := w.Append(make([]byte, maxPayload+1)); err == nil {
		t.Error("a record that is too large")
	}
	if end, err := w.Append([]byte("x")); err != nil || w.Durable(end) != nil || w.Durable(end+1) == nil {
		t.Errorf("a record of one byte: %v; and Durable of one that does not exist", err)
	}
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Error(err)
	}
	if _, err := w.Append([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
}

// What was acknowledged by a cell cannot be cut off. Without cells, records that were cut are not there.
func TestEveryTruncation(t *testing.T) {
	log, ends := example(t, 2, 1, 3)
	for size := range log {
		if _, _, err := readAll(t, log[:size]); err == nil {
			t.Errorf("%d of %d bytes are accepted", size, len(log))
		} else if damage(t, err); errors.Is(err, errUnbegun) != (size < recordsAt) {
			t.Errorf("%d bytes: %v", size, err)
		}
		n, end, err := readAll(t, stale(log[:size]))
		if size < recordsAt {
			damage(t, err)
			continue
		}
		want, at := 0, int64(recordsAt)
		for want < len(ends) && ends[want] <= int64(size) {
			at = ends[want]
			want++
		}
		if n != want || end != at || err != nil {
			t.Errorf("%d bytes without cells: %d records to %d, %v; want %d to %d", size, n, end, err, want, at)
		}
	}
}

// check reads a log that was damaged at byte at. With cells, that is found or does not matter. Without them,
// it is found but in the records of the last sync.
func check(t *testing.T, what string, log []byte, at int, cells bool, ends []int64, last int) {
	t.Helper()
	n, _, err := readAll(t, log)
	if err != nil {
		damage(t, err)
		return
	}
	switch {
	case n == len(ends):
		if at >= recordsAt {
			t.Errorf("%s: no error", what)
		}
	case cells:
		t.Errorf("%s: %d of %d records and no error", what, n, len(ends))
	case int64(at) < ends[last-1] || n < last:
		t.Errorf("%s, without cells: %d of %d records and no error, though %d were known to be durable", what, n, len(ends), last)
	}
}

func TestEveryFlippedBit(t *testing.T) {
	log, ends := example(t, 2, 1, 3)
	for bit := range 8 * len(log) {
		for cells, log := range map[bool][]byte{true: bytes.Clone(log), false: stale(log)} {
			log[bit/8] ^= 1 << (bit % 8)
			check(t, fmt.Sprintf("bit %d of byte %d", bit%8, bit/8), log, bit/8, cells, ends, 3)
		}
	}
}

func TestZeroedBlocks(t *testing.T) {
	log, ends := example(t, 2, 1, 3)
	for size := 1; size < len(log); size += 1 + size/3 {
		for at := 0; at+size <= len(log); at++ {
			for cells, log := range map[bool][]byte{true: bytes.Clone(log), false: stale(log)} {
				if cells && at < recordsAt && at+size > cellAt {
					continue // the cells are lost, too
				}
				was := bytes.Clone(log[at : at+size])
				clear(log[at : at+size])
				if bytes.Equal(was, log[at:at+size]) {
					continue
				}
				first := at
				for was[first-at] == 0 {
					first++
				}
				if n, _, err := readAll(t, log); !cells && err == nil && int64(at+size) > ends[4] && n < len(ends) {
					continue // nothing is left that was written after the missing records were durable
				}
				check(t, fmt.Sprintf("zeros from %d to %d", at, at+size), log, first, cells, ends, 3)
			}
		}
	}
}

// Bytes behind the records are no damage: a write that a crash interrupted, or one that was refused.
func TestWhateverIsBehind(t *testing.T) {
	log, ends := example(t, 2, 1, 3)
	rng := rand.New(rand.NewPCG(1, 2))
	nothing := head{length: 3, checksum: 5}
	for name, rest := range map[string][]byte{
		"zeros":             make([]byte, 1000),
		"a part of a head":  log[recordsAt : recordsAt+5],
		"an older record":   log[recordsAt:ends[0]],
		"a log":             log,
		"random bytes":      binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, rng.Uint64()), rng.Uint64()),
		"a head of nothing": appendHead(nil, nothing, new(summer).mark(nothing, testSeed, int64(len(log)))),
	} {
		n, end, err := readAll(t, append(bytes.Clone(log), rest...))
		if n != len(ends) || end != int64(len(log)) || err != nil {
			t.Errorf("%s: %d records to %d, %v", name, n, end, err)
		}
	}
}

func TestStaleFiles(t *testing.T) {
	log, ends := example(t, 2, 1, 3)
	if _, err := Read(put(t, log), "log", 8, nil); err == nil {
		t.Error("log 7 is read as log 8")
	} else {
		damage(t, err)
	}
	if _, err := Read(disk.NewMemory(), "log", 7, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	newer := bytes.Clone(log)
	newer[8]++
	if _, err := Read(put(t, newer), "log", 7, nil); !errors.Is(err, section.ErrVersion) || !strings.Contains(err.Error(), "log") {
		t.Errorf("a newer log: %v", err)
	}
	// The records of another log of the same name are not those of this one.
	other := append(newHeader(7, testSeed+1), log[recordsAt:]...)
	if n, end, err := readAll(t, other); n != 0 || end != recordsAt || err != nil {
		t.Errorf("records of another log: %d to %d, %v", n, end, err)
	}
	// Records that were cut out are missed, by the chain.
	cut := append(stale(log)[:ends[0]:ends[0]], log[ends[1]:]...)
	if n, _, err := readAll(t, cut); n > 1 || err != nil && !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("a record is missing: %d, %v", n, err)
	}
}

// A record that was written over one that was refused does not bring back what followed that one.
func TestRefusedRecordsStayAway(t *testing.T) {
	refused, _ := example(t, 3)
	w, err := create(disk.NewMemory(), "log", 7, testSeed, false)
	if err != nil {
		t.Fatal(err)
	}
	fsys := put(t, refused)
	f, err := fsys.Create("other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(stale(refused)); err != nil {
		t.Fatal(err)
	}
	w.f = f
	if _, err := w.Append(bytes.Repeat([]byte("x"), len(payload(0)))); err != nil {
		t.Fatal(err)
	}
	n := 0
	if _, err := Read(fsys, "other", 7, func([]byte) error { n++; return nil }); n != 1 || err != nil {
		t.Errorf("%d records, %v; want the one that is not refused", n, err)
	}
}

// A reader beside a writer, on the disk, sees all that was acknowledged before it reads, in order.
func TestFollowAWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	w, err := Create(disk.OS, path, 7, false)
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := make(chan int, 1000)
	go func() {
		defer close(acknowledged)
		for i := range 300 {
			end, err := w.Append(bytes.Repeat(payload(i), 1+i%50))
			if err == nil && i%7 == 6 {
				err = w.Durable(end)
				acknowledged <- i
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	for want := range acknowledged {
		n := 0
		if _, err := Read(disk.OS, path, 7, func(p []byte) error {
			if !bytes.Equal(p, bytes.Repeat(payload(n), 1+n%50)) {
				return fmt.Errorf("record %d is another one", n)
			}
			n++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if n <= want {
			t.Fatalf("%d records are read, %d were acknowledged", n, want+1)
		}
	}
}

// A mapping file system calls a function after each Map, which may replace the map.
type mapping struct {
	disk.FS
	after func(m *disk.Mapped) *disk.Mapped
}

func (f mapping) Map(path string) (*disk.Mapped, error) {
	m, err := f.FS.Map(path)
	if err == nil {
		m = f.after(m)
	}
	return m, err
}

// A log that grows between its mapping and the reading of its cells is not taken for one that was cut.
func TestAppendedWhileItIsMapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	w, err := Create(disk.OS, path, 7, false)
	if err != nil {
		t.Fatal(err)
	}
	fsys := mapping{disk.OS, func(m *disk.Mapped) *disk.Mapped {
		end, err := w.Append([]byte("x"))
		if err := errors.Join(err, w.Durable(end)); err != nil {
			t.Fatal(err)
		}
		return m
	}}
	n := 0
	for range 5 {
		n = 0
		if _, err := Read(fsys, path, 7, func([]byte) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n < 4 {
		t.Errorf("%d records", n)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// A record that is read while it is written, and before one that says that it was durable, is no damage.
func TestReadWhileItIsWritten(t *testing.T) {
	log, ends := example(t, 2, 1, 3)
	partly := stale(log)
	clear(partly[ends[0]+recordHeader : ends[1]])
	if _, _, err := readAll(t, partly); err == nil {
		t.Fatal("the test tests nothing")
	}
	maps, n := 0, 0
	fsys := mapping{put(t, stale(log)), func(m *disk.Mapped) *disk.Mapped {
		if maps++; maps == 1 {
			return disk.MappedBytes("log", partly)
		}
		return m
	}}
	if _, err := Read(fsys, "log", 7, func([]byte) error { n++; return nil }); n != len(ends) || err != nil {
		t.Errorf("%d records of %d, %v", n, len(ends), err)
	}
}

// A log that is cut while it is read gives an error.
func TestTruncatedWhileOpen(t *testing.T) {
	log, _ := example(t, 2, 1, 3)
	big := append(log, make([]byte, 1<<20)...)
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, big, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Read(disk.OS, path, 7, func([]byte) error { return os.Truncate(path, 0) })
	if !errors.Is(err, section.ErrCorrupt) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}
