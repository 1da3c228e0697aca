package ints

// Ascending numbers of sets are kept in units of 16 bits. The first unit is twice how many items follow, plus 1 if these are
// blocks: maxItems items are told by two more units, the lower half first. An item is a number, of two units, the lower one
// first; or a block, which is the upper half of its numbers, how many numbers it has less one, and their lower halves. The
// shorter of both is kept.
const maxItems = 1<<15 - 1

// AppendNumbers appends the units of numbers, which ascend.
func AppendNumbers(dst []uint16, numbers []uint32) []uint16 {
	blocks := 0
	for i, x := range numbers {
		if i == 0 || x>>16 != numbers[i-1]>>16 {
			blocks++
		}
	}
	if 2*blocks+len(numbers) > 2*len(numbers) || len(numbers) == 0 {
		dst = appendItems(dst, len(numbers), 0)
		for _, x := range numbers {
			dst = append(dst, uint16(x), uint16(x>>16))
		}
		return dst
	}
	dst = appendItems(dst, blocks, 1)
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n]>>16 == numbers[0]>>16 {
			n++
		}
		dst = append(dst, uint16(numbers[0]>>16), uint16(n-1))
		for _, x := range numbers[:n] {
			dst = append(dst, uint16(x))
		}
		numbers = numbers[n:]
	}
	return dst
}

func appendItems(dst []uint16, n int, blocks uint16) []uint16 {
	if n < maxItems {
		return append(dst, uint16(n)<<1|blocks)
	}
	return append(dst, maxItems<<1|blocks, uint16(n), uint16(n>>16))
}

// ReadNumbers calls one with a number, or many with the upper half of some numbers, shifted, and their lower halves, so that all
// in [lo, hi) are given. It returns the units that follow all numbers. ok is false if AppendNumbers has not made the units.
func ReadNumbers(units []uint16, lo, hi uint32, one func(x uint32), many func(upper uint32, lower []uint16)) (rest []uint16, ok bool) {
	if len(units) == 0 {
		return nil, false
	}
	items, blocks := int(units[0]>>1), units[0]&1 == 1
	if units = units[1:]; items == maxItems {
		if len(units) < 2 {
			return nil, false
		}
		items, units = int(units[0])|int(units[1])<<16, units[2:]
	}
	if !blocks {
		if 2*items > len(units) {
			return nil, false
		}
		for i := range items {
			if x := uint32(units[2*i]) | uint32(units[2*i+1])<<16; lo <= x && x < hi {
				one(x)
			}
		}
		return units[2*items:], true
	}
	for ; items > 0; items-- {
		if len(units) < 2 || int(units[1])+3 > len(units) {
			return nil, false
		}
		upper, lower := uint32(units[0])<<16, units[2:int(units[1])+3]
		units = units[len(lower)+2:]
		if upper >= hi || upper|(1<<16-1) < lo {
			continue
		}
		if lo > upper {
			lower = lower[under(lower, uint16(lo-upper)):]
		}
		if hi-upper < 1<<16 {
			lower = lower[:before(lower, uint16(hi-upper))]
		}
		many(upper, lower)
	}
	return units, true
}

// under returns how many of the ascending xs are less than x. It has no branch that depends on them, and looks at each of few.
func under(xs []uint16, x uint16) int {
	const few = 64
	base := 0
	for len(xs) > few {
		half := len(xs) / 2
		if xs[half-1] < x {
			base += half
			xs = xs[half:]
		} else {
			xs = xs[:half]
		}
	}
	for _, y := range xs {
		base += int((uint32(y) - uint32(x)) >> 31)
	}
	return base
}

// before is under, and sooner done if they are few.
func before(xs []uint16, x uint16) int {
	const few = 32
	for i, y := range xs {
		if y >= x {
			return i
		}
		if i == few {
			return i + under(xs[i:], x)
		}
	}
	return len(xs)
}
