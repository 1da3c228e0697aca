package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/tests/testkit"
)

// A history is what a writer has done, and was told.
type history struct {
	tried        [][]byte // payloads in the order of the calls of Append
	refused      []bool   // Append said so of each: it is certainly not there
	acknowledged int      // all records before this one that were not refused are certainly there
}

// check reads a log after a crash.
func (h *history) check(t *testing.T, fsys disk.FS) {
	t.Helper()
	next := 0
	_, err := Read(fsys, "log", 7, func(p []byte) error {
		for next < len(h.tried) && (h.refused[next] || !bytes.Equal(h.tried[next], p)) {
			if !h.refused[next] {
				return fmt.Errorf("record %d is missing before %q", next, p)
			}
			next++
		}
		if next == len(h.tried) {
			return fmt.Errorf("%q was refused, or never written", p)
		}
		next++
		return nil
	})
	for next < h.acknowledged && h.refused[next] {
		next++
	}
	if err != nil || next < h.acknowledged {
		t.Errorf("after a crash there are records to %d, of %d that were acknowledged: %v", next, h.acknowledged, err)
	}
}

// run writes a log of random groups. After an error that allows it, it goes on. It ends with the first other
// error.
func (h *history) run(rng *rand.Rand, fsys disk.FS, groups int) error {
	w, err := Create(fsys, "log", 7, false)
	if err != nil {
		return err
	}
	err = h.groups(rng, w, groups)
	if failed := w.Close(); failed != nil {
		return errors.Join(err, failed)
	}
	if err == nil {
		h.acknowledged = len(h.tried)
	}
	return err
}

func (h *history) groups(rng *rand.Rand, w *Writer, groups int) error {
	for range groups {
		end := int64(0)
		for range 1 + rng.IntN(3) {
			p := bytes.Repeat(payload(len(h.tried)), 1+rng.IntN(40))
			h.tried = append(h.tried, p)
			at, err := w.Append(p)
			full := err != nil && !errors.Is(err, disk.ErrUncertain)
			h.refused = append(h.refused, full)
			if err != nil && !full {
				return err
			}
			end = max(end, at)
		}
		if err := w.Durable(end); err != nil {
			return err
		}
		h.acknowledged = len(h.tried)
	}
	return nil
}

// After every operation the power is cut. What was acknowledged is there, and nothing is damaged.
func TestPowerCutAfterEveryOperation(t *testing.T) {
	t.Parallel()
	images, rounds, tested := 20, 40, 0
	if !testkit.IsLong() {
		rounds = 2
	}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 1))
		shadow := disktest.NewShadow(".")
		h := &history{}
		created := false
		fsys := &disktest.FS{Base: disk.NewMemory(), After: func(op disktest.Op) {
			shadow.Done(op)
			created = created || op.Kind == "syncdir"
			if !created || !op.Writes() || t.Failed() {
				return
			}
			now := *h
			if len(now.refused) < len(now.tried) {
				now.refused = append(slices.Clone(now.refused), false)
			}
			for i := range images {
				var some *rand.Rand
				if i > 0 {
					some = rng
				}
				image := disk.NewMemory()
				if err := shadow.ImageIn(image, ".", some); err != nil {
					t.Error(err)
				}
				now.check(t, image)
				tested++
			}
		}}
		if err := h.run(rng, fsys, 6); err != nil {
			t.Fatal(err)
		}
		h.check(t, fsys.Base)
	}
	if least := rounds * images * 20; tested < least {
		t.Errorf("%d images were read, want %d", tested, least)
	}
	t.Logf("%d images", tested)
}

// A power cut while the log is created leaves no file, one that is not begun, or an empty log.
func TestPowerCutDuringCreate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	shadow := disktest.NewShadow(".")
	fsys := &disktest.FS{Base: disk.NewMemory(), After: func(op disktest.Op) {
		shadow.Done(op)
		for range 50 {
			image := disk.NewMemory()
			if err := shadow.ImageIn(image, ".", rng); err != nil {
				t.Fatal(err)
			}
			_, err := Read(image, "log", 7, nil)
			if err != nil && !errors.Is(err, errUnbegun) && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("after %s: %v", op.Kind, err)
			}
		}
	}}
	if _, err := Create(fsys, "log", 7, false); err != nil {
		t.Fatal(err)
	}
}

// Every operation fails in turn, once or from then on, in every way. The error is right, nothing that was
// acknowledged is lost, and nothing that was refused is there.
func TestEveryOperationFails(t *testing.T) {
	for _, kind := range []error{syscall.EIO, syscall.ENOSPC, io.ErrShortWrite} {
		for _, part := range []int{0, 1, 10, 20, 100, 1 << 20} {
			for _, times := range []int{1, 3, 1 << 20} {
				failing(t, kind, part, times)
			}
		}
	}
}

func failing(t *testing.T, kind error, part, times int) {
	t.Helper()
	broken := errors.Is(kind, syscall.EIO) // rather than full
	for nth := 0; ; nth++ {
		what := fmt.Sprintf("%v after %d bytes, %d times from operation %d", kind, part, times, nth)
		done, failed, last := 0, false, ""
		var synced error
		fsys := &disktest.FS{Base: disk.NewMemory(), Before: func(op disktest.Op) (int, error) {
			done++
			if done-1 < nth || done-1 >= nth+times || op.Kind == "remove" {
				return 0, nil
			}
			failed, last = true, op.Kind
			if op.Kind == "sync" {
				synced = kind
			}
			return part, kind
		}}
		h := &history{}
		err := h.run(rand.New(rand.NewPCG(3, 4)), fsys, 4)
		if !failed {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		_, missing := fsys.Base.Stat("log")
		switch {
		case err == nil:
			if broken && last != "close" {
				t.Errorf("%s: no error", what)
			}
		case len(h.tried) == 0:
			if missing == nil {
				t.Errorf("%s: Create leaves a file: %v", what, err)
			}
			continue
		case !errors.Is(err, kind):
			t.Errorf("%s: %v", what, err)
		case synced != nil && !errors.Is(err, disk.ErrUncertain):
			t.Errorf("%s: a failed sync is not uncertain: %v", what, err)
		case part == 1<<20:
			// The whole record is there, though it was refused, and its header may not be removed either.
		case synced == nil && !broken && last != "close":
			t.Errorf("%s: a refused write ends the log: %v", what, err)
		}
		h.check(t, fsys.Base)
		if times == 1 && !broken && synced == nil && err == nil && !slices.Contains(h.refused, false) {
			t.Errorf("%s: writes do not go on", what)
		}
	}
}

// After a failed sync nothing is acknowledged any more, even if the disk seems to be well.
func TestNothingAfterAFailedSync(t *testing.T) {
	fail := false
	fsys := &disktest.FS{Base: disk.NewMemory(), Before: func(op disktest.Op) (int, error) {
		if fail && op.Kind == "sync" {
			fail = false
			return 0, syscall.EIO
		}
		return 0, nil
	}}
	w, err := Create(fsys, "log", 7, false)
	if err != nil {
		t.Fatal(err)
	}
	first, err := w.Append([]byte("first"))
	if err := errors.Join(err, w.Durable(first)); err != nil {
		t.Fatal(err)
	}
	second, err := w.Append([]byte("second"))
	if err != nil {
		t.Fatal(err)
	}
	fail = true
	for range 2 {
		if err := w.Durable(second); !errors.Is(err, disk.ErrUncertain) || !errors.Is(err, syscall.EIO) {
			t.Errorf("Durable: %v", err)
		}
	}
	if _, err := w.Append([]byte("third")); !errors.Is(err, disk.ErrUncertain) {
		t.Errorf("Append: %v", err)
	}
	if err := w.Durable(first); err != nil {
		t.Errorf("what was durable: %v", err)
	}
	if err := w.Sync(); !errors.Is(err, disk.ErrUncertain) {
		t.Errorf("Sync: %v", err)
	}
	if err := w.Close(); !errors.Is(err, disk.ErrUncertain) {
		t.Errorf("Close: %v", err)
	}
}

// A disk is full for a while, at every byte of the log. What is refused is not there, and writing goes on when
// there is space.
func TestFullDisk(t *testing.T) {
	whole := int64(0)
	for space := int64(recordsAt); whole == 0 || space < whole; space += 3 {
		left := space
		fsys := &disktest.FS{Base: disk.NewMemory(), Before: func(op disktest.Op) (int, error) {
			if op.Kind == "write" && op.At+int64(len(op.Data)) > left {
				return int(max(left-op.At, 0)), syscall.ENOSPC
			}
			return 0, nil
		}}
		w, err := Create(fsys, "log", 7, false)
		if err != nil {
			t.Fatal(err)
		}
		h := &history{}
		if err := h.groups(rand.New(rand.NewPCG(5, 6)), w, 3); err != nil {
			t.Fatalf("%d bytes of space: %v", space, err)
		}
		h.check(t, fsys.Base)
		if !slices.Contains(h.refused, true) {
			whole = w.end
		}
		left = 1 << 30
		full := len(h.tried)
		if err := h.groups(rand.New(rand.NewPCG(7, 8)), w, 2); err != nil || slices.Contains(h.refused[full:], true) {
			t.Fatalf("%d bytes of space, then enough: %v", space, err)
		}
		h.check(t, fsys.Base)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		h.check(t, fsys.Base)
	}
}

// What a killed process has left unsynced is durable when the next one has synced the file.
func TestSyncOfAKilledProcess(t *testing.T) {
	shadow := disktest.NewShadow(".")
	fsys := &disktest.FS{Base: disk.NewMemory(), After: shadow.Done}
	w, err := Create(fsys, "log", 7, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Append([]byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 1} {
		image, n := disk.NewMemory(), 0
		if err := shadow.ImageIn(image, ".", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(image, "log", 7, func([]byte) error { n++; return nil }); n != want || err != nil {
			t.Errorf("%d records are certain, want %d; %v", n, want, err)
		}
		if err := fsys.SyncFile("log"); err != nil {
			t.Fatal(err)
		}
	}
}
