package ints

// A Counter counts how often integers come, up to a number from which on they are found.
type Counter struct {
	Found   []uint32 // the integers that came often enough, in the order in which they did
	counts  []uint8
	touched []uint32 // those with a count
}

// Grow makes room for the integers below n.
func (c *Counter) Grow(n int) {
	if len(c.counts) < n {
		c.counts = make([]uint8, n)
	}
}

// Count counts that x has come. It is found when it has come as often as enough says, which is less than 256 and the
// same in all calls for x until Reset.
func (c *Counter) Count(x uint32, enough int) {
	n := c.counts[x]
	if int(n) >= enough {
		return
	}
	if n == 0 {
		c.touched = append(c.touched, x)
	}
	if n++; int(n) == enough {
		c.Found = append(c.Found, x)
	}
	c.counts[x] = n
}

// Reset forgets all counts.
func (c *Counter) Reset() {
	for _, x := range c.touched {
		c.counts[x] = 0
	}
	c.touched, c.Found = c.touched[:0], c.Found[:0]
}
