package wal

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"simsearch/internal/ground/section"
)

// salvage returns which records Salvage finds in a log, and how often it tells of damage.
func salvage(t testing.TB, log []byte) (found map[int]bool, lost int) {
	t.Helper()
	found = map[int]bool{}
	last := -1
	err := Salvage(put(t, log), "log", 7, func(p []byte) error {
		var i int
		if _, err := fmt.Sscanf(string(p), "record %d", &i); err != nil || !bytes.Equal(p, payload(i)) || i <= last {
			t.Fatalf("record %q behind %d: %v", p, last, err)
		}
		last, found[i] = i, true
		return nil
	}, func(err error, bytes int64) {
		if lost++; !errors.Is(err, section.ErrCorrupt) || bytes <= 0 && !errors.Is(err, errUnbegun) {
			t.Fatalf("%d bytes are lost: %v", bytes, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, lost
}

// A flipped bit takes one record, or two if it is in the header of a record. Where Read reads everything, so does
// Salvage.
func TestSalvageFlippedBits(t *testing.T) {
	t.Parallel()
	log, ends := example(t, 1, 3, 2, 1)
	for bit := 8 * headerSize; bit < 8*len(log); bit++ {
		damaged := bytes.Clone(log)
		damaged[bit/8] ^= 1 << (bit % 8)
		n, _, err := readAll(t, damaged)
		found, lost := salvage(t, damaged)
		if (err != nil) != (lost > 0) {
			t.Fatalf("bit %d: %d parts are lost, Read gives %v", bit, lost, err)
		}
		if err == nil && len(found) != n {
			t.Fatalf("bit %d: %d records, Read has %d", bit, len(found), n)
		}
		for i := range n {
			if !found[i] {
				t.Fatalf("bit %d: record %d is lost, which Read reads", bit, i)
			}
		}
		if err != nil && len(found) < len(ends)-2 {
			t.Fatalf("bit %d: %d of %d records", bit, len(found), len(ends))
		}
	}
}

func TestSalvageOtherDamage(t *testing.T) {
	t.Parallel()
	log, ends := example(t, 1, 1, 1, 1, 1)
	for end := range log {
		found, lost := salvage(t, log[:end])
		want := 0
		for _, e := range ends {
			if e <= int64(end) && end >= recordsAt {
				want++
			}
		}
		if len(found) != want || lost == 0 {
			t.Fatalf("%d bytes: %d records in spite of %d parts, want %d", end, len(found), lost, want)
		}
	}
	for i := range ends {
		damaged := bytes.Clone(log)
		from := int64(recordsAt)
		if i > 0 {
			from = ends[i-1]
		}
		clear(damaged[from:ends[i]])
		// The one behind cannot be told from others.
		if found, lost := salvage(t, damaged); lost == 0 && i+2 < len(ends) || len(found) < len(ends)-2 || found[i] {
			t.Errorf("record %d is zero: %v, %d parts are lost", i, found, lost)
		}
	}
	if found, lost := salvage(t, bytes.Repeat([]byte{0}, len(log))); len(found) != 0 || lost != 1 {
		t.Errorf("zeros have %d records", len(found))
	}
}
