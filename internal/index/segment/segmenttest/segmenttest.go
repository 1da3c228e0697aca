// Package segmenttest opens segments for tests, and damages them.
package segmenttest

import (
	"os"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
)

// Open opens a segment and checks only its outline. It is closed when the test ends.
func Open(t testing.TB, dir string, ref segment.Ref, layout segment.Layout) *segment.Segment {
	t.Helper()
	s, err := segment.Open(disk.OS, dir, ref, layout, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Flip changes a bit in the middle of a section of the file at path.
func Flip(t testing.TB, path, name string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := section.Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	flipped := false
	f.Sections(func(sec string, offset, length uint64) bool {
		if sec == name && length > 0 {
			data[offset+length/2] ^= 1
			flipped = true
		}
		return !flipped
	})
	if !flipped {
		t.Fatalf("%s has no section %s", path, name)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
