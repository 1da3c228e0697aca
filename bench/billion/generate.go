package main

import (
	"bufio"
	"encoding/binary"
	"math/bits"
	"os"
)

// A kind is a way to make fingerprints, of which the near pairs are known: row i is of(i).
type kind struct {
	name string
	most uint64 // fingerprints that are measured: of clustered ones, each has about four near ones
	of   func(i uint64) uint64
	// near calls do with the rows before i that are near row i within so many bits on purpose.
	near func(i uint64, within int, do func(before uint64))
}

var kinds = []kind{
	{"uniform", 4_000_000_000, uniform, func(i uint64, within int, do func(uint64)) {
		if i%100 == 99 {
			if before, distance := source(i); distance <= within {
				do(before)
			}
		}
	}},
	{"clustered", 10_000_000, clustered, func(i uint64, within int, do func(uint64)) {
		for before := i - i%clusterSize; before < i; before++ {
			if bits.OnesCount64(clustered(before)^clustered(i)) <= within {
				do(before)
			}
		}
	}},
}

// mix is the generator SplitMix64 (S. Vigna).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// uniform returns random bits but for each hundredth row, which is an earlier one of its hundred with one to six
// other bits.
func uniform(i uint64) uint64 {
	if i%100 != 99 {
		return mix(i)
	}
	before, distance := source(i)
	return flipped(mix(before), distance, i)
}

// source returns of which row row i is a copy, and in how many bits they differ.
func source(i uint64) (before uint64, distance int) {
	h := mix(i ^ 0xabcdef0123456789)
	return i - 1 - h%98, int(1 + (h>>8)%6)
}

// clusterSize is how many rows follow each other that are copies of one fingerprint, with zero to four other bits each.
const clusterSize = 10

func clustered(i uint64) uint64 { return flipped(mix(i/clusterSize), int(mix(^i)%5), i) }

// flipped returns x with so many other bits, which follow from seed.
func flipped(x uint64, distance int, seed uint64) uint64 {
	var flips uint64
	for s := mix(seed ^ 0x5555555555555555); bits.OnesCount64(flips) < distance; s = mix(s) {
		flips |= 1 << (s & 63)
	}
	return x ^ flips
}

// write writes n fingerprints to a file, 8 bytes each.
func (k kind) write(path string, n uint64) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // Close below tells
	w := bufio.NewWriterSize(file, 1<<20)
	for i := range n {
		if _, err := w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), k.of(i))); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
