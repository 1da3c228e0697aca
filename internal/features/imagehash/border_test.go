package imagehash

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math/bits"
	"os"
	"testing"
)

// framed returns a picture with borders of so many pixels at the left, the top, the right and the bottom.
func framed(m image.Image, with color.Color, left, top, right, bottom int) image.Image {
	b := m.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, left+b.Dx()+right, top+b.Dy()+bottom))
	draw.Draw(out, out.Bounds(), image.NewUniform(with), image.Point{}, draw.Src)
	draw.Draw(out, b.Sub(b.Min).Add(image.Pt(left, top)), m, b.Min, draw.Src)
	return out
}

// A picture with a border has the hashes of the one inside, too, in all positions.
func TestBorders(t *testing.T) {
	t.Parallel()
	m := noise(300, 200)
	grey := color.Gray{90}
	for name, tt := range map[string]struct {
		with                     color.Color
		left, top, right, bottom int
		way                      int
		more                     bool
	}{
		"none":            {grey, 0, 0, 0, 0, 1, false},
		"around":          {color.White, 20, 30, 40, 10, 1, true},
		"above and below": {color.Black, 0, 60, 0, 60, 1, true},
		"at one side":     {grey, 0, 0, 7, 0, 1, true},
		"turned":          {grey, 20, 30, 40, 10, 6, true},
		"wider than half": {grey, 200, 0, 200, 0, 1, false},
		"higher":          {grey, 0, 150, 0, 150, 1, false},
	} {
		for _, k := range []Kind{Difference, DCT} {
			got := k.Positions(&Picture{framed(m, tt.with, tt.left, tt.top, tt.right, tt.bottom), tt.way})
			if want := map[bool]int{false: 8, true: 16}[tt.more]; len(got) != want {
				t.Fatalf("%s: %v has %d hashes, want %d", name, k, len(got), want)
			}
			if want := k.Positions(&Picture{m, tt.way}); tt.more && got[8] != want[0] || got[len(got)-1] != want[7] && tt.more {
				t.Errorf("%s: %v has %016x inside the border, want %016x", name, k, got[8:], want)
			}
		}
	}
	photo, err := os.ReadFile("../../../testdata/pictures/mill.jpg")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Decode(photo, MaxPixels)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := DCT.Of(p)
	for _, with := range []color.Color{color.White, color.Black, color.RGBA{200, 30, 60, 255}} {
		var file bytes.Buffer
		if err := jpeg.Encode(&file, framed(p.Image, with, 21, 35, 21, 50), nil); err != nil {
			t.Fatal(err)
		}
		bordered, err := Decode(file.Bytes(), MaxPixels)
		if err != nil {
			t.Fatal(err)
		}
		if got := DCT.Positions(bordered); len(got) != 16 || bits.OnesCount64(got[8]^want) > 6 || bits.OnesCount64(got[0]^want) < 10 {
			t.Errorf("with a border of %v: %016x, want %016x", with, got, want)
		}
	}
	if got := DCT.Positions(&Picture{image.NewGray(image.Rect(0, 0, 3, 3)), 1}); got != nil {
		t.Errorf("a flat picture has %x", got)
	}
}
