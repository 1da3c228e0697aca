package testkit

import (
	"image"
	"math"
	"math/rand/v2"
)

// A layer is noise of one size: random levels at the corners of a grid, and what lies between them.
type layer struct {
	levels []float32
	w, h   int
}

func newLayer(r *rand.Rand, w, h int) layer {
	l := layer{make([]float32, (w+2)*(h+2)), w, h}
	for i := range l.levels {
		l.levels[i] = 2*r.Float32() - 1
	}
	return l
}

// row sets row to the levels at the height v, in [0, 1), for columns from left to right.
func (l layer) row(row []float32, v float32) {
	y := v * float32(l.h)
	top := l.levels[int(y)*(l.w+2):]
	bottom := top[l.w+2:]
	fy := smooth(y - float32(int(y)))
	step := float32(l.w) / float32(len(row))
	for i := range row {
		x := float32(i) * step
		at := int(x)
		fx := smooth(x - float32(at))
		a := top[at] + (top[at+1]-top[at])*fx
		b := bottom[at] + (bottom[at+1]-bottom[at])*fx
		row[i] += (a + (b-a)*fy) / float32(math.Sqrt(float64(l.w*l.h)))
	}
}

func smooth(t float32) float32 { return t * t * (3 - 2*t) }

// A thing is an ellipse of one colour.
type thing struct {
	x, y, rx, ry float32 // in shares of the width and the height
	level        float32
	cb, cr       uint8
}

// Photo returns a made-up picture, number n, of so many pixels. To a hash it is what photographs are: light and dark
// in all sizes, with a horizon, things with edges before it, and the noise of a sensor. It is as a camera would store
// it as JPEG: the colours have half of the columns and rows.
func Photo(n uint64, width, height int) *image.YCbCr {
	r := rand.New(rand.NewPCG(n, 1))
	m := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	var layers []layer
	for size := 2; size <= 256 && size < width; size *= 2 {
		layers = append(layers, newLayer(r, size, max(1, size*height/width)))
	}
	tint := newLayer(r, 3, 2)
	things := make([]thing, 3+r.IntN(8))
	for i := range things {
		things[i] = thing{
			r.Float32(), r.Float32(), 0.03 + 0.2*r.Float32(), 0.03 + 0.2*r.Float32(), 180*r.Float32() - 90,
			uint8(80 + r.IntN(96)), uint8(80 + r.IntN(96)),
		}
	}
	horizon, ground := 0.2+0.6*r.Float32(), 80*r.Float32()-40
	slope, light := 0.6*r.Float32()-0.3, 60*r.Float32()-30
	row, colour := make([]float32, width), make([]float32, width)
	noise := r.Uint64() | 1
	for y := range height {
		v := float32(y) / float32(height)
		clear(row)
		for _, l := range layers {
			l.row(row, v)
		}
		if y%2 == 0 {
			clear(colour)
			tint.row(colour, v)
		}
		out := m.Y[y*m.YStride:][:width]
		for x := range out {
			u := float32(x) / float32(width)
			level := 128 + 190*row[x] + light*u
			if v+slope*(u-0.5) > horizon {
				level += ground
			}
			cb, cr := 128+70*colour[x], 128-50*colour[x]
			for _, t := range things {
				if dx, dy := (u-t.x)/t.rx, (v-t.y)/t.ry; dx*dx+dy*dy < 1 {
					level, cb, cr = level*0.5+64+t.level, float32(t.cb), float32(t.cr)
				}
			}
			noise ^= noise << 13
			noise ^= noise >> 7
			noise ^= noise << 17
			level += float32(int(noise&7)+int(noise>>8&7)-7) * 1.1
			out[x] = byteOf(level)
			if x%2 == 0 && y%2 == 0 {
				at := m.COffset(x, y)
				m.Cb[at], m.Cr[at] = byteOf(cb), byteOf(cr)
			}
		}
	}
	return m
}

func byteOf(level float32) uint8 { return uint8(min(255, max(0, level))) }
