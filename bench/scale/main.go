// Program scale measures what the steps of dedup take for each document, and says what 10⁹ and 10¹⁰ would take and
// cost. It prints a page. Prices are parameters.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"simsearch/bench/machine"
)

const shares, parts = 4, 128

var (
	program = flag.String("program", "out/simsearch", "the `program` that is measured")
	dir     = flag.String("dir", "out/scale", "the directory of files, which are removed")
	n       = flag.Int("n", 200_000, "the larger `number` of texts that are measured; the smaller one is half of it")
	price   = flag.Float64("price", 0.0425, "`dollars` for a processor with 4 GB for an hour")
	priced  = flag.String("priced", "8 processors and 32 GB for $0.34 an hour on demand, November 2026", "what has this price, and when")
	storage = flag.Float64("storage", 0.023, "`dollars` for a GB of storage for a month")
)

var steps = []string{"sketch", "plan", "scatter", "join", "components", "keep"}

// alone is components without pairs, in the place of plan, scatter and join.
const alone = "components that compares all"

// A taken is what steps take: seconds of a processor by step, bytes of files by kind, and of memory that are no pages
// of files.
type taken map[string]float64

func main() {
	flag.Parse()
	fmt.Printf("# Scale, from measured slopes\n\n%s\n\n", machine.Line())
	fmt.Printf("Written by `bench/run.sh scale -n %d -price %g -storage %g`. Each step is measured at two sizes. The bytes of a document\n"+
		"are the difference, divided by the documents between. Its seconds vary, and are those of the larger size, with the beginning of processes.\n"+
		"Texts have 30 to 200 words by their frequency, and every tenth is an earlier one with up to seven other words. Fingerprints are random,\n"+
		"and every hundredth is an earlier one with two other bits. There are %d shares and %d parts. The price is $%g for the hour of a\n"+
		"processor (%s), and $%g for a GB of storage for a month.\n"+
		"Files between steps are stored for a day. Seconds are of one processor of this machine.\n", *n, *price, *storage, shares, parts, *price, *priced, *storage)
	for _, k := range []struct {
		name  string
		line  func(dst []byte, i int) []byte
		flags []string
		n     int
	}{
		{"Texts, similar by 0.8", text, []string{"--format", "jsonl"}, *n},
		{"Fingerprints, within 3 bits", fingerprint, []string{"--format", "fingerprints", "--k", "3"}, 10 * *n},
	} {
		var t [2]taken
		for i := range t {
			var err error
			if t[i], err = measure(k.line, k.flags, k.n*(i+1)/2); err != nil {
				log.Fatal(err)
			}
		}
		report(k.name, func(what string) float64 {
			if what == alone || slices.Contains(steps, what) {
				return t[1][what] / float64(k.n)
			}
			return (t[1][what] - t[0][what]) / float64(k.n-k.n/2)
		})
	}
	simulate()
}

// measure runs the steps on n documents.
func measure(line func(dst []byte, i int) []byte, flags []string, n int) (t taken, err error) {
	defer os.RemoveAll(*dir) //nolint:errcheck // it is temporary
	in, out, plan := filepath.Join(*dir, "in"), filepath.Join(*dir, "out"), filepath.Join(*dir, "plan")
	if err := os.MkdirAll(in, 0o777); err != nil {
		return t, err
	}
	for share := range shares {
		var data []byte
		for i := n * share / shares; i < n*(share+1)/shares; i++ {
			data = line(data, i)
		}
		if err := os.WriteFile(filepath.Join(in, strconv.Itoa(share)+".text"), data, 0o666); err != nil {
			return t, err
		}
	}
	t = taken{}
	path := func(i int, kind string) string { return filepath.Join(*dir, strconv.Itoa(i)+"."+kind) }
	files := func(n int, kind string) (in []string) {
		for i := 1; i <= n; i++ {
			in = append(in, "--in", path(i, kind))
		}
		return in
	}
	step := func(as string, args ...string) {
		if name, _, _ := strings.Cut(as, " "); err == nil {
			var s machine.Sample
			s, err = machine.Process(*program, append([]string{"step", name, "--quiet", "--threads", "1"}, args...)...)
			t[as] += s.Processor.Seconds()
			t["memory of "+as] = float64(s.Anonymous)
		}
	}
	share := func(i int, args ...string) []string {
		return slices.Concat(flags, args, []string{"--share", fmt.Sprintf("%d/%d", i, shares), in})
	}
	for i := 1; i <= shares; i++ {
		step("sketch", share(i, "--out", path(i, "sketch"))...)
	}
	step("plan", append(files(shares, "sketch"), "--parts", strconv.Itoa(parts), "--out", plan)...)
	for i := 1; i <= shares; i++ {
		step("scatter", "--in", plan, "--in", path(i, "sketch"), "--out", path(i, "scattered"))
	}
	for i := 1; i <= parts; i++ {
		step("join", append(files(shares, "scattered"), "--in", plan, "--part", strconv.Itoa(i), "--out", path(i, "pairs"))...)
	}
	step("components", slices.Concat(files(shares, "sketch"), files(parts, "pairs"), []string{"--out", out})...)
	step(alone, append(files(shares, "sketch"), "--out", out+" alone")...)
	for i := 1; i <= shares; i++ {
		step("keep", share(i, "--in", filepath.Join(out, "removed.jsonl"), "--out", out)...)
	}
	for kind, pattern := range map[string]string{"text": "in/*", "sketches": "*.sketch", "shuffle": "*.scattered", "pairs": "*.pairs"} {
		paths, _ := filepath.Glob(filepath.Join(*dir, pattern))
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil {
				t[kind] += float64(info.Size())
			}
		}
	}
	return t, err
}

// report prints what a document takes, by each, and what more take.
func report(name string, each func(what string) float64) {
	fmt.Printf("\n## %s\n\n| | one | 10⁹ | 10¹⁰ |\n|---|---|---|---|\n", name)
	row := func(what, one, unit string, per, most float64) {
		fmt.Printf("| %s | %s | %.4g %s | %.4g %s |\n", what, one, 1e9*per/most, unit, 1e10*per/most, unit)
	}
	seconds, stored := 0.0, 0.0
	for _, s := range steps {
		row(s, fmt.Sprintf("%.2f µs", 1e6*each(s)), "core hours", each(s), 3600)
		seconds += each(s)
	}
	row("all steps", fmt.Sprintf("%.2f µs", 1e6*seconds), "core hours", seconds, 3600)
	for _, kind := range []string{"text", "sketches", "shuffle", "pairs"} {
		row(kind, fmt.Sprintf("%.1f B", each(kind)), "GB", each(kind), 1e9)
		if kind != "text" {
			stored += each(kind)
		}
	}
	row("memory of components", fmt.Sprintf("%.0f B", each("memory of components")), "GB", each("memory of components"), 1e9)
	row(alone, fmt.Sprintf("%.2f µs", 1e6*each(alone)), "core hours", each(alone), 3600)
	row("its memory", fmt.Sprintf("%.0f B", each("memory of "+alone)), "GB", each("memory of "+alone), 1e9)
	row("price", "", "dollars", seconds/3600**price+stored/1e9**storage/30, 1)
}

// words returns the numbers of the words of a text.
func words(i int) (of []uint64) {
	r := rand.New(rand.NewPCG(uint64(i), 37))
	if i%10 == 9 {
		of = words(i - 1 - r.IntN(9))
		for range r.IntN(8) {
			of[r.IntN(len(of))] = r.Uint64N(200_000)
		}
		return of
	}
	frequent := rand.NewZipf(r, 1.07, 10, 200_000)
	for range 30 + r.IntN(170) {
		of = append(of, frequent.Uint64())
	}
	return of
}

func text(dst []byte, i int) []byte {
	dst = fmt.Appendf(dst, `{"id":"d%d","text":"`, i)
	for _, word := range words(i) {
		dst = fmt.Appendf(dst, "w%d ", word)
	}
	return append(dst, "\"}\n"...)
}

func fingerprint(dst []byte, i int) []byte {
	r := rand.New(rand.NewPCG(uint64(i), 64))
	one := r.Uint64()
	if i%100 == 99 {
		one = rand.New(rand.NewPCG(uint64(i-1-r.IntN(98)), 64)).Uint64() ^ 1<<r.IntN(64) ^ 1<<r.IntN(64)
	}
	return fmt.Appendf(dst, "d%d %016x\n", i, one)
}

// simulate prints how even the parts of 10¹⁰ texts are, if the keys of these are as frequent as those of a sample. As
// internal/clean/steps does, it divides a slot with more than a quarter of a mean part into blocks, of which each
// pair is a task.
func simulate() {
	const sampled, similarity = 200_000, 0.8
	counts, keys, total := map[uint64]int{}, map[uint64]int{}, 0
	var sets [][]uint64
	for i := range sampled {
		set := words(i)
		slices.Sort(set)
		set = slices.Compact(set)
		for _, f := range set {
			counts[f]++
		}
		sets = append(sets, set)
	}
	for _, set := range sets {
		slices.SortFunc(set, func(a, b uint64) int { return counts[a] - counts[b] })
		for _, f := range set[:int(float64(len(set))*(1-similarity))+1] {
			if counts[f] > 1 {
				keys[f]++
				total++
			}
		}
	}
	var loads []float64 // of each key, among all
	for _, n := range keys {
		loads = append(loads, float64(n)/float64(total))
	}
	slices.Sort(loads)
	fmt.Printf("\n## Parts of 10¹⁰ texts, simulated\n\nOf %d texts, each has %.1f keys of %d, and the most frequent key is %.4f %% of all. The sets of a key are those of 10¹⁰ texts with this skew;\n"+
		"more texts have more keys, so that their parts are more even.\n\n", sampled, float64(total)/sampled, len(loads), 100*loads[len(loads)-1])
	fmt.Println(strings.Join([]string{"| parts", "keys that are divided", "largest part / mean", "the same without dividing", "copied for it |\n|---|---|---|---|---|"}, " | "))
	for _, parts := range []int{256, 1024, 4096, 16384} {
		divided, whole := make([]float64, parts), make([]float64, parts)
		r := rand.New(rand.NewPCG(uint64(parts), 1))
		heavy, all := 0, 0.0
		for _, load := range loads {
			whole[r.IntN(parts)] += load
			blocks := min(256, max(1, int(4*float64(parts)*load)+1))
			if blocks > 1 {
				heavy++
			}
			for i := range blocks {
				for j := i; j < blocks; j++ { // it has the sets of both blocks
					one := load / float64(blocks) * float64(min(2, 1+j-i))
					divided[r.IntN(parts)] += one
					all += one
				}
			}
		}
		fmt.Printf("| %d | %d | %.2f | %.2f | %.0f %% |\n", parts, heavy, slices.Max(divided)*float64(parts)/all, slices.Max(whole)*float64(parts), 100*max(0, all-1))
	}
}
