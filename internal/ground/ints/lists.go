package ints

// Lists returns a list for each number below n: that of i is all[starts[i]:starts[i+1]]. each calls add with what is
// in them, in order. It is called twice, and calls add with the same.
func Lists[S int | uint32 | uint64, T any](n int, each func(add func(i uint32, x T))) (starts []S, all []T) {
	starts = make([]S, n+2)
	each(func(i uint32, _ T) { starts[i+2]++ })
	for i := range n {
		starts[i+2] += starts[i+1]
	}
	all = make([]T, starts[n+1])
	each(func(i uint32, x T) {
		all[starts[i+1]] = x
		starts[i+1]++
	})
	return starts[:n+1], all
}
