package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"simsearch/bench/machine"
	"simsearch/hamming"
	"simsearch/tables"
)

// A shape is a kind of data of which the tables are measured against a scan.
type shape struct {
	name   string
	values func(n int) []uint64
}

// The planner knows uniform values only. All other shapes are traps for it: they make runs long, or many values near.
var shapes = []shape{
	{"uniform", planted},
	{"12 bits constant", func(n int) []uint64 { return masked(n, 0xf00f00000000f000) }},
	{"32 bits constant", skewed},
	{"44 bits constant", func(n int) []uint64 { return masked(n, 0xffff0fff00ffff00) }},
	{"clusters of 1,000", func(n int) []uint64 { return clustered(n, 1000, 12) }},
	{"clusters of 100,000", func(n int) []uint64 { return clustered(n, 100_000, 16) }},
	{"one cluster", func(n int) []uint64 { return clustered(n, n, 10) }},
	{"biased bits", biased},
	{"half one cluster", func(n int) []uint64 { return append(planted(n/2), clustered(n-n/2, n, 8)...) }},
}

// masked returns values that share the bits of a mask.
func masked(n int, mask uint64) []uint64 {
	values := planted(n)
	for i := range values {
		values[i] = values[i]&^mask | 0x123456789abcdef0&mask
	}
	return values
}

// clustered returns values around centers, one for each size values, which have up to most bits changed.
func clustered(n, size, most int) []uint64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(size)))
	values := make([]uint64, n)
	center := uint64(0)
	for i := range values {
		if i%size == 0 {
			center = rng.Uint64()
		}
		values[i] = flip(rng, center, most)
	}
	return values
}

// biased returns values of which each bit is set in one of eight.
func biased(n int) []uint64 {
	rng := rand.New(rand.NewPCG(uint64(n), 8))
	values := make([]uint64, n)
	for i := range values {
		values[i] = rng.Uint64() & rng.Uint64() & rng.Uint64()
	}
	return values
}

// worstKs are the distances of the comparison with a scan.
var worstKs = []int{0, 1, 3, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64}

// maxPlanned is the largest distance that tables are planned for.
const maxPlanned = 16

// A worst is the time of a query by the tables over that of a scan, for one shape and each of worstKs.
type worst struct {
	shape   string
	n       int
	planned []float64 // by the tables that are planned for the distance, or for maxPlanned if it is larger
	three   []float64 // by those that are planned for distance 3
}

// againstScan measures all shapes of about n values.
func againstScan(n int) []worst {
	var worsts []worst
	for _, s := range shapes {
		log.Printf("%s, n = %d: the tables and a scan", s.name, n)
		w := worst{shape: s.name}
		values := distinct(s.values(n))
		w.n = len(values)
		rng := rand.New(rand.NewPCG(uint64(n), 3))
		qs := make([]uint64, 8)
		for i := range qs {
			qs[i] = rng.Uint64()
			if i%4 > 0 {
				qs[i] = flip(rng, values[rng.IntN(len(values))], 4*(i%4))
			}
		}
		build := func(k int) *tables.Tables {
			return tables.Build(values, tables.Choose(64, len(values), k, 60*float64(len(values))).Design)
		}
		three := build(3)
		planned := three
		for _, k := range worstKs {
			if k <= maxPlanned {
				planned = build(k)
			}
			w.three = append(w.three, ratioToScan(three, qs, k))
			w.planned = append(w.planned, ratioToScan(planned, qs, k))
		}
		worsts = append(worsts, w)
	}
	return worsts
}

// ratioToScan returns the time of the queries by the tables over that of a scan. The least time of each counts.
func ratioToScan(t *tables.Tables, qs []uint64, k int) float64 {
	const trials = 7
	var byTables, byScan float64
	var found, scanned []hamming.Match
	for _, q := range qs {
		leastTables, leastScan := math.Inf(1), math.Inf(1)
		for range trials {
			start := machine.ProcessorTime()
			scanned = hamming.Scan(scanned[:0], t.Values(), q, k)
			sortByDistance(scanned)
			leastScan = min(leastScan, machine.ProcessorTime()-start)
			start = machine.ProcessorTime()
			found, _ = t.Near(found[:0], q, k) // tables just built are not corrupt
			leastTables = min(leastTables, machine.ProcessorTime()-start)
		}
		if !slices.Equal(found, scanned) {
			log.Fatalf("n = %d, k = %d: the scan finds %d matches of %x, the tables %d", t.Len(), k, len(scanned), q, len(found))
		}
		byTables += leastTables
		byScan += leastScan
	}
	return byTables / byScan
}

// sortByDistance orders matches by distance, and those of one distance as they are.
func sortByDistance(ms []hamming.Match) {
	var next [hamming.MaxBits + 2]int // where the next match of each distance goes
	for _, m := range ms {
		next[m.Distance+1]++
	}
	for d := range hamming.MaxBits + 1 {
		next[d+1] += next[d]
	}
	for _, m := range slices.Clone(ms) {
		ms[next[m.Distance]] = m
		next[m.Distance]++
	}
}

// worstReport returns the section about the comparison with a scan.
func worstReport(worsts []worst) string {
	var b strings.Builder
	most := 0.0
	for _, w := range worsts {
		most = max(most, slices.Max(w.planned), slices.Max(w.three))
	}
	b.WriteString("\n## Worst case against a scan\n\n")
	fmt.Fprintf(&b, "The time of `Near` over that of a scan that orders its matches by distance, for data of many shapes and each k: below 1 the tables are faster.\n"+
		"The largest ratio is %.2f. Above: tables that are planned for k, or for 16 if k is larger. Below: those that are planned for distance 3. Eight queries, six of them near a\n"+
		"value; the least of seven times counts.\n\n", most)
	b.WriteString("| data | n |")
	for _, k := range worstKs {
		fmt.Fprintf(&b, " %d |", k)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(worstKs)) + "\n")
	for _, planned := range []bool{true, false} {
		for _, w := range worsts {
			ratios, tables := w.planned, ""
			if !planned {
				ratios, tables = w.three, ", tables for 3"
			}
			fmt.Fprintf(&b, "| %s%s | %s |", w.shape, tables, human(w.n))
			for _, r := range ratios {
				fmt.Fprintf(&b, " %.2g |", r)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
