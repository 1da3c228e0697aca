package testkit

import (
	"bytes"
	"slices"
	"testing"
)

func TestSameNumberSamePicture(t *testing.T) {
	a, b, c := Photo(1, 200, 150), Photo(1, 200, 150), Photo(2, 200, 150)
	if !bytes.Equal(a.Y, b.Y) || !bytes.Equal(a.Cb, b.Cb) || !bytes.Equal(a.Cr, b.Cr) {
		t.Error("one number gives two pictures")
	}
	if bytes.Equal(a.Y, c.Y) {
		t.Error("two numbers give one picture")
	}
	if lo, hi := slices.Min(a.Y), slices.Max(a.Y); hi-lo < 100 {
		t.Errorf("levels from %d to %d: a flat picture", lo, hi)
	}
}

func TestOddSizes(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 5}, {5, 2}, {33, 7}, {7, 33}} {
		if m := Photo(3, size[0], size[1]); m.Bounds().Dx() != size[0] || m.Bounds().Dy() != size[1] {
			t.Errorf("%v: %v", size, m.Bounds())
		}
	}
}
