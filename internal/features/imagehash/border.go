package imagehash

// borderNoise is how far levels of a border are from that of its corner, at most. JPEG moves those beside a picture
// most.
const borderNoise = 16

// withoutBorder returns the part of a picture inside a border, each side of which has one level; or nil if there is
// none, or if less than half of the width or of the height would be left. Pictures of fewer than dctSide pixels have
// none.
func (l *levels) withoutBorder() *levels {
	if l.width < dctSide || l.height < dctSide { // a line of a few pixels has one level by chance
		return nil
	}
	run := func(at int, line func(i int) []uint8, step, end int) (n int) { // lines from one on that have its first level
		level := line(at)[0]
		for ; n < end/2 && ofLevel(line(at+n*step), level); n++ {
		}
		return n
	}
	top := run(0, l.row, 1, l.height)
	bottom := l.height - run(l.height-1, l.row, -1, l.height)
	if 2*(bottom-top) < l.height {
		return nil
	}
	left, right := l.width/2, l.width/2 // columns of the border
	var first, last uint8               // their levels
	for y := top; y < bottom && left+right > 0; y++ {
		row := l.row(y)
		if y == top {
			first, last = row[0], row[l.width-1]
		}
		for left > 0 && !ofLevel(row[:left], first) {
			left--
		}
		for right > 0 && !ofLevel(row[l.width-right:], last) {
			right--
		}
	}
	wide, tall := l.width-left-right, bottom-top
	if wide == l.width && tall == l.height || 2*wide < l.width {
		return nil
	}
	return &levels{width: wide, height: tall, row: func(y int) []uint8 { return l.row(top + y)[left : l.width-right] }}
}

// ofLevel reports whether all of a line have a level, about.
func ofLevel(line []uint8, level uint8) bool {
	for _, is := range line {
		if max(is, level)-min(is, level) > borderNoise {
			return false
		}
	}
	return true
}
