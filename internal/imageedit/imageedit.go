// Package imageedit makes the copies of a picture that people make: smaller, compressed again, cropped.
package imageedit

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"

	"golang.org/x/image/draw"
)

// An Edit makes a copy of a picture, as a file.
type Edit struct {
	Name string
	// Near says that people call the copy the same picture: it is smaller, compressed again or cropped by 2 % at most.
	Near bool

	scale   float64 // of the sides
	crop    float64 // share of the width and the height that is left out at each side
	quality int     // of the JPEG
	grey    bool    // shades of grey
	light   float64 // factor of all levels, or 0
}

const usualQuality = 85

// Edits returns all edits, each stronger than the one before of its kind.
func Edits() []Edit {
	edits := []Edit{}
	for _, quality := range []int{75, 50, 30, 10} {
		edits = append(edits, Edit{Name: fmt.Sprintf("JPEG of quality %d", quality), Near: true, scale: 1, quality: quality})
	}
	for _, scale := range []float64{0.75, 0.5, 0.25, 0.1} {
		edits = append(edits, Edit{Name: fmt.Sprintf("scaled to %.0f %%", 100*scale), Near: true, scale: scale, quality: usualQuality})
	}
	for _, crop := range []float64{0.01, 0.02, 0.05, 0.1} {
		edits = append(edits, Edit{Name: fmt.Sprintf("cropped by %.0f %% at each side", 100*crop), Near: crop <= 0.02, scale: 1, crop: crop, quality: usualQuality})
	}
	return append(edits,
		Edit{Name: "cropped by 1 %, scaled to 50 %, quality 50", Near: true, scale: 0.5, crop: 0.01, quality: 50},
		Edit{Name: "lighter by a fifth", scale: 1, light: 1.2, quality: usualQuality},
		Edit{Name: "without colours", scale: 1, grey: true, quality: usualQuality},
	)
}

// Apply returns the edited copy of a picture as a JPEG. A side has one pixel at least.
func (e Edit) Apply(m image.Image) ([]byte, error) {
	b := m.Bounds()
	if e.crop > 0 {
		dx, dy := int(e.crop*float64(b.Dx())), int(e.crop*float64(b.Dy()))
		b = image.Rect(b.Min.X+dx, b.Min.Y+dy, b.Max.X-dx, b.Max.Y-dy)
		if sub, ok := m.(interface {
			SubImage(r image.Rectangle) image.Image
		}); ok {
			m = sub.SubImage(b)
			b = m.Bounds()
		}
	}
	if e.scale != 1 {
		small := image.NewRGBA(image.Rect(0, 0, max(1, int(e.scale*float64(b.Dx()))), max(1, int(e.scale*float64(b.Dy())))))
		draw.Draw(small, small.Rect, image.White, image.Point{}, draw.Src)
		draw.CatmullRom.Scale(small, small.Rect, m, b, draw.Over, nil)
		m = small
	}
	if e.light != 0 || e.grey {
		m = e.recoloured(m)
	}
	var file bytes.Buffer
	err := jpeg.Encode(&file, m, &jpeg.Options{Quality: e.quality})
	return file.Bytes(), err
}

// recoloured returns a picture with other levels.
func (e Edit) recoloured(m image.Image) image.Image {
	b := m.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, m, b.Min, draw.Src)
	for at := 0; at < len(out.Pix); at += 4 {
		p := out.Pix[at : at+4]
		if e.grey {
			y := color.GrayModel.Convert(color.RGBA{p[0], p[1], p[2], p[3]}).(color.Gray).Y
			p[0], p[1], p[2] = y, y, y
		}
		if e.light != 0 {
			for i := range p[:3] {
				p[i] = uint8(min(255, float64(p[i])*e.light))
			}
		}
	}
	return out
}
