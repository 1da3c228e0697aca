package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"simsearch/bench/documents"
	"simsearch/internal/features/analysis"
)

// A collection is sets of features that all programs join at one threshold.
type collection struct {
	name      string
	threshold float64
	sets      func(data string) ([][]uint64, error)
}

var collections = []collection{
	{"aclimdb, word 3-grams", 0.8, fromTexts("aclimdb", "word:3")},
	{"aclimdb, words", 0.8, fromTexts("aclimdb", "words")},
	{"scancode-licenses, word 3-grams", 0.5, fromTexts("scancode-licenses", "word:3")},
	{"made by edits", 0.5, func(string) ([][]uint64, error) { return edited(100_000, 250), nil }},
}

// fromTexts returns a function that makes the sets of the documents of a collection that have features.
func fromTexts(name, features string) func(data string) ([][]uint64, error) {
	return func(data string) ([][]uint64, error) {
		settings := analysis.Default()
		if err := settings.SetFeatures.UnmarshalText([]byte(features)); err != nil {
			return nil, err
		}
		a, err := analysis.New(settings)
		if err != nil {
			return nil, err
		}
		var scratch analysis.Scratch
		var sets [][]uint64
		for doc, err := range documents.Read(filepath.Join(data, name, "docs.jsonl")) {
			if err != nil {
				return nil, err
			}
			if set := a.Set(&scratch, doc.Text); len(set) > 0 {
				sets = append(sets, slices.Clone(set))
			}
		}
		return sets, nil
	}
}

// edited returns n sets of up to size features. Each second one is an earlier one of which up to half of the
// features are replaced. As with word sequences of texts, two new features of three are in no other set.
func edited(n, size int) [][]uint64 {
	random := rand.New(rand.NewPCG(1, 1))
	feature := func() uint64 {
		if random.IntN(3) > 0 {
			return random.Uint64()
		}
		return uint64(random.ExpFloat64()*float64(n)) * 0x9e3779b97f4a7c15
	}
	sets := make([][]uint64, n)
	for i := range sets {
		if i%2 == 0 {
			for range size {
				sets[i] = append(sets[i], feature())
			}
		} else {
			share := random.Float64() / 2
			sets[i] = slices.Clone(sets[random.IntN(i)])
			for j := range sets[i] {
				if random.Float64() < share {
					sets[i][j] = feature()
				}
			}
		}
		slices.Sort(sets[i])
		sets[i] = slices.Compact(sets[i])
	}
	return sets
}

// write writes sets as 64-bit little-endian integers: their number, where each begins and ends among the features,
// and the features.
func write(path string, sets [][]uint64) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	var buffer []byte
	put := func(x uint64) {
		buffer = binary.LittleEndian.AppendUint64(buffer[:0], x)
		_, _ = w.Write(buffer) // Flush has the error
	}
	put(uint64(len(sets)))
	end := uint64(0)
	put(end)
	for _, s := range sets {
		end += uint64(len(s))
		put(end)
	}
	for _, s := range sets {
		for _, x := range s {
			put(x)
		}
	}
	return errors.Join(w.Flush(), file.Close())
}

// read returns the sets that write wrote. They are parts of one slice.
func read(path string) ([][]uint64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<20)
	var n uint64
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	ends := make([]uint64, n+1)
	if err := binary.Read(r, binary.LittleEndian, ends); err != nil {
		return nil, err
	}
	features := make([]uint64, ends[n])
	var buffer [8]byte
	for i := range features {
		if _, err := io.ReadFull(r, buffer[:]); err != nil {
			return nil, err
		}
		features[i] = binary.LittleEndian.Uint64(buffer[:])
	}
	sets := make([][]uint64, n)
	for i := range sets {
		sets[i] = features[ends[i]:ends[i+1]:ends[i+1]]
	}
	return sets, nil
}

// writePairs writes pairs as two 32-bit little-endian integers each.
func writePairs(path string, pairs [][2]uint32) error {
	bytes := make([]byte, 0, 8*len(pairs))
	for _, p := range pairs {
		bytes = binary.LittleEndian.AppendUint32(bytes, p[0])
		bytes = binary.LittleEndian.AppendUint32(bytes, p[1])
	}
	return os.WriteFile(path, bytes, 0o666)
}

// readPairs returns the pairs that a program wrote, ascending, the lesser set of each first.
func readPairs(path string) ([][2]uint32, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(bytes)%8 != 0 {
		return nil, fmt.Errorf("%s: %d bytes are no pairs", path, len(bytes))
	}
	pairs := make([][2]uint32, len(bytes)/8)
	for i := range pairs {
		a, b := binary.LittleEndian.Uint32(bytes[8*i:]), binary.LittleEndian.Uint32(bytes[8*i+4:])
		pairs[i] = [2]uint32{min(a, b), max(a, b)}
	}
	slices.SortFunc(pairs, func(p, q [2]uint32) int { return slices.Compare(p[:], q[:]) })
	return pairs, nil
}
