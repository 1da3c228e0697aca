package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/fingerprint"
)

// A dataset is a sorted set of distinct fingerprints with queries. Three in four queries are near a
// value.
type dataset struct {
	name                string
	values, queries     []uint64
	dataFile, queryFile string
}

// flip returns x with up to most bits changed.
func flip(rng *rand.Rand, x uint64, most int) uint64 {
	for range rng.IntN(most + 1) {
		x ^= 1 << rng.IntN(64)
	}
	return x
}

// planted returns n values. Nine in ten are uniform; one in ten is within 3 bits of another value.
func planted(n int) []uint64 {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	values := make([]uint64, n)
	for i := range values {
		values[i] = rng.Uint64()
		if i%10 == 9 {
			values[i] = flip(rng, values[rng.IntN(i)], 3)
		}
	}
	return values
}

// skewed returns n values that share two of their four 16-bit quarters. Boilerplate, or constant regions
// of images, make real fingerprints alike in this way.
func skewed(n int) []uint64 {
	values := planted(n)
	for i := range values {
		values[i] = values[i]&0x0000ffff0000ffff | 0x1234000056780000
	}
	return values
}

// boilerplate returns n values that share three of their four 16-bit quarters. Many of them are equal.
func boilerplate(n int) []uint64 {
	values := planted(n)
	for i := range values {
		values[i] = values[i]&0xffff | 0x123456789abc0000
	}
	return values
}

// distinct sorts values and drops repeated ones.
func distinct(values []uint64) []uint64 {
	slices.Sort(values)
	return slices.Compact(values)
}

// readList returns the fingerprints of a list: the last column of each line.
func readList(path string) ([]uint64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var values []uint64
	for line := range strings.Lines(string(text)) {
		fp, err := fingerprint.Parse(strings.TrimSpace(line[strings.LastIndexByte(line, '\t')+1:]), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		values = append(values, fp)
	}
	return values, nil
}

// newDataset sorts values, makes queries for them, and writes both to files for the peers.
func newDataset(dir, name string, values []uint64, queries int) (*dataset, error) {
	rng := rand.New(rand.NewPCG(uint64(len(values)), 2))
	d := &dataset{name: name, values: values, queries: make([]uint64, queries)}
	d.values = distinct(d.values)
	for i := range d.queries {
		d.queries[i] = rng.Uint64()
		if i%4 > 0 {
			d.queries[i] = flip(rng, d.values[rng.IntN(len(d.values))], 12)
		}
	}
	d.dataFile, d.queryFile = filepath.Join(dir, "data"), filepath.Join(dir, "queries")
	if err := writeIntegers(d.dataFile, d.values); err != nil {
		return nil, err
	}
	return d, nil
}

// take returns the first m queries and writes them to the file that the peers read.
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
