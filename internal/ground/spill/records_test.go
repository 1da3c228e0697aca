package spill

import (
	"fmt"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
)

// Records are read in any order, from memory and from a file.
func TestRecords(t *testing.T) {
	for _, hold := range []int{1, 1 << 20} {
		r := Records{Bytes: NewBytes(disk.OS, t.TempDir(), hold)}
		for i := range 100 {
			r.Add(fmt.Appendf(nil, "%0*d", i%7, i)[:i%7])
			if err := r.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Map(); err != nil {
			t.Fatal(err)
		}
		for i := 99; i >= 0; i-- {
			if want := fmt.Sprintf("%0*d", i%7, i)[:i%7]; string(r.At(i)) != want {
				t.Errorf("record %d is %q, want %q", i, r.At(i), want)
			}
		}
		if r.Len() != 100 || r.InFile() != (hold == 1) {
			t.Errorf("%d records, in a file %v", r.Len(), r.InFile())
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Records of numbers are what they were, whether they have some or none.
func TestRecordsOfNumbers(t *testing.T) {
	r := Records{Bytes: NewBytes(disk.OS, t.TempDir(), 16)}
	lists := [][]uint64{{1, 1 << 63, 0}, {}, {7}}
	for _, list := range lists {
		r.AddWords(list...)
	}
	if err := r.Map(); err != nil {
		t.Fatal(err)
	}
	for i, want := range lists {
		if got := r.Words(i); !slices.Equal(got, want) {
			t.Errorf("record %d is %v, want %v", i, got, want)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
