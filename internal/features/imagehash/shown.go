package imagehash

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"

	"golang.org/x/image/draw"

	"simsearch/internal/ground/terminal"
)

// About returns the size in pixels of the picture in a file, as it is stored, its format and the size of the file.
// The errors are those of Size.
func About(data []byte) (string, error) {
	width, height, err := Size(data)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d × %d pixels, %s, %s", width, height, Format(data), terminal.Bytes(int64(len(data)))), nil
}

// Upright returns the picture as it is to be seen. It is the Image itself if that is not turned.
func (p *Picture) Upright() image.Image {
	if p.Orientation <= 1 {
		return p.Image
	}
	w, h := p.Size()
	out, from := image.NewRGBA(image.Rect(0, 0, w, h)), p.Image.Bounds().Min
	for y := range h {
		for x := range w {
			column, row := turning(p.Orientation).stored(x, y, w, h)
			out.Set(x, y, p.Image.At(from.X+column, from.Y+row))
		}
	}
	return out
}

// thumbnailQuality is that of the JPEG of a thumbnail: 2 to 8 KB for 160 by 120 pixels.
const thumbnailQuality = 70

// Thumbnail returns a small copy of the picture, upright, on white, as a JPEG that has at most side columns and rows.
// A smaller picture stays as large as it is.
func (p *Picture) Thumbnail(side int) ([]byte, error) {
	w, h := p.Image.Bounds().Dx(), p.Image.Bounds().Dy()
	if longest := max(w, h); longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(small, small.Rect, image.White, image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(small, small.Rect, p.Image, p.Image.Bounds(), draw.Over, nil)
	upright := (&Picture{small, p.Orientation}).Upright()
	var b bytes.Buffer
	err := jpeg.Encode(&b, upright, &jpeg.Options{Quality: thumbnailQuality})
	return b.Bytes(), err
}
