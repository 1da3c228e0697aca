package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"

	"golang.org/x/image/draw"
)

// An edit makes a copy of a picture, as a file, as people do it: smaller, compressed again, cropped.
type edit struct {
	name string
	near bool // people call the copy the same picture: it is smaller, compressed again or cropped by 2 % at most

	scale   float64 // of the sides
	crop    float64 // share of the width and the height that is left out at each side
	quality int     // of the JPEG
	grey    bool    // shades of grey
	light   float64 // factor of all levels
}

// edits returns all edits, each stronger than the one before of its kind.
func edits() (out []edit) {
	const usual = 85 // quality
	for _, quality := range []int{75, 50, 30, 10} {
		out = append(out, edit{fmt.Sprintf("JPEG of quality %d", quality), true, 1, 0, quality, false, 1})
	}
	for _, scale := range []float64{0.75, 0.5, 0.25, 0.1} {
		out = append(out, edit{fmt.Sprintf("scaled to %.0f %%", 100*scale), true, scale, 0, usual, false, 1})
	}
	for _, crop := range []float64{0.01, 0.02, 0.05, 0.1} {
		out = append(out, edit{fmt.Sprintf("cropped by %.0f %% at each side", 100*crop), crop <= 0.02, 1, crop, usual, false, 1})
	}
	return append(out,
		edit{"cropped by 1 %, scaled to 50 %, quality 50", true, 0.5, 0.01, 50, false, 1},
		edit{"lighter by a fifth", false, 1, 0, usual, false, 1.2},
		edit{"without colours", false, 1, 0, usual, true, 1},
	)
}

// apply returns the edited copy of a picture as a JPEG. A side has one pixel at least.
func (e edit) apply(m image.Image) ([]byte, error) {
	b := m.Bounds()
	if e.crop > 0 {
		dx, dy := int(e.crop*float64(b.Dx())), int(e.crop*float64(b.Dy()))
		if sub, ok := m.(interface {
			SubImage(r image.Rectangle) image.Image
		}); ok {
			m = sub.SubImage(image.Rect(b.Min.X+dx, b.Min.Y+dy, b.Max.X-dx, b.Max.Y-dy))
			b = m.Bounds()
		}
	}
	if e.scale != 1 {
		small := image.NewRGBA(image.Rect(0, 0, max(1, int(e.scale*float64(b.Dx()))), max(1, int(e.scale*float64(b.Dy())))))
		draw.Draw(small, small.Rect, image.White, image.Point{}, draw.Src)
		draw.CatmullRom.Scale(small, small.Rect, m, b, draw.Over, nil)
		m = small
	}
	if e.light != 1 || e.grey {
		m = e.recoloured(m)
	}
	var file bytes.Buffer
	err := jpeg.Encode(&file, m, &jpeg.Options{Quality: e.quality})
	return file.Bytes(), err
}

// recoloured returns a picture with other levels.
func (e edit) recoloured(m image.Image) image.Image {
	b := m.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, m, b.Min, draw.Src)
	for at := 0; at < len(out.Pix); at += 4 {
		p := out.Pix[at : at+4]
		if e.grey {
			y := color.GrayModel.Convert(color.RGBA{p[0], p[1], p[2], p[3]}).(color.Gray).Y
			p[0], p[1], p[2] = y, y, y
		}
		for i := range p[:3] {
			p[i] = uint8(min(255, float64(p[i])*e.light))
		}
	}
	return out
}
