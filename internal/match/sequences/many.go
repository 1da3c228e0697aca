package sequences

import "math"

// mostCores is how many cores are listed at once, but for tests. Only texts that repeat a few words, with others in
// between, have more: one of 24,000 words that are equal but for every twentieth has 34 million with another one.
const mostCores = 1 << 16

// manyCores says how many times as many cores findMany lists at once: with more of them, it scans the texts less often.
const manyCores = 8

// findMany sets m.found to the passages of cores as findAll does, where cores are too many to be listed. Cores of
// some length are listed, from the longest to the shortest, and only those that have words outside the passages of
// the ones before. These passages soon have all words that repeat.
func (m *matcher[T]) findMany(b []T) {
	run, upper := m.run, math.MaxInt
	for 2*run <= min(len(m.a), len(b)) {
		run *= 2
	}
	var longer matcher[T]
	for ; run >= m.run; run /= 2 {
		longer.prepare(m.a, m.b, run)
		last := core{math.MaxInt, math.MaxInt, upper} // which has been taken
		most := m.most
		for more := true; more; most = min(2*most, manyCores*m.most) {
			openA, openB := m.inQuery.open(len(m.a), upper), m.inDocument.open(len(b), upper)
			if openA == nil && openB == nil {
				return
			}
			m.cores = m.cores[:0]
			more = false
			var cut core // behind which cores are left for the next time
			longer.eachStart(b, func(x, y int) bool {
				if (openA == nil || !openA[x]) && (openB == nil || !openB[y]) {
					return true
				}
				c := runAt(m.a, b, x, y, upper)
				if c.n < run || byOrder(c, last) <= 0 || more && byOrder(c, cut) > 0 || m.passed(c) {
					return true
				}
				if m.cores = append(m.cores, c); len(m.cores) >= 2*most {
					sortCores(m.cores)
					m.cores, more = m.cores[:most], true
					cut = m.cores[most-1]
				}
				return true
			})
			sortCores(m.cores)
			for _, c := range m.cores {
				m.take(b, c)
				last = c
			}
		}
		upper = run
	}
}

// open returns of each of n words whether one of so many words from it on lies in none of the spans. It returns nil
// if there is none.
func (s spans) open(n, words int) (open []bool) {
	end := n // behind the last word that lies in no span
	for i := len(s); i >= 0; i-- {
		start := 0
		if i > 0 {
			start = s[i-1][1]
		}
		if start < end {
			if open == nil {
				open = make([]bool, n)
			}
			for at := max(0, start-min(words, n)+1); at < end; at++ {
				open[at] = true
			}
		}
		if i > 0 {
			end = s[i-1][0]
		}
	}
	return open
}
