package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"simsearch/bench/machine"
	"simsearch/minhash"
)

// Sketches of sets of ready hashes, by the size of the sets.

var sizes = []int{5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000}

// hashedSets returns the hashes of pairs of sets of n random elements, and the exact similarity of each pair.
func hashedSets(n int) (sets [][]uint64, exact []float64) {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	for range max(50, min(3000, 400_000/n)) {
		shared := r.IntN(n)
		union := make([]uint64, 2*n-shared)
		for i := range union {
			union[i] = r.Uint64()
		}
		sets = append(sets, union[:n], union[n-shared:])
		exact = append(exact, float64(shared)/float64(2*n-shared))
	}
	return sets, exact
}

func oursOfHashes(sets [][]uint64) (out []result) {
	for _, v := range []minhash.Variant{minhash.DefaultVariant, minhash.VariantFast} {
		s := v.New(positions, 0)
		all := make([]uint64, 0, len(sets)*positions)
		seconds := math.Inf(1)
		for range 9 {
			start := machine.ProcessorTime()
			all = all[:0]
			for _, set := range sets {
				all = s.Sketch(all, set)
			}
			seconds = min(seconds, machine.ProcessorTime()-start)
		}
		var sketches [][]uint64
		for i := range sets {
			sketches = append(sketches, all[i*positions:][:positions])
		}
		out = append(out, result{"simsearch, " + v.String(), seconds, estimates(sketches, s.Jaccard)})
	}
	return out
}

// peersOfHashes runs the peers on the same sets.
func peersOfHashes(python string, sets [][]uint64) (out []result, err error) {
	path := filepath.Join("out", "hashes.bin")
	var data []byte
	for _, set := range sets {
		for _, x := range set {
			data = binary.LittleEndian.AppendUint64(data, x)
		}
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command(python, filepath.Join("peers", "sketches", "hashes.py"), path, strconv.Itoa(len(sets[0])), strconv.Itoa(positions))
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "RAYON_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return out, json.Unmarshal(text, &out)
}

// bySize returns the section of the page on ready hashes.
func bySize(python string) (string, error) {
	var names []string
	var times, errs strings.Builder
	for _, n := range sizes {
		sets, exact := hashedSets(n)
		results := oursOfHashes(sets)
		others, err := peersOfHashes(python, sets)
		if err != nil {
			return "", err
		}
		names = names[:0]
		fmt.Fprintf(&times, "| %d |", n)
		fmt.Fprintf(&errs, "| %d |", n)
		for _, r := range append(results, others...) {
			names = append(names, r.Name)
			fmt.Fprintf(&times, " %.3g |", r.Seconds/float64(len(sets))*1e6)
			fmt.Fprintf(&errs, " %.2f |", errorRatio(r.Estimates, exact))
		}
		times.WriteByte('\n')
		errs.WriteByte('\n')
	}
	head := "| elements | " + strings.Join(names, " | ") + " |\n|" + strings.Repeat("---|", len(names)+1) + "\n"
	return "\n## By size, from ready hashes\n\n" +
		"Sets of random 64-bit hashes, without strings on any side. Microseconds of processor time a sketch, the best of nine runs (of one for CMinHash). " +
		"Simsearch is called set by set. RMinHash and FastSketchLSH are called once for all sets, which lie in one array, by the functions that their manuals have for this: " +
		"`digest_matrix_from_flat_token_hashes` and `batch_csr(prehashed=True)`. They are the wheels of the registry, which choose vector instructions when they run.\n\n" + head + times.String() +
		"\nError ÷ theory:\n\n" + head + errs.String() +
		"\nThe rho sketches of rensa sample elements by where they stand. On sets in no common order, as here, they find less than there is: their times are not of equal error.\n", nil
}
