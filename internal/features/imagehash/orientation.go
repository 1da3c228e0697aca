package imagehash

import (
	"bytes"
	"encoding/binary"
)

// orientation returns the orientation that the EXIF data of a JPEG give, from 1 to 8. Without any, and if they are
// damaged, it is 1.
func orientation(data []byte) int {
	const (
		startOfScan = 0xda
		app1        = 0xe1
	)
	for rest := data[min(2, len(data)):]; len(rest) >= 4 && rest[0] == 0xff && rest[1] != startOfScan; {
		if rest[1] == 0xff { // a fill byte
			rest = rest[1:]
			continue
		}
		size := int(binary.BigEndian.Uint16(rest[2:]))
		if size < 2 || size > len(rest)-2 {
			break
		}
		if exif, ok := bytes.CutPrefix(rest[4:2+size], []byte("Exif\x00\x00")); ok && rest[1] == app1 {
			return exifOrientation(exif)
		}
		rest = rest[2+size:]
	}
	return 1
}

// exifOrientation returns the orientation in the first directory of EXIF data, which have the form of a TIFF file.
func exifOrientation(tiff []byte) int {
	const (
		entryBytes     = 12
		orientationTag = 0x0112
		short          = 3
	)
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for n := order.Uint16(tiff[at:]); n > 0 && len(entries) >= entryBytes; n-- {
		if order.Uint16(entries) == orientationTag && order.Uint16(entries[2:]) == short {
			if o := order.Uint16(entries[8:]); o >= 1 && o <= 8 {
				return int(o)
			}
			return 1
		}
		entries = entries[entryBytes:]
	}
	return 1
}

// A turning is an orientation.
type turning int

// turned reports whether columns of the picture as it is seen are rows of the one that is stored.
func (t turning) turned() bool { return t >= 5 && t <= 8 }

// stored returns where a cell of w columns and h rows that are seen is in the picture that is stored.
func (t turning) stored(x, y, w, h int) (column, row int) {
	if t&2 != 0 {
		x = w - 1 - x
	}
	if t > 1 && (t-1)&2 != 0 {
		y = h - 1 - y
	}
	if t.turned() {
		return y, x
	}
	return x, y
}

// small returns w columns and h rows of cells of a picture that is turned. Turning is left to the cells: it is
// cheaper for 72 cells than for two million pixels, and the same.
func (t turning) small(l *levels, w, h int) []uint8 {
	width, height, last := w, h, &l.upright
	if t.turned() {
		width, height, last = h, w, &l.lying
	}
	if len(*last) != w*h {
		*last = l.small(width, height, t.turned())
	}
	cells := *last
	out := make([]uint8, 0, len(cells))
	for y := range h {
		for x := range w {
			column, row := t.stored(x, y, w, h)
			out = append(out, cells[row*width+column])
		}
	}
	return out
}
