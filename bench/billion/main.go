// Program billion measures fingerprints by their number: dedup of a file of them, and an index: making it, near,
// pairs and groups, within 3 bits. It prints a page.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"simsearch/bench/machine"
	"simsearch/hamming"
	"simsearch/internal/index"
)

const (
	distance = 3
	queries  = 20_000
	coldOnes = 40
	scanned  = 20 // queries that are compared with a scan of all fingerprints
	fadvise  = 4  // POSIX_FADV_DONTNEED
)

func main() {
	program := flag.String("program", "out/simsearch", "the `program` that is measured")
	dir := flag.String("dir", "out/billion", "the directory of files, which are removed")
	most := flag.Uint64("most", 10_000_000, "the largest `number` of fingerprints")
	least := flag.Uint64("least", 1_000_000, "the smallest `number` of fingerprints")
	memory := flag.String("memory", "", "what index, pairs and groups are given as --memory")
	flag.Parse()
	fmt.Printf("# Fingerprints, from a million on\n\n%s\n\n", machine.Line())
	fmt.Print("Written by `bench/run.sh billion`. Fingerprints have 64 bits. Of *uniform* ones, each hundredth is an earlier one with one to six\n" +
		"other bits; *clustered* ones come in tens, with zero to four other bits each. Ids are numbers of rows. All searches are within 3 bits.\n" +
		"Every pair that was planted is found, and each pair that is found is within 3 bits by the generator. *Dedup* removes near rows from\n" +
		"the file: each one is within 3 bits of the one that is kept for it, and of a planted pair one is removed. Answers of 20 queries are\n" +
		"compared with a scan. *Near* is one query after the other in one process; *cold* means that the files were dropped from\n" +
		"the memory of the system before each query, after the index was opened. Seconds are first by the clock, and then of all processors.\n" +
		"Memory is without pages of files, which the system takes back when it wants them.\n\n")
	fmt.Println("| data | fingerprints | index, s | processors, s | memory, MB | disk, bytes each | near p50, µs | p99 | cold p50, ms | cold p99 |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	var joins strings.Builder // the second table
	var largest row           // of uniform ones
	for _, k := range kinds {
		for n := *least; n <= min(*most, k.most); n *= 10 {
			if err := os.MkdirAll(*dir, 0o777); err != nil {
				log.Fatal(err)
			}
			r, err := k.measure(&joins, *program, *dir, *memory, n)
			if err := os.RemoveAll(*dir); err != nil {
				log.Fatal(err)
			}
			if err != nil {
				log.Fatalf("%s, %d: %v", k.name, n, err)
			}
			if k.name == kinds[0].name {
				largest = r
			}
		}
	}
	fmt.Print("\n| data | fingerprints | pairs, s | processors, s | memory, MB | pairs found | groups, s | memory, MB | documents in groups | dedup, s | processors, s | memory, MB | removed |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n" + joins.String())
	if largest.n > 0 {
		fmt.Print(largest.onPaper())
	}
}

// A row is some of what was measured of n fingerprints.
type row struct {
	n            uint64
	bytes        int64
	index, pairs time.Duration
	near         float64 // microseconds, in the middle
}

// onPaper says what eight billion fingerprints would take by a row.
func (r *row) onPaper() string {
	times := 8e9 / float64(r.n)
	minutes := func(d time.Duration) float64 { return times * d.Minutes() }
	return fmt.Sprintf("\n## 8·10⁹, on paper\n\n"+
		"Manku, Jain and Das Sarma (*Detecting Near-Duplicates for Web Crawling*, WWW 2007) had 8·10⁹ fingerprints of 64 bits in 64 GB, about\n"+
		"half of that compressed. 200 machines answered a million queries within 3 bits in some 100 seconds: 20 ms of a machine for each.\n\n"+
		"By the row of %d uniform fingerprints, %.0f times as many would take %.0f GB of disk and %.0f minutes to index on this machine, and `pairs`\n"+
		"%.0f minutes. An index has 2³² documents at most, so that there would be two. A query compares an even share of all entries, which would\n"+
		"take about %.1f ms in memory. None of this was run.\n",
		r.n, times, times*float64(r.bytes)/1e9, minutes(r.index), minutes(r.pairs), times*r.near/1000)
}

// measure prints a row about n fingerprints and writes another one to joins, and returns some of it.
func (k kind) measure(joins io.Writer, program, dir, memory string, n uint64) (r row, err error) {
	log.Printf("%s, %d fingerprints", k.name, n)
	file, at := filepath.Join(dir, "prints.u64"), filepath.Join(dir, "index")
	if err := k.write(file, n); err != nil {
		return r, err
	}
	how := []string{"--index", at, "--quiet"}
	if memory != "" {
		how = append(how, "--memory", memory)
	}
	cleaned, removed, err := k.dedup(program, filepath.Join(dir, "clean"), file, memory, n)
	if err != nil {
		return r, err
	}
	built, err := machine.Process(program, slices.Concat([]string{"index"}, how, []string{file})...)
	if err != nil {
		return r, err
	}
	if err := os.Remove(file); err != nil {
		return r, err
	}
	size, err := sizeOf(at)
	if err != nil {
		return r, err
	}
	warm, cold, err := k.search(at, n)
	if err != nil {
		return r, err
	}
	paired, found, err := k.pairs(exec.Command(program, slices.Concat([]string{"pairs", "--k", strconv.Itoa(distance)}, how)...), n)
	if err != nil {
		return r, err
	}
	var documents lines
	cmd := exec.Command(program, slices.Concat([]string{"groups", "--k", strconv.Itoa(distance)}, how)...)
	cmd.Stderr, cmd.Stdout = os.Stderr, &documents
	grouped, err := machine.Run(cmd)
	if err != nil {
		return r, err
	}
	fmt.Printf("| %s | %d | %.1f | %.1f | %d | %.1f | %.1f | %.1f | %.2f | %.2f |\n", k.name, n,
		built.Wall.Seconds(), built.Processor.Seconds(), built.Anonymous>>20, float64(size)/float64(n),
		micro(warm, 50), micro(warm, 99), micro(cold, 50)/1000, micro(cold, 99)/1000)
	_, err = fmt.Fprintf(joins, "| %s | %d | %.1f | %.1f | %d | %d | %.1f | %d | %d | %.1f | %.1f | %d | %d |\n", k.name, n,
		paired.Wall.Seconds(), paired.Processor.Seconds(), paired.Anonymous>>20, found,
		grouped.Wall.Seconds(), grouped.Anonymous>>20, documents,
		cleaned.Wall.Seconds(), cleaned.Processor.Seconds(), cleaned.Anonymous>>20, removed)
	return row{n, size, built.Wall, paired.Wall, micro(warm, 50)}, err
}

// sizeOf returns the size of all files of a directory.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	return size, err
}

// dedup runs dedup, and checks what it removes: each row is near the one that is kept for it, and of a planted pair
// one is removed. It removes the result.
func (k kind) dedup(program, out, file, memory string, n uint64) (s machine.Sample, found int, err error) {
	how := []string{"dedup", "--k", strconv.Itoa(distance), "--quiet", "--out", out}
	if memory != "" {
		how = append(how, "--memory", memory)
	}
	if s, err = machine.Process(program, append(how, file)...); err != nil {
		return s, 0, err
	}
	list, err := os.Open(filepath.Join(out, "removed.jsonl"))
	if err != nil {
		return s, 0, err
	}
	defer list.Close() //nolint:errcheck // it was read only
	removed := make([]uint64, (n+63)/64)
	for rows := json.NewDecoder(bufio.NewReader(list)); ; found++ {
		var is struct {
			ID   string
			Kept string `json:"kept_id"`
		}
		if err := rows.Decode(&is); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return s, 0, err
		}
		a, errA := rowOf(is.ID)
		b, errB := rowOf(is.Kept)
		if errA != nil || errB != nil || bits.OnesCount64(k.of(a)^k.of(b)) > distance {
			return s, 0, fmt.Errorf("%s is removed for %s", is.ID, is.Kept)
		}
		removed[a/64] |= 1 << (a % 64)
	}
	isKept := func(row uint64) bool { return removed[row/64]>>(row%64)&1 == 0 }
	for i := range n {
		k.near(i, distance, func(before uint64) {
			if isKept(i) && isKept(before) {
				err = fmt.Errorf("rows %d and %d are kept", before, i)
			}
		})
	}
	kept, failed := sizeOf(filepath.Join(out, "kept"))
	if err := errors.Join(err, failed); err != nil {
		return s, 0, err
	}
	if want := 8 * int64(n-uint64(found)); kept != want {
		return s, 0, fmt.Errorf("%d bytes are kept, want %d", kept, want)
	}
	return s, found, os.RemoveAll(out)
}

// rowOf returns the row that an id names, from 0.
func rowOf(id string) (row uint64, err error) {
	_, number, ok := strings.Cut(id, "#")
	if row, err = strconv.ParseUint(number, 10, 64); err != nil || !ok || row == 0 {
		return 0, fmt.Errorf("the id %q is no row", id)
	}
	return row - 1, nil
}

// lines counts the lines that are written to it.
type lines int

func (n *lines) Write(p []byte) (int, error) {
	*n += lines(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// micro returns a percentile of times in microseconds.
func micro(times []time.Duration, percent int) float64 {
	slices.Sort(times)
	return float64(times[min(len(times)-1, len(times)*percent/100)].Nanoseconds()) / 1000
}

// query returns query i: a row with zero to three other bits.
func (k kind) query(i, n uint64) uint64 {
	row := mix(i^0x77777) % n
	return flipped(k.of(row), int(i%(distance+1)), i)
}

// search times queries in memory, and such that find nothing in memory.
func (k kind) search(dir string, n uint64) (warm, cold []time.Duration, err error) {
	ctx, how := context.Background(), index.Options{Predicate: index.Within(distance)}
	ix, err := index.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	ask := func(ix *index.Snapshot, i uint64) (a index.Answer, took time.Duration, err error) {
		q := index.Fingerprint(k.query(i, n))
		begin := time.Now()
		a, err = ix.Near(ctx, q, how)
		return a, time.Since(begin), err
	}
	var wanted [scanned][]hamming.Match // of all fingerprints
	some := make([]uint64, 0, 1<<16)
	for from := uint64(0); from < n; from += uint64(len(some)) {
		some = some[:0]
		for i := from; i < min(n, from+uint64(cap(some))); i++ {
			some = append(some, k.of(i))
		}
		for i := range wanted {
			wanted[i] = hamming.Scan(wanted[i], some, k.query(uint64(i), n), distance)
		}
	}
	for round := range 2 { // the first one brings the index into memory
		for i := range uint64(queries) {
			a, took, err := ask(ix, i)
			switch {
			case err != nil:
				return nil, nil, err
			case i < scanned && len(a.Matches) != len(wanted[i]):
				return nil, nil, fmt.Errorf("query %d has %d matches, and %d by a scan", i, len(a.Matches), len(wanted[i]))
			case len(a.Matches) == 0:
				return nil, nil, fmt.Errorf("query %d does not find the row that it was made of", i)
			case round == 1:
				warm = append(warm, took)
			}
		}
	}
	if err := ix.Close(); err != nil {
		return nil, nil, err
	}
	for i := range uint64(coldOnes) {
		if err := forget(dir); err != nil {
			return nil, nil, err
		}
		if ix, err = index.Open(dir); err != nil {
			return nil, nil, err
		}
		_, took, err := ask(ix, queries+i)
		if err := ix.Close(); err != nil {
			return nil, nil, err
		}
		if err != nil {
			return nil, nil, err
		}
		cold = append(cold, took)
	}
	return warm, cold, nil
}

// forget drops the files of a directory from the memory of the system.
func forget(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // it was read only
		if err := file.Sync(); err != nil {
			return err
		}
		if _, _, no := syscall.Syscall6(syscall.SYS_FADVISE64, file.Fd(), 0, 0, fadvise, 0, 0); no != 0 {
			return no
		}
		return nil
	})
}

// pairs runs pairs, and checks them: all that were planted are there, and none is farther apart than it may be.
func (k kind) pairs(cmd *exec.Cmd, n uint64) (s machine.Sample, found int, err error) {
	rows, to := io.Pipe()
	cmd.Stderr, cmd.Stdout = os.Stderr, to
	ended := make(chan error, 1)
	go func() {
		var err error
		s, err = machine.Run(cmd)
		ended <- err
		_ = to.Close()
	}()
	defer rows.Close() //nolint:errcheck // it never fails
	seen := map[[2]uint64]bool{}
	planted := 0
	for lines := bufio.NewScanner(rows); lines.Scan(); found++ {
		cells := bytes.Split(lines.Bytes(), []byte("\t"))
		var pair [2]uint64
		for i := range pair {
			if pair[i], err = rowOf(string(cells[i])); err != nil {
				return s, 0, err
			}
		}
		a, b := pair[0], pair[1]
		if bits.OnesCount64(k.of(a)^k.of(b)) > distance || a >= b {
			return s, 0, fmt.Errorf("a pair of %d and %d", a, b)
		}
		k.near(b, distance, func(before uint64) {
			if before == a {
				planted++
			}
		})
		if n <= 10_000_000 {
			if seen[pair] {
				return s, 0, fmt.Errorf("%d and %d come twice", a, b)
			}
			seen[pair] = true
		}
	}
	if err := <-ended; err != nil {
		return s, 0, err
	}
	want := 0
	for i := range n {
		k.near(i, distance, func(uint64) { want++ })
	}
	if planted != want {
		return s, 0, fmt.Errorf("%d of %d pairs that were planted", planted, want)
	}
	return s, found, nil
}
