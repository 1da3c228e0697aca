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

	mirrored, turned bool    // from left to right; by a quarter
	border           float64 // share of the width that is added at each side
	colour           color.Color
	positions        bool // the copy is compared in all positions and without its border, as near does
}

// edits returns all edits, each stronger than the one before of its kind.
func edits() (out []edit) {
	const usual = 85 // quality
	for _, quality := range []int{75, 50, 30, 10} {
		out = append(out, edit{name: fmt.Sprintf("JPEG of quality %d", quality), near: true, scale: 1, quality: quality, light: 1})
	}
	for _, scale := range []float64{0.75, 0.5, 0.25, 0.1} {
		out = append(out, edit{name: fmt.Sprintf("scaled to %.0f %%", 100*scale), near: true, scale: scale, quality: usual, light: 1})
	}
	for _, crop := range []float64{0.01, 0.02, 0.05, 0.1} {
		out = append(out, edit{name: fmt.Sprintf("cropped by %.0f %% at each side", 100*crop), near: crop <= 0.02, scale: 1, crop: crop, quality: usual, light: 1})
	}
	return append(out,
		edit{name: "cropped by 1 %, scaled to 50 %, quality 50", near: true, scale: 0.5, crop: 0.01, quality: 50, light: 1},
		edit{name: "lighter by a fifth", scale: 1, quality: usual, light: 1.2},
		edit{name: "mirrored, scaled to 75 %", scale: .75, quality: usual, light: 1, mirrored: true, positions: true},
		edit{name: "turned by a quarter, scaled to 75 %", scale: .75, quality: usual, light: 1, turned: true, positions: true},
		edit{name: "with a white border of 5 % of the width", scale: 1, quality: usual, light: 1, border: .05, colour: color.White, positions: true},
		edit{name: "with a black border of 15 % of the width", scale: 1, quality: usual, light: 1, border: .15, colour: color.Black, positions: true},
		edit{name: "without colours", scale: 1, quality: usual, grey: true, light: 1},
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
	m = e.moved(m)
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

// moved returns a picture that is mirrored or turned, or inside a border.
func (e edit) moved(m image.Image) image.Image {
	b, width := m.Bounds(), int(e.border*float64(m.Bounds().Dx()))
	if !e.mirrored && !e.turned && width == 0 {
		return m
	}
	size := image.Pt(b.Dx()+2*width, b.Dy()+2*width)
	if e.turned {
		size = image.Pt(size.Y, size.X)
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	if e.colour != nil {
		draw.Draw(out, out.Rect, image.NewUniform(e.colour), image.Point{}, draw.Src)
	}
	for y := range b.Dy() {
		for x := range b.Dx() {
			to := image.Pt(x+width, y+width)
			switch {
			case e.mirrored:
				to.X = size.X - 1 - to.X
			case e.turned:
				to = image.Pt(size.X-1-to.Y, to.X)
			}
			out.Set(to.X, to.Y, m.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return out
}
