package ints

import "slices"

// Ascending numbers of sets are kept in units of 16 bits. The first unit is twice how many items follow, plus 1 if
// these are blocks: maxItems items are told by two more units, the lower half first. An item is a number, of two
// units, the lower one first; or a block, which is the upper half of its numbers, how many numbers it has less one,
// and their lower halves. The shorter of both is kept.
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

// CountNumbers counts the numbers in [lo, hi) of those that AppendNumbers has made units of, as Count does. It
// returns the units that follow all numbers, and how many have been counted. ok is false if AppendNumbers has not
// made the units. There must be room for the integers below hi + 1<<16.
func (c *Counter) CountNumbers(units []uint16, lo, hi uint32, enough int) (rest []uint16, counted int, ok bool) {
	if len(units) == 0 {
		return nil, 0, false
	}
	items, blocks := int(units[0]>>1), units[0]&1 == 1
	if units = units[1:]; items == maxItems {
		if len(units) < 2 {
			return nil, 0, false
		}
		items, units = int(units[0])|int(units[1])<<16, units[2:]
	}
	if !blocks {
		if 2*items > len(units) {
			return nil, 0, false
		}
		for i := range items {
			if x := uint32(units[2*i]) | uint32(units[2*i+1])<<16; lo <= x && x < hi {
				c.Count(x, enough)
				counted++
			}
		}
		return units[2*items:], counted, true
	}
	for ; items > 0; items-- {
		if len(units) < 2 || int(units[1])+3 > len(units) {
			return nil, 0, false
		}
		upper, lower := uint32(units[0])<<16, units[2:int(units[1])+3]
		units = units[len(lower)+2:]
		if upper >= hi || upper|(1<<16-1) < lo {
			continue
		}
		if lo > upper {
			lower = lower[under(lower, uint16(lo-upper)):]
		}
		counted += c.countBlock(upper, lower, min(hi-upper, 1<<16), uint8(enough))
	}
	return units, counted, true
}

// countBlock counts upper|x for each x of lower that is less than end, and returns how many these are. lower ascends.
func (c *Counter) countBlock(upper uint32, lower []uint16, end uint32, enough uint8) int {
	counts := (*[1 << 16]uint8)(c.counts[upper:])
	n := len(c.touched)
	c.touched = slices.Grow(c.touched, len(lower))
	touched := c.touched[:n+len(lower)]
	counted := len(lower)
	for i, low := range lower {
		if uint32(low) >= end {
			counted = i
			break
		}
		before := counts[low]
		touched[n] = upper | uint32(low)
		n += int((uint32(before) - 1) >> 31) // without a branch
		if before+1 == enough {
			c.Found = append(c.Found, upper|uint32(low))
		}
		counts[low] = min(before+1, enough)
	}
	c.touched = touched[:n]
	return counted
}

// under returns how many of the ascending xs are less than x. It has no branch that depends on them.
func under(xs []uint16, x uint16) int {
	base, n := 0, len(xs)
	for n > 1 {
		half := n / 2
		base += half & int(int32(uint32(xs[base+half-1])-uint32(x))>>31)
		n -= half
	}
	if n == 1 && xs[base] < x {
		base++
	}
	return base
}
