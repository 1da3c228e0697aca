package dedup

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/bulk"
)

// added adds fingerprints to rows, in the files that of says. Their ids are rows, or if ids is false, names.
func added(t *testing.T, r *nearRows, fps []uint64, of []int, ids bool) {
	t.Helper()
	for i, fp := range fps {
		if err := r.Add(of[i], &document.Document{ID: id(i, ids), HasFingerprint: true, Fingerprint: fp}); err != nil {
			t.Fatal(err)
		}
	}
}

func id(i int, ids bool) []byte {
	if ids {
		return fmt.Appendf(nil, "f#%d", i+1)
	}
	return fmt.Appendf(nil, "d%dx", i)
}

// made returns fingerprints of some bits, every second of which is near an earlier one or equal to it, each with one
// of three files.
func made(rng *rand.Rand, width, n int) (fps []uint64, files []int) {
	for i := range n {
		fp := rng.Uint64()
		if i > 0 && rng.IntN(2) == 0 {
			fp = fps[rng.IntN(i)]
			for range rng.IntN(5) {
				fp ^= 1 << rng.IntN(width)
			}
		}
		fps, files = append(fps, fp&(1<<width-1)), append(files, 2*i/n*2) // no row is of file 1
	}
	return fps, files
}

// atDistance returns the options of a distance.
func atDistance(k int) *Options { return &Options{Options: run.Options{Threads: 2}, Distance: k} }

// The rows that are found are those that comparing each with each finds.
func TestNear(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, n, k int }{{64, 0, 3}, {64, 1, 3}, {64, 1500, 0}, {64, 1500, 3}, {20, 1500, 1}, {64, 1500, 10}, {4, 300, 1}} {
		fps, files := made(rand.New(rand.NewPCG(1, uint64(c.width))), c.width, c.n)
		for _, ids := range []bool{true, false} {
			r := newNearRows(disk.OS, t.TempDir(), 3)
			added(t, r, fps, files, ids)
			var want, got []nearRow
			number := [3]uint32{}
			for i, fp := range fps {
				number[files[i]]++
				if slices.IndexFunc(fps, func(x uint64) bool { return bits.OnesCount64(fp^x) <= c.k }) < i ||
					slices.ContainsFunc(fps[i+1:], func(x uint64) bool { return bits.OnesCount64(fp^x) <= c.k }) {
					want = append(want, nearRow{files[i], number[files[i]], id(i, ids), fp})
				}
			}
			err := r.Near(t.Context(), atDistance(c.k), func(row nearRow) error {
				got = append(got, row)
				return nil
			})
			if err := errors.Join(err, r.Close()); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%+v: %v, %d rows, want %d", c, err, len(got), len(want))
			}
			if r.Files[0].Rows != number[0] || r.Files[1] != (rowsFile{}) || r.Files[2].Rows != number[2] {
				t.Errorf("%+v: %v, want %v", c, r.Files, number)
			}
		}
	}
}

// If most rows are near very many, all are returned soon.
func TestNearOfACrowd(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 1))
	fps, files := make([]uint64, 20_000), make([]int, 20_000)
	for i := range fps[:19_000] {
		a, b := rng.IntN(64), rng.IntN(64)
		fps[i] = 1<<a ^ 1<<b
	}
	for i := 19_000; i < len(fps); i++ {
		fps[i] = rng.Uint64()
	}
	r := newNearRows(disk.OS, t.TempDir(), 1)
	added(t, r, fps, files, true)
	n := 0
	err := r.Near(t.Context(), atDistance(8), func(nearRow) error {
		n++
		return nil
	})
	if err := errors.Join(err, r.Close()); err != nil || n != len(fps) {
		t.Errorf("%v; %d rows", err, n)
	}
}

// An error of the file system, of the caller or of the context ends the search, and no temporary file stays.
func TestNearEndsByErrors(t *testing.T) {
	t.Parallel()
	fps, files := made(rand.New(rand.NewPCG(3, 1)), 64, 3000)
	stop := errors.New("stop")
	near := func(fsys disk.FS, ctx context.Context, do func(nearRow) error) error {
		r := newNearRows(fsys, "", 3)
		r.prints = bulk.NewList(fsys, t.TempDir(), 1000)
		r.distinct, r.order = r.prints.Another(), r.prints.Another()
		for i, fp := range fps {
			if err := r.Add(files[i], &document.Document{ID: id(i, true), HasFingerprint: true, Fingerprint: fp}); err != nil {
				return errors.Join(err, r.Close())
			}
		}
		return errors.Join(r.Near(ctx, atDistance(3), do), r.Close())
	}
	none := func(nearRow) error { return nil }
	all := 0
	if err := near(&disktest.FS{Base: disk.OS, Before: func(disktest.Op) (int, error) { all++; return 0, nil }}, t.Context(), none); err != nil || all < 8 {
		t.Fatal(err, all)
	}
	for at := range all {
		n, failed := 0, false
		fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
			if n++; n-1 == at && op.Kind != "close" {
				failed = true
				return 0, os.ErrPermission
			}
			return 0, nil
		}}
		if err := near(fsys, t.Context(), none); errors.Is(err, os.ErrPermission) != failed || !failed && err != nil {
			t.Errorf("operation %d fails: %v, and the error is %v", at, failed, err)
		}
	}
	if err := near(disk.OS, t.Context(), func(nearRow) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want that of the caller", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := near(disk.OS, ctx, none); !errors.Is(err, stop) {
		t.Errorf("%v, want the cause", err)
	}
}

// A text is no row, nor is a fingerprint of more bits.
func TestAddRefuses(t *testing.T) {
	r := newNearRows(disk.OS, t.TempDir(), 1)
	for _, doc := range []document.Document{{ID: []byte("a"), Text: []byte("a text")}, {ID: []byte("b"), HasFingerprint: true, More: [3]uint64{1}}} {
		if err := r.Add(0, &doc); err == nil || r.Len() != 0 {
			t.Errorf("%s is a row", doc.ID)
		}
	}
}

// A sum tells each change: other rows, and another order.
func TestSum(t *testing.T) {
	sum := func(fps ...uint64) (f rowsFile) {
		for _, fp := range fps {
			f.Add(fp)
		}
		return f
	}
	all := []rowsFile{sum(), sum(0), sum(0, 0), sum(1), sum(1, 2), sum(2, 1), sum(1, 2, 0), sum(0, 1, 2)}
	for i, a := range all {
		if slices.Contains(all[:i], a) {
			t.Errorf("%v is the sum of two", a)
		}
	}
}
