package imagehash

// averageReference is what average must return, in the plainest way: it divides each pixel into w·h parts and sums
// parts.
func averageReference(l *levels, w, h int) []uint32 {
	sums := make([]uint64, w*h)
	for y := range l.height {
		line := l.row(y)
		for part := range h {
			cellRow := (y*h + part) / l.height
			for x := range l.width * w {
				sums[cellRow*w+x/l.width] += uint64(line[x/w])
			}
		}
	}
	cells := make([]uint32, len(sums))
	for i, sum := range sums {
		cells[i] = uint32(sum * cellUnit / (uint64(l.width) * uint64(l.height)))
	}
	return cells
}
