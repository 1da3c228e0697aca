package tables

import (
	"math"
	"math/bits"
	"slices"
)

// Beyond the distance of a design, and below it, some tables may be left out, and the others have
// different radii. The choice is that of the least cost. It rests on the general pigeonhole principle
// (Qin, Wang, Xiao, "GPH: Similarity Search in Hamming Space", ICDE 2018):
//
//   - The tables fall into parts. Headers of different parts have no bit in common.
//   - The reach of radii in a part is the largest number of bits that may differ in the part while some
//     table of it shows the difference, whichever bits these are.
//   - A difference that no part shows has more bits in each part than this part reaches. So radii find
//     distance k if, and only if, the sum of reach+1 over all parts is above k.
//
// The reach of one table is its radius. That of the three tables with the headers AB, AC and BC is 1
// with radii 0, and 2 with radii 1. So they find more than a table AB alone with the same number of look-ups.

// A choice is the radius of each table, and what it costs to look up the headers within them.
type choice struct {
	cost  float64
	radii []int8
}

// A part is a set of tables whose headers share bits with each other, and with no header outside. Its choices
// are by reach+1, up to the distance wanted and one more. A choice has at least that reach.
type part struct {
	tables  []int
	choices []choice
}

// cheapestRadii returns the cheapest radii for each distance up to most that it finds. headers are those
// of the tables. cost(i, r) is the cost of looking up table i within radius r >= 0; it grows with r, and
// is infinite for radii that are not to be used. The cost of a choice is infinite if there is none.
func cheapestRadii(headers []uint64, most int, cost func(i, r int) float64) []choice {
	all := emptyPart(make([]int, len(headers)), most)
	for _, tables := range connected(headers) {
		p := emptyPart(tables, most)
		if len(tables) <= maxTried {
			p.try(headers, cost)
		} else {
			p.apart(headers, cost)
		}
		sum := emptyPart(all.tables, most)
		for f, a := range all.choices {
			for g, b := range p.choices {
				if c := a.cost + b.cost; c < sum.choices[min(f+g, most+1)].cost {
					radii := slices.Clone(a.radii)
					for j, i := range tables {
						radii[i] = b.radii[j]
					}
					sum.add(f+g, choice{c, radii})
				}
			}
		}
		all = sum
	}
	return all.choices[1:] // those for distance k reach k
}

// maxTried is the largest number of tables of a part in which all radii are tried.
const maxTried = 3

func emptyPart(tables []int, most int) *part {
	p := &part{tables, make([]choice, most+2)}
	for f := range p.choices {
		p.choices[f].cost = math.Inf(1)
	}
	none := make([]int8, len(tables))
	for j := range none {
		none[j] = -1
	}
	p.choices[0] = choice{0, none}
	return p
}

// add takes a choice for reach f-1, and less, where it is the cheapest.
func (p *part) add(f int, c choice) {
	for f = min(f, len(p.choices)-1); f >= 0 && c.cost < p.choices[f].cost; f-- {
		p.choices[f] = c
	}
}

// connected returns the tables of each part.
func connected(headers []uint64) [][]int {
	var parts [][]int
	var masks []uint64
	for i, h := range headers {
		tables := []int{i}
		for j := len(parts) - 1; j >= 0; j-- {
			if masks[j]&h != 0 {
				tables, h = append(parts[j], tables...), h|masks[j]
				parts, masks = slices.Delete(parts, j, j+1), slices.Delete(masks, j, j+1)
			}
		}
		parts, masks = append(parts, tables), append(masks, h)
	}
	return parts
}

// try tries all radii.
func (p *part) try(headers []uint64, cost func(i, r int) float64) {
	pieces := piecesOf(headers, p.tables)
	most := len(p.choices) - 2
	radii := make([]int8, len(p.tables))
	var from func(j int, sum float64)
	from = func(j int, sum float64) {
		if j == len(p.tables) {
			var need [maxTried]int
			for j, r := range radii {
				need[j] = int(r) + 1
			}
			if f := leastBits(pieces, need, most+1); sum < p.choices[f].cost {
				p.add(f, choice{sum, slices.Clone(radii)})
			}
			return
		}
		i := p.tables[j]
		radii[j] = -1
		from(j+1, sum)
		for r := 0; r <= min(most, bits.OnesCount64(headers[i])) && sum+cost(i, r) < p.choices[most+1].cost; r++ {
			radii[j] = int8(r)
			from(j+1, sum+cost(i, r))
		}
	}
	from(0, 0)
}

// A piece is the bits that are in the same headers of a part.
type piece struct {
	in   uint // a bit for each table of the part
	bits int
}

// piecesOf returns the pieces of a part. Those of a single header are the last.
func piecesOf(headers []uint64, tables []int) []piece {
	counts := map[uint]int{}
	for b := range 64 {
		in := uint(0)
		for j, i := range tables {
			in |= uint(headers[i]>>b&1) << j
		}
		counts[in]++
	}
	delete(counts, 0)
	var pieces []piece
	for in, n := range counts {
		pieces = append(pieces, piece{in, n})
	}
	slices.SortFunc(pieces, func(a, b piece) int {
		if d := bits.OnesCount(b.in) - bits.OnesCount(a.in); d != 0 {
			return d
		}
		return int(a.in) - int(b.in)
	})
	return pieces
}

// leastBits returns the least number of bits, at most limit, of a difference that has need[j] bits in each
// header j: reach+1 of the radii need[j]-1.
func leastBits(pieces []piece, need [maxTried]int, limit int) int {
	most := max(0, slices.Max(need[:]))
	if most == 0 || most >= limit || len(pieces) == 0 {
		if most == 0 {
			return 0
		}
		return limit
	}
	p := pieces[0]
	wanted := 0 // by a table with the piece
	for j, n := range need {
		if p.in>>j&1 != 0 {
			wanted = max(wanted, n)
		}
	}
	few, many := 0, min(p.bits, wanted)
	if p.in&(p.in-1) == 0 {
		few = many // no other piece that is left has the header
	}
	for n := many; n >= few; n-- {
		left := need
		for j := range left {
			left[j] -= n * int(p.in>>j&1)
		}
		if n < limit {
			limit = min(limit, n+leastBits(pieces[1:], left, limit-n))
		}
	}
	return limit
}

// apart uses tables of the part that have no bit in common: the reach+1 of each adds up. It tries the tables that
// are found from each one on, or from some if there are very many.
func (p *part) apart(headers []uint64, cost func(i, r int) float64) {
	for start := range min(len(p.tables), 1+maxTables/16/len(p.tables)) {
		var used uint64
		radii := slices.Clone(p.choices[0].radii)
		var chosen []int
		for j := range p.tables {
			j = (start + j) % len(p.tables)
			if h := headers[p.tables[j]]; h != 0 && h&used == 0 {
				used |= h
				chosen = append(chosen, j)
			}
		}
		sum := 0.0
		for f := 1; f < len(p.choices); f++ {
			next, least := -1, math.Inf(1) // the table that costs the least with a larger radius
			for _, j := range chosen {
				i, r := p.tables[j], int(radii[j])
				if r == bits.OnesCount64(headers[i]) { // the table shows everything
					continue
				}
				more := cost(i, r+1)
				if r >= 0 {
					more -= cost(i, r)
				}
				if more < least {
					next, least = j, more
				}
			}
			if next < 0 {
				break
			}
			radii[next]++
			sum += least
			if int(radii[next]) == bits.OnesCount64(headers[p.tables[next]]) {
				f = len(p.choices) - 1
			}
			if sum < p.choices[f].cost {
				p.add(f, choice{sum, slices.Clone(radii)})
			}
		}
	}
}
