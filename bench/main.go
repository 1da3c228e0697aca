// Bench compares the Hamming search of simsearch with other software, on the same data and queries, in
// one run and on one thread. It checks that results are equal. See README.md.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	ns := flag.String("n", "100000,1000000,10000000,100000000", "numbers of fingerprints")
	ks := flag.String("k", "1,3,6,8,10,12", "distances")
	worstSize := flag.Int("worst", 1_000_000, "number of fingerprints of the comparison with a scan; 0 leaves it out")
	alone := flag.Bool("worst-alone", false, "compare with a scan alone, and with no other software")
	// Arguments are files of fingerprints, a line each: the fingerprint, or an id, a tab and the fingerprint.
	write := flag.String("write", "", "directory to write BENCHMARKS.md and its plots to")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	if *alone {
		fmt.Println(worstReport(againstScan(*worstSize)))
		return
	}
	runs, joins, err := compare(numbers(*ns), numbers(*ks), flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	var worsts []worst
	if *worstSize > 0 {
		worsts = againstScan(*worstSize)
	}
	page := pageOf(runs, joins, worsts)
	fmt.Println(page)
	if *write == "" {
		return
	}
	if err := writePage(*write, page, runs); err != nil {
		log.Fatal(err)
	}
}

// numbers reads a list such as 1,3,6.
func numbers(list string) []int {
	var out []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			log.Fatalf("%q is no list of numbers", list)
		}
		out = append(out, n)
	}
	return out
}

func writePage(dir, page string, runs []run) error {
	if err := os.WriteFile(filepath.Join(dir, "BENCHMARKS.md"), []byte(page), 0o666); err != nil {
		return err
	}
	for _, p := range pictures(runs) {
		if err := os.WriteFile(filepath.Join(dir, p.name), p.bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}
