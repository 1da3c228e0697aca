package imagehash

// cellUnit is what a level of 255 is in cells.
const cellUnit = 256

// levels are the lumas of a picture, row by row.
type levels struct {
	width, height int // of the picture in pixels, 1 or more
	// row returns the levels of row y. They are valid until the next call.
	row func(y int) []uint8
}

// average returns the mean levels of w columns and h rows of a picture, in units of 1/cellUnit levels, rounded
// down, in the order of reading. A cell is the mean of what it covers of the picture, pixels in parts, too; a small
// picture is drawn out.
//
// Pixel x of W covers [x·w, (x+1)·w) of the w·W units of a row, and cell i covers [i·W, (i+1)·W). So all weights
// are integers, and sums are exact: at most 255·W·H.
func (l *levels) average(w, h int) []uint32 {
	sums := make([]uint64, w*h)
	row := make([]uint64, w)
	for y := range l.height {
		l.sumCells(row, l.row(y))
		// Row y covers [y·h, (y+1)·h), and a row of cells H of these units.
		for at, end := y*h, (y+1)*h; at < end; {
			cell := at / l.height
			to := min(end, (cell+1)*l.height)
			weight := uint64(to - at)
			for x, sum := range row {
				sums[cell*w+x] += weight * sum
			}
			at = to
		}
	}
	size := uint64(l.width) * uint64(l.height)
	cells := make([]uint32, len(sums))
	for i, sum := range sums {
		cells[i] = uint32(sum * cellUnit / size)
	}
	return cells
}

// sumCells sets row[i] to the sum of the levels of line that cell i covers, weighted by how much, in units of
// a pixel/len(row).
func (l *levels) sumCells(row []uint64, line []uint8) {
	one := len(row) // units of a pixel
	for i := range row {
		from, to := i*l.width, (i+1)*l.width // in units
		first, last := from/one, (to-1)/one
		if first == last {
			row[i] = uint64(line[first]) * uint64(to-from)
			continue
		}
		sum := uint64(0)
		for _, level := range line[first+1 : last] {
			sum += uint64(level)
		}
		sum *= uint64(one)
		sum += uint64(line[first]) * uint64((first+1)*one-from)
		sum += uint64(line[last]) * uint64(to-last*one)
		row[i] = sum
	}
}
