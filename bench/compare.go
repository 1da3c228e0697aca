package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/bench/machine"
	"simsearch/hamming"
	"simsearch/tables"
)

// A result is what was measured of one program on one data set at one distance.
type result struct {
	Who      string
	Build    float64 `json:"build_s"`   // seconds
	Single   float64 `json:"single_us"` // µs a query, one at a time; 0 if not measured
	Batch    float64 `json:"batch_us"`  // µs a query, all at once; 0 if not measured
	Bytes    float64 `json:"bytes"`     // for each fingerprint
	Matches  int     `json:"matches"`
	Checksum string  `json:"checksum"` // of all matches and their queries
	Note     string
}

// A run holds the results on one data set at one distance.
type run struct {
	name          string
	n, k, queries int
	results       []result
}

// A join is the cost of finding all pairs.
type join struct {
	name       string
	n, k       int
	pairs      int
	seconds    float64
	sorting    float64 // seconds to sort the values, once for each table of the design
	design     string
	comparedAs bool // each value was compared with each, since tables would take longer
	peer       joinedBy
}

// joinedBy is what simhash-cpp takes for the same pairs. blocks is 0 where it was not run.
type joinedBy struct {
	Seconds float64 `json:"seconds"`
	Pairs   int     `json:"pairs"`
	Blocks  int     `json:"blocks"`
}

// compare runs all programs for each n and k on planted data, and for each k on skewed data and on the
// lists.
func compare(ns, ks []int, lists []string) ([]run, []join, error) {
	if err := os.MkdirAll("out", 0o777); err != nil {
		return nil, nil, err
	}
	type source struct {
		name   string
		values func() ([]uint64, error)
	}
	var sources []source
	for _, n := range ns {
		sources = append(sources, source{"planted", func() ([]uint64, error) { return planted(n), nil }})
	}
	sources = append(sources, source{"skewed", func() ([]uint64, error) { return skewed(skewedSize), nil }})
	for _, path := range lists {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		sources = append(sources, source{name, func() ([]uint64, error) { return readList(path) }})
	}
	var runs []run
	var joins []join
	for _, s := range sources {
		values, err := s.values()
		if err != nil {
			return nil, nil, err
		}
		d, err := newDataset("out", s.name, values, 20000)
		if err != nil {
			return nil, nil, err
		}
		for _, k := range ks {
			if len(d.values) > largeSize && k != 3 {
				continue
			}
			r, err := d.run(k)
			if err != nil {
				return nil, nil, err
			}
			runs = append(runs, r)
		}
		for _, k := range []int{3, 10} {
			if k == 3 || len(d.values) <= 1_000_000 {
				j := d.join(k)
				if k == 3 && len(d.values) <= 1_000_000 && s.name != "skewed" {
					if j.peer, err = d.joinByPeer(k, j.pairs); err != nil {
						return nil, nil, err
					}
				}
				joins = append(joins, j)
			}
		}
	}
	return runs, append(joins, skewedJoins()...), nil
}

const (
	// skewedSize is the number of skewed values. It is small, since on skewed data most programs come to
	// compare every value with a query.
	skewedSize = 300_000
	// largeSize is the number of values above which only k = 3 is run. FAISS is left out: it would take
	// minutes to build.
	largeSize = 20_000_000
)

// skewedJoins measures how the time for all pairs of skewed data grows with the number of values.
func skewedJoins() []join {
	var joins []join
	for _, n := range []int{1_000_000, 2_000_000} {
		d := &dataset{name: "skewed", values: distinct(skewed(n))}
		joins = append(joins, d.join(3))
	}
	d := &dataset{name: "three quarters shared", values: distinct(boilerplate(1_000_000))}
	return append(joins, d.join(3))
}

// joinByPeer times simhash-cpp, which must find as many pairs.
func (d *dataset) joinByPeer(k, pairs int) (by joinedBy, err error) {
	cmd := exec.Command(".venv-simhash-cpp/bin/python", "peers/simhash-cpp/peer.py", d.dataFile, fmt.Sprint(k))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return by, fmt.Errorf("simhash-cpp: %w; bench/run.sh installs the peers", err)
	}
	if err := json.Unmarshal(out, &by); err != nil {
		return by, fmt.Errorf("simhash-cpp: %w in %q", err, out)
	}
	if by.Pairs != pairs {
		return by, fmt.Errorf("%s, k = %d: simhash-cpp finds %d pairs, simsearch %d", d.name, k, by.Pairs, pairs)
	}
	return by, nil
}

// join times finding all pairs and, for comparison, sorting the values once for each table.
func (d *dataset) join(k int) join {
	log.Printf("%s, n = %d: all pairs at k = %d", d.name, len(d.values), k)
	j := join{name: d.name, n: len(d.values), k: k}
	start := machine.ProcessorTime()
	err := tables.Pairs(context.Background(), d.values, 64, k, tables.PairOptions{Threads: 1}, func(tables.Pair) error { j.pairs++; return nil })
	if err != nil {
		log.Fatal(err) // nothing cancels it
	}
	j.seconds = machine.ProcessorTime() - start
	design, ok := tables.PlanPairs(d.values, 64, k)
	if j.comparedAs = !ok; !ok {
		return j
	}
	j.design = design.String()
	keys := make([]uint64, len(d.values))
	start = machine.ProcessorTime()
	for _, p := range design.Permutations() {
		p.ApplyAll(keys, d.values)
		slices.Sort(keys)
	}
	j.sorting = machine.ProcessorTime() - start
	return j
}

// queriesFor returns the number of queries for distance k. A run takes simsearch about a second, and the
// slowest peer up to ten.
func (d *dataset) queriesFor(k int) int {
	n := len(d.values)
	switch {
	case d.name == "skewed":
		return 4000
	case k <= 3:
		return 20000
	case k <= 6 || n <= 100_000:
		return 4000
	case n <= 1_000_000:
		return 2000
	default:
		return 500
	}
}

func (d *dataset) run(k int) (run, error) {
	r := run{name: d.name, n: len(d.values), k: k, queries: d.queriesFor(k)}
	qs, err := d.take(r.queries)
	if err != nil {
		return r, err
	}
	log.Printf("%s, n = %d, k = %d", d.name, len(d.values), k)
	ours := d.simsearch(qs, k)
	r.results = append(r.results, ours, d.scan(qs, k))
	add := func(who string, exact bool, command ...string) error {
		res, err := peer(who, command)
		if err != nil {
			return err
		}
		switch {
		case res.Checksum == ours.Checksum && res.Matches == ours.Matches:
		case exact:
			return fmt.Errorf("n = %d, k = %d: %s finds %d matches (%s), simsearch %d (%s)", len(d.values), k, who, res.Matches, res.Checksum, ours.Matches, ours.Checksum)
		default:
			res.Note = fmt.Sprintf("finds %.2f %% of the matches", 100*float64(res.Matches)/float64(ours.Matches))
		}
		r.results = append(r.results, res)
		return nil
	}
	k10 := fmt.Sprint(k)
	if err := add("mih-rs 0.3.1", true, "peers/mih-rs/target/release/peer-mih-rs", d.dataFile, d.queryFile, k10); err != nil {
		return r, err
	}
	for _, s := range faissSettings(len(d.values), k) {
		if err := add("FAISS 1.15.1 "+s, false, ".venv-hamming/bin/python", "peers/faiss/peer.py", d.dataFile, d.queryFile, k10, s); err != nil {
			return r, err
		}
	}
	return r, nil
}

// faissSettings returns the settings of MultiHash that find everything within distance k and are worth
// trying: the number of hashes, their bits, and the number of bits to flip.
func faissSettings(n, k int) []string {
	if n > largeSize {
		return nil
	}
	switch k {
	case 1:
		return []string{"multihash:2,32,0"}
	case 3:
		return []string{"multihash:4,16,0", "multihash:2,32,1"}
	case 6:
		return []string{"multihash:4,16,1"}
	default:
		return nil // minutes a run
	}
}

// peer runs another program and returns the result that it prints.
func peer(who string, command []string) (result, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return result{}, fmt.Errorf("%s: %w; bench/run.sh installs the peers", who, err)
	}
	res := result{Who: who}
	if err := json.Unmarshal(out, &res); err != nil {
		return res, fmt.Errorf("%s: %w in %q", who, err, out)
	}
	return res, nil
}

// simsearch measures the tables of this project. The planner chooses them within 60 bytes a fingerprint.
func (d *dataset) simsearch(qs []uint64, k int) result {
	plan := tables.Choose(64, len(d.values), k, 60*float64(len(d.values)))
	start := machine.ProcessorTime()
	t := tables.Build(d.values, plan.Design)
	res := result{Who: "simsearch", Build: machine.ProcessorTime() - start, Note: plan.Design.String()}
	res.Bytes = float64(t.Bytes()) / float64(len(d.values))

	var sum uint64
	var dst []hamming.Match
	count := func(i int, ms []hamming.Match) error {
		for _, m := range ms {
			sum += mix(uint64(i)<<32 | uint64(m.Index))
			res.Matches++
		}
		return nil
	}
	// Only the last round counts. The rounds before it bring the tables into the cache, and queries of
	// skewed data build tables for the headers that are asked for often.
	for range 3 {
		sum, res.Matches = 0, 0
		start = machine.ProcessorTime()
		for i, q := range qs {
			dst, _ = t.Near(dst[:0], q, k) // tables just built are not corrupt
			_ = count(i, dst)
		}
		res.Single = perQuery(start, qs)
	}
	single := sum
	for range 2 {
		sum, res.Matches = 0, 0
		start = machine.ProcessorTime()
		_ = t.NearBatch(qs, k, count)
		res.Batch = perQuery(start, qs)
	}
	if sum != single {
		log.Fatalf("n = %d, k = %d: batches and single queries differ", len(d.values), k)
	}
	res.Checksum = fmt.Sprintf("%016x", sum)
	return res
}

// scan measures the linear scan on some of the queries, and checks that the tables find as many matches.
func (d *dataset) scan(qs []uint64, k int) result {
	some := qs[:min(len(qs), 200)]
	t := tables.Build(d.values, tables.Choose(64, len(d.values), k, 60*float64(len(d.values))).Design)
	res := result{Who: "linear scan (" + hamming.Backend() + ")", Bytes: 8, Note: fmt.Sprintf("%d queries", len(some))}
	var dst, other []hamming.Match
	start := machine.ProcessorTime()
	for _, q := range some {
		dst = hamming.Scan(dst[:0], d.values, q, k)
		res.Matches += len(dst)
	}
	res.Single = perQuery(start, some)
	for _, q := range some {
		dst = hamming.Scan(dst[:0], d.values, q, k)
		if other, _ = t.Near(other[:0], q, k); len(dst) != len(other) {
			log.Fatalf("n = %d, k = %d: the scan finds %d matches of %x, the tables %d", len(d.values), k, len(dst), q, len(other))
		}
	}
	return res
}

func perQuery(start float64, qs []uint64) float64 {
	return (machine.ProcessorTime() - start) / float64(len(qs)) * 1e6
}

// mix is the finalizer of splitmix64. The peers use it, too.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
