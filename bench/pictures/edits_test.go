package main

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"simsearch/internal/tests/testkit"
)

func TestEdits(t *testing.T) {
	m := testkit.Photo(1, 200, 100)
	want := map[string]image.Point{
		"scaled to 50 %": image.Pt(100, 50), "scaled to 10 %": image.Pt(20, 10), "cropped by 5 % at each side": image.Pt(180, 90),
		"cropped by 1 %, scaled to 50 %, quality 50": image.Pt(98, 49), "without colours": image.Pt(200, 100),
	}
	for _, e := range edits() {
		file, err := e.apply(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := jpeg.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if size, ok := want[e.name]; ok && got.Bounds().Size() != size {
			t.Errorf("%s: %v, want %v", e.name, got.Bounds(), size)
		}
		delete(want, e.name)
		if file, err := e.apply(image.NewGray(image.Rect(0, 0, 1, 1))); err != nil || len(file) == 0 {
			t.Errorf("%s of one pixel: %v", e.name, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no edit %v", want)
	}
}
