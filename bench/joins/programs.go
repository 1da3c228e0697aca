package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"simsearch/internal/quality/truth"
)

// A program joins sets: it is called with SETS THRESHOLD THREADS PAIRS, writes the pairs and prints a sample.
type program struct {
	name    string
	exact   bool
	threads []int
	command []string
}

func programs() ([]program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	python := func(script string) []string { return []string{".venv-joins/bin/python", "peers/joins/" + script} }
	return []program{
		{"simsearch, exact", true, []int{1, 2}, []string{self, "ours", "exact"}},
		{"simsearch, bands of recall 0.95", false, []int{1, 2}, []string{self, "ours", "bands"}},
		{"gaoya 0.2.2, MinHash", false, []int{1, 2}, []string{"peers/gaoya/target/release/peer-gaoya"}},
		{"rensa 0.5.0, R-MinHash", false, []int{1, 2}, python("rensa_lsh.py")},
		{"datasketch 2.0.0, MinHashLSH", false, []int{1}, python("minhash.py")},
		{"SetSimilaritySearch 1.0.1, AllPairs", true, []int{1}, python("allpairs.py")},
		{"py_stringsimjoin 0.3.6", true, []int{1}, []string{".venv-stringsimjoin/bin/python", "peers/stringsimjoin/peer.py"}},
	}, nil
}

// A result is what was measured of a program on a collection.
type result struct {
	Program string `json:"program"`
	Exact   bool   `json:"exact"`
	Threads int    `json:"threads"`
	sample
	Missed int    `json:"missed"` // pairs
	Failed string `json:"failed"` // why there is no sample, or ""
}

// A table is the results on one collection.
type table struct {
	collection
	sizes   sizes
	results []result
	skipped string // why there are none, or ""
}

// sizes are those of a collection.
type sizes struct{ sets, features, pairs int }

// A runner measures programs.
type runner struct {
	only    string
	limit   time.Duration
	earlier map[string]result // by collection, program and threads
}

// run measures the programs on a collection.
func (r *runner) run(c collection, sets [][]uint64) (*table, error) {
	t := &table{collection: c, sizes: sizes{sets: len(sets)}}
	for _, s := range sets {
		t.sizes.features += len(s)
	}
	similar := map[[2]uint32]bool{}
	pairs, err := truth.Joiner{Threads: 2}.Pairs(context.Background(), sets, c.threshold)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		similar[[2]uint32{p.A, p.B}] = true
	}
	t.sizes.pairs = len(similar)
	log.Printf("%s: %d sets, %d pairs", c.name, len(sets), len(similar))
	path := filepath.Join("out", "sets")
	if err := write(path, sets); err != nil {
		return nil, err
	}
	all, err := programs()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		for _, threads := range p.threads {
			key := fmt.Sprintf("%s/%s/%d", c.name, p.name, threads)
			res, known := r.earlier[key]
			if !known || strings.HasPrefix(p.name, r.only) {
				if res, err = r.measure(p, path, c.threshold, threads, similar); err != nil {
					return nil, fmt.Errorf("%s: %w", p.name, err)
				}
				r.earlier[key] = res
			}
			t.results = append(t.results, res)
		}
	}
	return t, nil
}

const (
	repeats    = 3
	longEnough = 10 // seconds after which a program is not repeated
)

// measure runs a program up to three times, and returns the least of what the runs take.
func (r *runner) measure(p program, path string, threshold float64, threads int, similar map[[2]uint32]bool) (result, error) {
	out := result{Program: p.name, Exact: p.exact, Threads: threads}
	pairsPath := filepath.Join("out", "pairs")
	for i := range repeats {
		s, err := r.once(p, path, pairsPath, threshold, threads)
		if errors.Is(err, context.DeadlineExceeded) {
			out.Failed = "stopped after " + inMinutes(r.limit)
			break
		}
		if errors.Is(err, fs.ErrNotExist) {
			out.Failed = "not installed"
			break
		}
		if err != nil {
			return out, err
		}
		if i == 0 {
			if out.Missed, err = missed(pairsPath, similar); err != nil {
				return out, err
			}
		}
		if i == 0 {
			out.sample = s
		}
		out.Seconds, out.Processor = min(out.Seconds, s.Seconds), min(out.Processor, s.Processor)
		out.Peak = min(out.Peak, s.Peak)
		if s.Seconds > longEnough {
			break
		}
	}
	if p.exact && p.command[len(p.command)-1] == "exact" && out.Missed > 0 {
		return out, fmt.Errorf("it misses %d pairs", out.Missed)
	}
	log.Printf("%s, %d threads: %.3g s, %d MB, missed %d %s", p.name, threads, out.Seconds, out.Peak>>20, out.Missed, out.Failed)
	return out, nil
}

func (r *runner) once(p program, path, pairsPath string, threshold float64, threads int) (s sample, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	args := append(p.command[1:len(p.command):len(p.command)], path, fmt.Sprint(threshold), fmt.Sprint(threads), pairsPath)
	cmd := exec.CommandContext(ctx, p.command[0], args...)
	number := fmt.Sprint(threads)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+number, "OPENBLAS_NUM_THREADS="+number, "RAYON_NUM_THREADS="+number)
	var text, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &complaints
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		return s, fmt.Errorf("%w: %s", err, complaints.Bytes())
	}
	return s, json.Unmarshal(text.Bytes(), &s)
}

// missed returns how many pairs of the truth a program did not find. Pairs found twice, or not in the truth, are an
// error.
func missed(path string, similar map[[2]uint32]bool) (int, error) {
	found, err := readPairs(path)
	if err != nil {
		return 0, err
	}
	for i, p := range found {
		if i > 0 && p == found[i-1] {
			return 0, fmt.Errorf("it finds sets %d and %d twice", p[0], p[1])
		}
		if !similar[p] {
			return 0, fmt.Errorf("it finds sets %d and %d, which are not similar", p[0], p[1])
		}
	}
	return len(similar) - len(found), nil
}

// loadEarlier returns the results that saveEarlier saved, none if there is no file.
func loadEarlier(path string) (map[string]result, error) {
	results := map[string]result{}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return results, nil
	}
	if err != nil {
		return nil, err
	}
	return results, json.Unmarshal(text, &results)
}

func saveEarlier(path string, results map[string]result) error {
	text, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}
