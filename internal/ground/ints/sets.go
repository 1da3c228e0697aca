package ints

import "slices"

// Shared returns the number of integers that are in both of two ascending lists. Equal ones count as often as both
// have them.
func Shared[T uint32 | uint64](a, b []T) int {
	// Each step depends on the one before. So the lists are cut at the middle of a, and both halves are
	// walked at the same time, in little more than half of the time.
	m := len(a) / 2
	for m > 0 && a[m-1] == a[m] {
		m--
	}
	if m == 0 {
		return shared(a, b)
	}
	cut, _ := slices.BinarySearch(b, a[m])
	a1, a2, b1, b2 := a[:m], a[m:], b[:cut], b[cut:]
	n, i1, j1, i2, j2 := 0, 0, 0, 0, 0
	for i1 < len(a1) && j1 < len(b1) && i2 < len(a2) && j2 < len(b2) {
		di1, dj1 := step(a1[i1], b1[j1])
		di2, dj2 := step(a2[i2], b2[j2])
		i1, j1, i2, j2 = i1+di1, j1+dj1, i2+di2, j2+dj2
		n += di1&dj1 + di2&dj2
	}
	return n + shared(a1[i1:], b1[j1:]) + shared(a2[i2:], b2[j2:])
}

// shared is Shared, one step at a time.
func shared[T uint32 | uint64](a, b []T) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		di, dj := step(a[i], b[j])
		i, j = i+di, j+dj
		n += di & dj
	}
	return n
}

// step returns by how much to advance in two lists that are at x and at y: in the list of the lesser, and in
// both if they are equal. There is no branch, since it could not be predicted.
func step[T uint32 | uint64](x, y T) (di, dj int) {
	if x <= y {
		di = 1
	}
	if y <= x {
		dj = 1
	}
	return di, dj
}

// Jaccard returns the Jaccard similarity of two strictly ascending lists, in [0, 1]. It is 0 if both are
// empty.
func Jaccard[T uint32 | uint64](a, b []T) float64 {
	n := Shared(a, b)
	if union := len(a) + len(b) - n; union > 0 {
		return float64(n) / float64(union)
	}
	return 0
}
