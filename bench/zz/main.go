package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"simsearch/bench/machine"
	"simsearch/hamming"
	"simsearch/tables"
)

func flip(rng *rand.Rand, x uint64, most int) uint64 {
	for range rng.IntN(most + 1) {
		x ^= 1 << rng.IntN(64)
	}
	return x
}

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

func mix(x uint64) uint64 {
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

func main() {
	n := flag.Int("n", 10_000_000, "")
	kind := flag.String("kind", "planted", "")
	ks := flag.String("k", "1,2,3,4,6", "")
	plan := flag.Int("plan", 3, "")
	per := flag.Float64("bytes", 0, "")
	reps := flag.Int("reps", 3, "")
	out := flag.String("out", "", "")
	most := flag.Int("queries", 20000, "")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	prof := os.Getenv("PROF")
	begin := func(what string) {
		if prof == what { f, _ := os.Create(os.Getenv("PROFOUT")); pprof.StartCPUProfile(f) }
	}
	end := func(what string) {
		if prof == what { pprof.StopCPUProfile() }
	}
	values := planted(*n)
	for i := range values {
		switch *kind {
		case "skewed":
			values[i] = values[i]&0x0000ffff0000ffff | 0x1234000056780000
		case "top":
			values[i] = values[i]&0x00000000ffffffff | 0x1234567800000000
		case "low":
			values[i] = values[i]&0xffffffff00000000 | 0x12345678
		case "boiler":
			values[i] = values[i]&0xffff | 0x123456789abc0000
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	rng := rand.New(rand.NewPCG(uint64(len(values)), 2))
	queries := make([]uint64, *most)
	for i := range queries {
		queries[i] = rng.Uint64()
		if i%4 > 0 {
			queries[i] = flip(rng, values[rng.IntN(len(values))], 12)
		}
	}
	if *out != "" {
		for name, xs := range map[string][]uint64{"data": values, "queries": queries, "queries4k": queries[:min(len(queries), 4000)]} {
			b := make([]byte, 0, 8*len(xs))
			for _, x := range xs {
				b = binary.LittleEndian.AppendUint64(b, x)
			}
			os.WriteFile(*out+"/"+name, b, 0o666)
		}
		return
	}
	begin("build")
	start := machine.ProcessorTime()
	d := tables.Choose(64, len(values), *plan, *per*float64(len(values))).Design
	t := tables.Build(values, d)
	end("build")
	build := machine.ProcessorTime() - start
	debug.FreeOSMemory()
	fmt.Printf("%s n=%d %v build=%.2fs bytes=%.2f\n", *kind, len(values), d, build, float64(t.Bytes())/float64(len(values)))
	for _, f := range strings.Split(*ks, ",") {
		k, _ := strconv.Atoi(f)
		qs := queries
		if k > 3 || *kind != "planted" {
			if os.Getenv("QMAX") == "" { qs = queries[:min(len(queries), 4000)] }
		}
		var singles, batches []float64
		matches, sum := 0, uint64(0)
		var dst []hamming.Match
		for range *reps {
			matches, sum = 0, 0
			begin("single"+f)
			start := machine.ProcessorTime()
			for i, q := range qs {
				dst, _ = t.Near(dst[:0], q, k)
				for _, m := range dst {
					matches++
					sum += mix(uint64(i)<<32 | uint64(m.Index))
				}
			}
			singles = append(singles, (machine.ProcessorTime()-start)/float64(len(qs))*1e6)
			end("single"+f)
			begin("batch"+f)
			start = machine.ProcessorTime()
			bm := 0
			t.NearBatch(qs, k, func(i int, ms []hamming.Match) error { bm += len(ms); return nil })
			end("batch"+f)
			batches = append(batches, (machine.ProcessorTime()-start)/float64(len(qs))*1e6)
			if bm != matches {
				fmt.Println("DIFFERENT", bm, matches)
			}
		}
		fmt.Printf("  k=%d %v: single %.3f batch %.3f us (min; all %.3f %.3f) matches %d %016x heavy %d\n", k, t.Explain(k), slices.Min(singles), slices.Min(batches), singles, batches, matches, sum, t.HeavyBytes())
	}
}
