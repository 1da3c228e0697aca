package imagehash

import (
	"image"
	"image/color"
)

// levelsOf returns the levels of a picture.
func levelsOf(m image.Image) *levels {
	b := m.Bounds()
	line, read := make([]uint8, b.Dx()), lumaOf(m)
	return &levels{b.Dx(), b.Dy(), func(y int) []uint8 { return read(line, b.Min.Y+y) }}
}

// A lumaReader returns the lumas of row y of a picture, which it may write to line.
type lumaReader func(line []uint8, y int) []uint8

// lumaOf returns the reader of a picture: from 0, which is black, to 255, on a white ground.
// It is that of plainLuma, but for JPEG, which has the luma already, and 255 levels of transparency.
func lumaOf(m image.Image) lumaReader {
	b := m.Bounds()
	switch m := m.(type) {
	case *image.YCbCr:
		return func(_ []uint8, y int) []uint8 { return m.Y[m.YOffset(b.Min.X, y):][:b.Dx()] }
	case *image.Gray:
		return func(_ []uint8, y int) []uint8 { return m.Pix[m.PixOffset(b.Min.X, y):][:b.Dx()] }
	case *image.NYCbCrA:
		return func(line []uint8, y int) []uint8 {
			alpha := m.A[m.AOffset(b.Min.X, y):][:b.Dx()]
			for i, level := range m.Y[m.YOffset(b.Min.X, y):][:b.Dx()] {
				line[i] = onWhite(level, alpha[i])
			}
			return line
		}
	case *image.RGBA: // premultiplied
		return func(line []uint8, y int) []uint8 {
			pix := m.Pix[m.PixOffset(b.Min.X, y):][:4*b.Dx()]
			for i := range line {
				p := pix[4*i : 4*i+4 : 4*i+4]
				line[i] = uint8(min(255, int(luma(p[0], p[1], p[2]))+255-int(p[3])))
			}
			return line
		}
	case *image.NRGBA:
		return func(line []uint8, y int) []uint8 {
			pix := m.Pix[m.PixOffset(b.Min.X, y):][:4*b.Dx()]
			for i := range line {
				p := pix[4*i : 4*i+4 : 4*i+4]
				line[i] = onWhite(luma(p[0], p[1], p[2]), p[3])
			}
			return line
		}
	case *image.Paletted:
		var levels [256]uint8
		for i, c := range m.Palette {
			levels[i] = lumaAt(c)
		}
		return func(line []uint8, y int) []uint8 {
			for i, entry := range m.Pix[m.PixOffset(b.Min.X, y):][:b.Dx()] {
				line[i] = levels[entry]
			}
			return line
		}
	}
	return plainLuma(m)
}

// plainLuma reads any picture, pixel by pixel.
func plainLuma(m image.Image) lumaReader {
	b := m.Bounds()
	return func(line []uint8, y int) []uint8 {
		for i := range line {
			line[i] = lumaAt(m.At(b.Min.X+i, y))
		}
		return line
	}
}

// lumaAt returns the luma of a colour on white.
func lumaAt(c color.Color) uint8 {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return onWhite(luma(n.R, n.G, n.B), n.A)
}

// luma returns the luma of ITU-R BT.601, 0.299·R + 0.587·G + 0.114·B, as image/color rounds it.
func luma(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}

// onWhite returns a level of so much opacity on white.
func onWhite(level, alpha uint8) uint8 {
	return uint8((uint32(level)*uint32(alpha) + 255*(255-uint32(alpha)) + 127) / 255)
}
