package imagehash

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // formats of image.Decode
	_ "image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/webp"
)

// MaxPixels is the number of pixels to which pictures are bounded unless a caller has less memory. Decoding takes
// 1 to 8 bytes a pixel, and 16 for a progressive JPEG.
const MaxPixels = 1 << 26

// maxSide is the number of columns, and of rows, to which pictures are bounded. The filter that makes them small
// takes 24 bytes for each; JPEG, GIF and WebP have at most 65,535.
const maxSide = 1 << 20

// maxScans is the number of scans of a JPEG that is not refused. Progressive ones have about ten. More are made to
// keep a decoder busy: each one goes over all pixels, in a few bytes.
const maxScans = 100

// Errors of Decode.
var (
	// errFormat is returned for what is no PNG, JPEG, GIF or WebP file by its first bytes.
	errFormat = errors.New("no picture: it is no PNG, JPEG, GIF or WebP file")
	// errTooLarge is returned for a picture with too many pixels. It has not been decoded.
	errTooLarge = errors.New("the picture is too large")
	// ErrDamaged is returned for a picture that cannot be decoded.
	ErrDamaged = errors.New("the picture is damaged, or of an unknown kind")
)

// A Picture is a decoded file.
type Picture struct {
	Image image.Image // as it is stored; of an animation, the first frame
	// Orientation says how the picture is to be turned, as EXIF 2.3 numbers it (tag 0x0112): 1 is as
	// stored, 3 upside down, 6 and 8 by 90 degrees clockwise and back, 2, 4, 5 and 7 mirrored, too.
	Orientation int
}

// Size returns the width and height in pixels of the picture as it is to be seen.
func (p *Picture) Size() (width, height int) {
	size := p.Image.Bounds().Size()
	if turning(p.Orientation).turned() {
		return size.Y, size.X
	}
	return size.X, size.Y
}

// formats are the formats of pictures, by their first bytes, where ? is any byte. Those behind WebP are not read.
var formats = []struct{ name, signature string }{
	{"JPEG", "\xff\xd8\xff"},
	{"PNG", "\x89PNG\r\n\x1a\n"},
	{"GIF", "GIF87a"},
	{"GIF", "GIF89a"},
	{"WebP", "RIFF????WEBP"},
	{"AVIF", "????ftypavi"},
	{"HEIC", "????ftyphei"},
	{"HEIC", "????ftyphev"},
	{"HEIC", "????ftypmif1"},
	{"HEIC", "????ftypmsf1"},
	{"TIFF", "II*\x00"},
	{"TIFF", "MM\x00*"},
	{"BMP", "BM????\x00\x00\x00\x00"},
	{"JPEG XL", "\x00\x00\x00\x0cJXL "},
	{"JPEG 2000", "\x00\x00\x00\x0cjP  "},
	{"Photoshop", "8BPS\x00\x01"},
}

// Format returns the name of the format of a picture in a file that begins with head, 12 bytes or more, such as JPEG.
// It returns "" for any other file.
func Format(head []byte) string {
next:
	for _, f := range formats {
		for i := range f.signature {
			if i == len(head) || head[i] != f.signature[i] && f.signature[i] != '?' {
				continue next
			}
		}
		return f.name
	}
	return ""
}

// IsRead reports whether Decode reads pictures in a format that Format has returned: JPEG, PNG, GIF and WebP.
func IsRead(format string) bool {
	return format == "JPEG" || format == "PNG" || format == "GIF" || format == "WebP"
}

// Size returns the width and height in pixels of the picture in a file, as it is stored, without decoding it. The
// errors are those of Decode.
func Size(data []byte) (width, height int, err error) {
	format := Format(data)
	if !IsRead(format) {
		if format != "" {
			return 0, 0, fmt.Errorf("a picture in %s, which is not read: make it a JPEG first", format)
		}
		return 0, 0, errFormat
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s: %w", ErrDamaged, format, err)
	}
	return config.Width, config.Height, nil
}

// Decode decodes a file of at most so many pixels. The error is errFormat, errTooLarge or ErrDamaged. A picture that is
// too large is refused before memory is taken for it. The result does not share memory with data.
func Decode(data []byte, maxPixels int) (p *Picture, err error) {
	format := Format(data)
	width, height, err := Size(data)
	switch {
	case err != nil:
		return nil, err
	case width <= 0 || height <= 0:
		return nil, fmt.Errorf("%w: %d by %d pixels", ErrDamaged, width, height)
	case height > maxPixels/width:
		return nil, fmt.Errorf("%w: %d by %d pixels, want at most %d million", errTooLarge, width, height, maxPixels/1_000_000)
	case max(width, height) > maxSide:
		return nil, fmt.Errorf("%w: %d by %d pixels, want sides of at most %d", errTooLarge, width, height, maxSide)
	case format == "JPEG" && bytes.Count(data, []byte("\xff\xda")) > maxScans:
		return nil, fmt.Errorf("%w: a JPEG of more than %d scans", ErrDamaged, maxScans)
	}
	defer func() { // a decoder that panics has found damage that it does not know
		if panicked := recover(); panicked != nil {
			p, err = nil, fmt.Errorf("%w: %s: the decoder says: %v", ErrDamaged, format, panicked)
		}
	}()
	first, animated := frame{}, false
	if format == "WebP" {
		if first, animated = firstFrame(data); animated {
			data = first.file
		}
	}
	m, _, err := image.Decode(bytes.NewReader(data))
	if err == nil && animated {
		m = first.on(m)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, format, err)
	}
	p = &Picture{Image: m, Orientation: 1}
	if format == "JPEG" {
		p.Orientation = orientation(data)
	}
	return p, nil
}
