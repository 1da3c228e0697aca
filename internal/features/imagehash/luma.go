package imagehash

import (
	"image"
	"image/color"
)

// levelsOf returns the levels of a picture.
func levelsOf(m image.Image) *levels {
	b := m.Bounds()
	line, read := make([]uint8, b.Dx()), lumaOf(m)
	return &levels{width: b.Dx(), height: b.Dy(), row: func(y int) []uint8 { return read(line, b.Min.Y+y) }}
}

// A lumaReader returns the lumas of row y of a picture, which it may write to line.
type lumaReader func(line []uint8, y int) []uint8

// lumaOf returns the reader of a picture: from 0, which is black, to 255, on a white ground.
// It is that of plainPixel, but for JPEG, which has the luma already, and 255 levels of transparency.
func lumaOf(m image.Image) lumaReader {
	b := m.Bounds()
	switch m := m.(type) {
	case *image.YCbCr:
		return func(_ []uint8, y int) []uint8 { return m.Y[m.YOffset(b.Min.X, y):][:b.Dx()] }
	case *image.Gray:
		return func(_ []uint8, y int) []uint8 { return m.Pix[m.PixOffset(b.Min.X, y):][:b.Dx()] }
	}
	return pixels(m, pixelOf(m))
}

// pixelOf returns what reads the luma of a pixel of a picture.
func pixelOf(m image.Image) func(x, y int) uint8 {
	switch m := m.(type) {
	case *image.NYCbCrA:
		return func(x, y int) uint8 { return onWhite(m.Y[m.YOffset(x, y)], m.A[m.AOffset(x, y)]) }
	case *image.RGBA:
		return func(x, y int) uint8 {
			c := m.RGBAAt(x, y) // premultiplied
			return uint8(min(255, int(luma(c.R, c.G, c.B))+255-int(c.A)))
		}
	case *image.NRGBA:
		return func(x, y int) uint8 { return lumaOn(m.NRGBAAt(x, y)) }
	case *image.Paletted:
		var levels [256]uint8
		for i, c := range m.Palette {
			levels[i] = lumaAt(c)
		}
		return func(x, y int) uint8 { return levels[m.ColorIndexAt(x, y)] }
	}
	return plainPixel(m)
}

// plainPixel reads the pixels of any picture.
func plainPixel(m image.Image) func(x, y int) uint8 {
	return func(x, y int) uint8 { return lumaAt(m.At(x, y)) }
}

func pixels(m image.Image, pixel func(x, y int) uint8) lumaReader {
	from := m.Bounds().Min.X
	return func(line []uint8, y int) []uint8 {
		for i := range line {
			line[i] = pixel(from+i, y)
		}
		return line
	}
}

// lumaAt returns the luma of a colour on white.
func lumaAt(c color.Color) uint8 {
	return lumaOn(color.NRGBAModel.Convert(c).(color.NRGBA))
}

func lumaOn(c color.NRGBA) uint8 { return onWhite(luma(c.R, c.G, c.B), c.A) }

// luma returns the luma of ITU-R BT.601, 0.299·R + 0.587·G + 0.114·B, as image/color rounds it.
func luma(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}

// onWhite returns a level of so much opacity on white.
func onWhite(level, alpha uint8) uint8 {
	return uint8((uint32(level)*uint32(alpha) + 255*(255-uint32(alpha)) + 127) / 255)
}
