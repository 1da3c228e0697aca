package dedup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/clean/warnings"
	"simsearch/internal/files/prints"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
)

// rowFiles writes fingerprints to files of rows, an array of NumPy among them, and returns their directory. Near ones
// lie in different files.
func rowFiles(t *testing.T, rng *rand.Rand, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var all []uint64
	for i := range 3 {
		var data []byte
		if i == 1 {
			data = prints.NPYHeader(int64(n), prints.ArrayLayout(64))
		}
		for range n {
			fp := rng.Uint64()
			if len(all) > 0 && rng.IntN(5) == 0 {
				fp = all[rng.IntN(len(all))]
				for range rng.IntN(5) {
					fp ^= 1 << rng.IntN(64)
				}
			}
			all = append(all, fp)
			data = binary.LittleEndian.AppendUint64(data, fp)
		}
		if err := os.WriteFile(filepath.Join(dir, []string{"a.u64", "b.npy", "c.u64"}[i]), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rowInputs returns the files in dir.
func rowInputs(dir string) []string {
	return []string{filepath.Join(dir, "a.u64"), filepath.Join(dir, "b.npy"), filepath.Join(dir, "c.u64")}
}

// ofRows returns options for rows, which are very many or, if few is true, are not.
func ofRows(k int, few bool) Options {
	o := byBits(k)
	if o.LeastRows = 1; few {
		o.LeastRows = math.MaxInt
	}
	return o
}

// Of very many rows, the same is removed as of few, and the report says the same.
func TestManyRowsAgainstFew(t *testing.T) {
	t.Parallel()
	small, large := rowFiles(t, rand.New(rand.NewPCG(1, 1)), 300), rowFiles(t, rand.New(rand.NewPCG(1, 2)), testkit.Of(8000, 20_000))
	for name, c := range map[string]struct {
		dir  string
		refs int
		k    int
		set  func(o *Options)
	}{
		"k = 0":           {small, 0, 0, func(*Options) {}},
		"k = 3":           {small, 0, 3, func(*Options) {}},
		"k = 12":          {small, 0, 12, func(*Options) {}},
		"large":           {large, 0, 3, func(*Options) {}},
		"a reference":     {small, 1, 3, func(*Options) {}},
		"first":           {small, 0, 3, func(o *Options) { o.Keep = Keep{Way: First} }},
		"chain":           {small, 0, 3, func(o *Options) { o.Chain = true }},
		"dry":             {small, 0, 3, func(o *Options) { o.DryRun = true }},
		"large reference": {large, 2, 6, func(o *Options) { o.Chain = true }},
	} {
		in := rowInputs(c.dir)
		many, few := ofRows(c.k, false), ofRows(c.k, true)
		c.set(&many)
		c.set(&few)
		got, r := ran(t, in[:c.refs], in[c.refs:], many)
		want, is := ran(t, in[:c.refs], in[c.refs:], few)
		if c.dir == small { // the report of few tells of larger distances, too
			for _, name := range []string{run.ReportName, run.PageName} {
				delete(got, name)
				delete(want, name)
			}
		}
		if !same(stateless(got), stateless(want)) || r.Removed != is.Removed || r.Removed == 0 || r.Documents != is.Documents || fmt.Sprint(r.Sources) != fmt.Sprint(is.Sources) {
			t.Errorf("%s: %d of %d are removed, want %d of %d, and the same files", name, r.Removed, r.Documents, is.Removed, is.Documents)
		}
	}
}

// An interrupted run of very many rows goes on, with the same files at the end.
func TestManyRowsGoOn(t *testing.T) {
	t.Parallel()
	in := rowInputs(rowFiles(t, rand.New(rand.NewPCG(2, 1)), 300))
	told := goesOn(t, removing(in[:1], in[1:]...), testkit.Of(12, 3), func(out string) Options {
		o := resumable(out)
		o.Settings, o.Distance, o.LeastRows = DefaultFingerprints(), 3, 1
		return o
	})
	if len(told) == 0 {
		t.Error("no run went on")
	}
}

// A result of very many rows is replaced by that of more, and one of few by one of many.
func TestManyRowsAgain(t *testing.T) {
	t.Parallel()
	in := rowInputs(rowFiles(t, rand.New(rand.NewPCG(3, 1)), 300))
	want, _ := ran(t, nil, in, ofRows(3, false))
	for _, few := range []bool{false, true} {
		out := filepath.Join(t.TempDir(), "out")
		for i, inputs := range [][]string{in[:2], in} {
			o := ofRows(3, few && i == 0)
			o.State = out
			if _, err := runTo(t.Context(), out, nil, inputs, o); err != nil {
				t.Fatal(err)
			}
		}
		if got := contents(t, out); !same(stateless(got), stateless(want)) {
			t.Error("other files than those of a fresh run")
		}
	}
}

// A file that changes after it was read is noticed, whether the row that changes is near another one or not.
func TestManyRowsChange(t *testing.T) {
	t.Parallel()
	for _, row := range []int{0, 17, 299} {
		for _, more := range []int{-8, 0, 8} {
			in := rowInputs(rowFiles(t, rand.New(rand.NewPCG(4, 1)), 300))
			c, err := Read(t.Context(), nil, in, ofRows(3, false))
			if err != nil {
				t.Fatal(err)
			}
			d, err := Decide(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(in[2])
			if err != nil {
				t.Fatal(err)
			}
			data[8*row] ^= 1
			data = append(data, 0, 0, 0, 0, 0, 0, 0, 0)[:len(data)+more]
			if err := os.WriteFile(in[2], data, 0o666); err != nil {
				t.Fatal(err)
			}
			err = d.Write(t.Context(), filepath.Join(t.TempDir(), "out"))
			if err := errors.Join(err, c.Close()); !errors.Is(err, rewrite.ErrChanged) || !strings.Contains(err.Error(), "c.u64") {
				t.Errorf("row %d, %d bytes more: %v, want that the file has changed", row, more, err)
			}
		}
	}
}

// A file that ends within a fingerprint is told of, and what it has is compared. An array whose length is not as it
// says is copied as it is.
func TestManyRowsOfADamagedFile(t *testing.T) {
	t.Parallel()
	dir := rowFiles(t, rand.New(rand.NewPCG(5, 1)), 300)
	in := append(rowInputs(dir), filepath.Join(dir, "d.npy"))
	junk := []byte("no array")
	if err := os.WriteFile(in[3], junk, 0o666); err != nil {
		t.Fatal(err)
	}
	var array []byte
	for _, path := range in[:3] {
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, data[:len(data)-3], 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if path == in[1] {
			array = data[:len(data)-3]
		}
	}
	got, r := ran(t, nil, in, ofRows(3, false))
	want, is := ran(t, nil, in, ofRows(3, true))
	delete(got, run.ReportName)
	delete(want, run.ReportName)
	delete(got, run.PageName)
	delete(want, run.PageName)
	if !same(stateless(got), stateless(want)) || r.Bad != is.Bad || r.Bad != 4 || r.Documents != 897 || r.Files.Damaged != 2 {
		t.Errorf("%d bad, %d documents, want %d, %d, and the same files", r.Bad, r.Documents, is.Bad, is.Documents)
	}
	if got["kept/b.npy"] != string(array) || got["kept/d.npy"] != string(junk) {
		t.Error("arrays are not copied as they are")
	}
	dry := ofRows(3, false)
	dry.DryRun = true
	if _, r := ran(t, nil, in, dry); r.Removed != is.Removed {
		t.Errorf("%d would be removed, want %d", r.Removed, is.Removed)
	}
}

// A row that the reference has is removed as an equal one, whether the reference is a file or an index of it.
func TestRowsAgainstAnIndex(t *testing.T) {
	t.Parallel()
	in := rowInputs(rowFiles(t, rand.New(rand.NewPCG(7, 1)), 300))
	of, inputs := in[:1], in
	_, want := ran(t, of, inputs, ofRows(3, true))
	_, r := ran(t, []string{indexed(t, DefaultFingerprints(), index.KeepNothing, of[0])}, inputs, ofRows(3, true))
	if r.Exact != want.Exact || r.Removed != want.Removed || r.Exact < 300 {
		t.Errorf("%d of %d are equal, want %d of %d", r.Exact, r.Removed, want.Exact, want.Removed)
	}
}

// A directory of temporary files that is too small is told before anything is read, and a dry run says what a run
// would take.
func TestManyRowsWantSpace(t *testing.T) {
	t.Parallel()
	in := rowInputs(rowFiles(t, rand.New(rand.NewPCG(9, 1)), 1000))
	o := ofRows(3, false)
	o.Temp = t.TempDir()
	o.Free = func(path string) (int64, bool) { return 40_000, path == o.Temp }
	if _, err := runTo(t.Context(), filepath.Join(t.TempDir(), "out"), nil, in, o); !errors.Is(err, warnings.ErrSpace) || !strings.Contains(err.Error(), o.Temp) {
		t.Errorf("%v, want ErrSpace", err)
	}
	o.Free, o.DryRun, o.State = nil, true, filepath.Join(t.TempDir(), "out")
	var is warnings.Estimate
	o.Expect = func(e warnings.Estimate) { is = e }
	if _, err := runTo(t.Context(), o.State, nil, in, o); err != nil || is.Documents != 3000 {
		t.Errorf("%v; %+v, want 3000 documents", err, is)
	}
}

// A command line may have any bytes.
func TestCommandThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	in := rowInputs(rowFiles(t, rand.New(rand.NewPCG(8, 1)), 100))
	out := filepath.Join(t.TempDir(), "out")
	for range 2 {
		o := ofRows(3, false)
		o.State, o.Command = out, "simsearch dedup --out x\xff"
		if _, err := runTo(t.Context(), out, nil, in, o); err != nil {
			t.Fatal(err)
		}
	}
}
