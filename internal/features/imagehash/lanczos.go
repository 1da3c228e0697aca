package imagehash

import "math"

// Pictures are made small as Pillow does it, the library that ImageHash and most programs around it are made with: by
// the Lanczos filter of three lobes, drawn out to the size of a cell, so that it is an average of what lies around
// the cell. Columns are made first, and then rows of these, each rounded to a level. Weights are integers, so that
// sums are exact, and the levels are the very ones of Image.resize in Pillow 11 (testdata/golden.py). Pillow 13 makes
// rows first where a picture is tall, which moves a level by one here and there.

const (
	lobes      = 3  // of the filter at each side
	weightBits = 22 // of a weight behind the point
)

// levels are the lumas of a picture, row by row.
type levels struct {
	width, height int // of the picture in pixels, 1 or more
	// row returns the levels of row y. They are valid until the next call.
	row func(y int) []uint8
	// upright and lying are what small has returned last, for pictures that are not turned and that are.
	upright, lying []uint8
}

// A cell is what a column or a row of the small picture is made of: pixels from first on, with these weights, whose
// sum is 1 in units of 2^-weightBits, but for rounding.
type cell struct {
	first   int
	weights []int32
}

// cellsOf returns n cells of a side of so many pixels. If cells are larger than a pixel, each pixel is in six of them.
func cellsOf(pixels, n int) []cell {
	cells := make([]cell, n)
	scale := float64(pixels) / float64(n)
	wide := max(scale, 1) // small pictures are drawn out
	var weights []float64
	for i := range cells {
		center := (float64(i) + 0.5) * scale
		first := max(0, int(center-lobes*wide+0.5))
		end := min(pixels, int(center+lobes*wide+0.5))
		weights = weights[:0]
		sum := 0.0
		for x := first; x < end; x++ {
			w := lanczos((float64(x) - center + 0.5) * (1 / wide))
			weights = append(weights, w)
			sum += w
		}
		cells[i] = cell{first, make([]int32, len(weights))}
		for x, w := range weights {
			cells[i].weights[x] = int32(math.Round(w / sum * (1 << weightBits)))
		}
	}
	return cells
}

// lanczos returns the height of the filter at x cells from its middle.
func lanczos(x float64) float64 {
	if x < -lobes || x >= lobes {
		return 0
	}
	return sinc(x) * sinc(x/lobes)
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	x *= math.Pi
	return math.Sin(x) / x
}

// levelOf returns the level that a sum of weighted levels is, from 0 to 255.
func levelOf(sum int64) uint8 {
	return uint8(max(0, min(255, (sum+1<<(weightBits-1))>>weightBits)))
}

// of returns the level of a cell of a line of pixels.
func (c *cell) of(line []uint8) uint8 {
	weights := c.weights
	line = line[c.first:][:len(weights)]
	sum := int32(0) // of at most 255 times the weights without their signs: less than 2^31
	for x, w := range weights {
		sum += w * int32(line[x])
	}
	return levelOf(int64(sum))
}

// small returns the levels of w columns and h rows of a picture, in the order of reading. If rowsFirst is true, rows
// are made before columns, as of a picture that lies on its side.
func (l *levels) small(w, h int, rowsFirst bool) []uint8 {
	columns, rows := cellsOf(l.width, w), cellsOf(l.height, h)
	wide := w // columns of sums
	if rowsFirst {
		wide = l.width
	}
	sums, narrow := make([]int64, wide*h), make([]uint8, w)
	for y := range l.height {
		line := l.row(y)
		if !rowsFirst {
			for x := range columns {
				narrow[x] = columns[x].of(line)
			}
			line = narrow
		}
		for row := range rows {
			if at := y - rows[row].first; at >= 0 && at < len(rows[row].weights) {
				addWeighted(sums[row*wide:][:wide], line, int64(rows[row].weights[at]))
			}
		}
	}
	out := make([]uint8, len(sums))
	for i, sum := range sums {
		out[i] = levelOf(sum)
	}
	if !rowsFirst {
		return out
	}
	small := make([]uint8, 0, w*h)
	for row := range h {
		for x := range columns {
			small = append(small, columns[x].of(out[row*wide:][:wide]))
		}
	}
	return small
}

func addWeighted(sums []int64, line []uint8, weight int64) {
	line = line[:len(sums)]
	for x := range sums {
		sums[x] += weight * int64(line[x])
	}
}
