package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/tests/testkit"
)

// distance is how many bits near fingerprints differ in at most.
const distance = 3

// flip returns x with up to most bits changed.
func flip(rng *rand.Rand, x uint64, most int) uint64 {
	for range rng.IntN(most + 1) {
		x ^= 1 << rng.IntN(64)
	}
	return x
}

// fingerprints returns n values, of which one in ten is near another. Their ids are their positions.
func fingerprints(n int) []uint64 {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	values := make([]uint64, n)
	for i := range values {
		values[i] = rng.Uint64()
		if i%10 == 9 {
			values[i] = flip(rng, values[rng.IntN(i)], distance)
		}
	}
	return values
}

// queriesOf returns queries, of which three in four are near a value.
func queriesOf(values []uint64, n int) []uint64 {
	rng := rand.New(rand.NewPCG(uint64(len(values)), 2))
	queries := make([]uint64, n)
	for i := range queries {
		queries[i] = rng.Uint64()
		if i%4 > 0 {
			queries[i] = flip(rng, values[rng.IntN(len(values))], distance)
		}
	}
	return queries
}

// exact returns the ids that are near each query, by looking at all values.
func exact(values, queries []uint64) (near []map[int]bool) {
	for _, q := range queries {
		m := map[int]bool{}
		for id, v := range values {
			if bits.OnesCount64(v^q) <= distance {
				m[id] = true
			}
		}
		near = append(near, m)
	}
	return near
}

func writeIntegers(path string, values []uint64) error {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return os.WriteFile(path, b, 0o666)
}

// writeIndex makes an index of fingerprints.
func writeIndex(dir string, values []uint64) error {
	w, err := index.OpenWriter(dir, analysis.Classic(), index.WriterOptions{Threads: 2})
	if err != nil {
		return err
	}
	err = w.Ingest(context.Background(), func(yield func(*document.Document, error) bool) {
		for i, v := range values {
			if !yield(&document.Document{ID: strconv.AppendInt(nil, int64(i), 10), Fingerprint: v, HasFingerprint: true}, nil) {
				return
			}
		}
	})
	if err == nil {
		_, err = w.Commit(context.Background())
	}
	return errors.Join(err, w.Close())
}

// A corpus makes texts of about 100 words, of which 30 in 100 are the text some thousands before, and a word more.
type corpus []string

func newCorpus() corpus {
	g := testkit.NewWords(1)
	c := make(corpus, 50_000)
	for i := range c {
		c[i] = strings.Join(strings.Fields(strings.ReplaceAll(g.Text(4), `"`, "")), " ") // as it stands in JSON
	}
	return c
}

// text appends the text of a number.
func (c corpus) text(to []byte, n int) []byte {
	of := n
	if n%10 < 3 && n > 5_003 {
		of = (n-5_003)/10*10 + 5
	}
	rng := rand.New(rand.NewPCG(uint64(of), 1))
	for range 25 {
		to = append(append(to, c[rng.IntN(len(c))]...), ' ')
	}
	return strconv.AppendInt(to, int64(n), 10)
}

// document appends the line of a document.
func (c corpus) document(to []byte, id string, n int) []byte {
	to = fmt.Appendf(to, `{"id":"%s","text":"`, id)
	return append(c.text(to, n), "\"}\n"...)
}
