package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"simsearch/internal/match/join"
	"simsearch/internal/match/lsh"
	"simsearch/internal/match/prefix"
	"simsearch/internal/match/setjoin"
	"simsearch/minhash"
)

// A sample is what a program reports of one join.
type sample struct {
	Seconds   float64 `json:"seconds"`
	Processor float64 `json:"processor"` // seconds of all threads
	Loaded    int64   `json:"loaded"`    // bytes of memory when the sets had been read
	Peak      int64   `json:"peak"`      // the most bytes of memory from then on
	Note      string  `json:"note"`
}

// A method joins sets in this process. It returns the pairs, and a note on its settings.
type method func(ctx context.Context, sets [][]uint64, threshold float64, threads int) (pairs [][2]uint32, note string, err error)

var methods = map[string]method{"exact": exact, "bands": byBands}

// runOurs is this program as a peer: METHOD SETS THRESHOLD THREADS PAIRS.
func runOurs(args []string) error {
	if len(args) != 5 || methods[args[0]] == nil {
		return fmt.Errorf("want METHOD SETS THRESHOLD THREADS PAIRS, not %q", args)
	}
	threshold, err := strconv.ParseFloat(args[2], 64)
	if err != nil {
		return err
	}
	threads, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(threads)
	sets, err := read(args[1])
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	loaded := status("VmRSS:")
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o666) // the peak from here on
	start, worked := time.Now(), processorTime()
	pairs, note, err := methods[args[0]](context.Background(), sets, threshold, threads)
	if err != nil {
		return err
	}
	s := sample{time.Since(start).Seconds(), (processorTime() - worked).Seconds(), loaded, status("VmHWM:"), note}
	if err := writePairs(args[4], pairs); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

// processorTime returns the time that this program has spent computing.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // the arguments are right
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// status returns the value of a line of /proc/self/status in bytes, and 0 where there is none.
func status(name string) int64 {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(fields[0], 10, 64)
	return kilobytes * 1024
}

func exact(ctx context.Context, sets [][]uint64, threshold float64, threads int) (pairs [][2]uint32, note string, err error) {
	coded, err := prefix.Collect(ctx, source(sets), prefix.Options{Threads: threads})
	if err != nil {
		return nil, "", err
	}
	err = setjoin.Pairs(ctx, coded, threshold, setjoin.Options{Threads: threads}, func(found []setjoin.Pair) error {
		for _, p := range found {
			pairs = append(pairs, [2]uint32{p.A, p.B})
		}
		return nil
	})
	return pairs, "", err
}

// source is a prefix.Source of sets in memory.
type source [][]uint64

func (s source) Len() int { return len(s) }

func (s source) Features() (features uint64) {
	for _, set := range s {
		features += uint64(len(set))
	}
	return features
}

func (s source) Scan(do func(features []uint64) error) error {
	for _, set := range s {
		if err := do(set); err != nil {
			return err
		}
	}
	return nil
}

// positions is the number of positions of a signature, as in an index.
const positions = 128

// byBands does what pairs --recall 0.95 does with the sets of an index that has signatures, and makes the
// signatures.
func byBands(ctx context.Context, sets [][]uint64, threshold float64, threads int) (pairs [][2]uint32, note string, err error) {
	bands, err := lsh.ChooseWithReserve(lsh.Requirements{Threshold: threshold, Recall: lsh.DefaultRecall, Positions: positions})
	if err != nil {
		return nil, "", err
	}
	signed := sign(sets, threads)
	v := join.NewVerifier(threshold, join.Exact, minhash.DefaultVariant, positions)
	accept := func(x, y uint32) bool {
		_, ok := v.Compare(signed.Of(x), signed.Of(y), func() (a, b []uint64) { return sets[x], sets[y] })
		return ok
	}
	err = lsh.Pairs(ctx, signed, bands, threshold, lsh.PairOptions{Threads: threads}, accept, func(found []uint64) error {
		for _, p := range found {
			pairs = append(pairs, [2]uint32{uint32(p >> 32), uint32(p)})
		}
		return nil
	})
	return pairs, bands.String(), err
}

// sign returns the signatures of sets.
func sign(sets [][]uint64, threads int) *lsh.Signatures {
	sketcher := minhash.DefaultVariant.New(positions, 0)
	all := make([]byte, positions*len(sets))
	var group sync.WaitGroup
	for t := range threads {
		group.Go(func() {
			var sketch []uint64
			for i := t * len(sets) / threads; i < (t+1)*len(sets)/threads; i++ {
				sketch = sketcher.Sketch(sketch[:0], sets[i])
				minhash.Pack(all[i*positions:i*positions:(i+1)*positions], sketch)
			}
		})
	}
	group.Wait()
	signed := lsh.NewSignatures(positions, len(sets))
	signed.Add(all)
	return signed
}
