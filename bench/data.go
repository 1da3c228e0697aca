package main

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// A dataset is a sorted set of distinct fingerprints and queries to it. It is
// uniform but for one value in ten, which is a near copy of another; of the queries
// three in four are near a value.
type dataset struct {
	n                   int
	values, queries     []uint64
	dataFile, queryFile string
}

func newDataset(dir string, n, queries int) (*dataset, error) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	flip := func(x uint64, most int) uint64 {
		for range rng.IntN(most + 1) {
			x ^= 1 << rng.IntN(64)
		}
		return x
	}
	d := &dataset{n: n, values: make([]uint64, n), queries: make([]uint64, queries)}
	for i := range d.values {
		d.values[i] = rng.Uint64()
		if i%10 == 9 {
			d.values[i] = flip(d.values[rng.IntN(i)], 3)
		}
	}
	slices.Sort(d.values)
	d.values = slices.Compact(d.values)
	for i := range d.queries {
		d.queries[i] = rng.Uint64()
		if i%4 > 0 {
			d.queries[i] = flip(d.values[rng.IntN(len(d.values))], 12)
		}
	}
	d.dataFile, d.queryFile = filepath.Join(dir, "data"), filepath.Join(dir, "queries")
	if err := writeIntegers(d.dataFile, d.values); err != nil {
		return nil, err
	}
	return d, nil
}

// take writes the first m queries to the file that peers read and returns them.
func (d *dataset) take(m int) ([]uint64, error) {
	qs := d.queries[:m]
	return qs, writeIntegers(d.queryFile, qs)
}

func writeIntegers(path string, xs []uint64) error {
	b := make([]byte, 0, 8*len(xs))
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return os.WriteFile(path, b, 0o666)
}
