package dedup_test

import (
	"bytes"
	"fmt"
	"os"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
)

func ExampleReport() {
	r := &dedup.Report{V: 1, Command: "simsearch dedup --out kept docs", Threshold: 0.7, Files: dedup.Files{Input: 2, Kept: 2}, Documents: 9, Kept: 9}
	err := run.WriteJSON(os.Stdout, r)
	fmt.Println(err)
	// Output:
	// {
	//  "v": 1,
	//  "command": "simsearch dedup --out kept docs",
	//  "settings": [],
	//  "threshold": 0.7,
	//  "files": {
	//   "input": 2,
	//   "kept": 2,
	//   "removed": 0,
	//   "left_out": 0
	//  },
	//  "documents": 9,
	//  "kept": 9,
	//  "removed": 0,
	//  "exact": 0,
	//  "words": 0,
	//  "near": 0,
	//  "differs": {
	//   "numbers": 0,
	//   "negations": 0,
	//   "symbols": 0,
	//   "names": 0,
	//   "order": 0,
	//   "any": 0
	//  },
	//  "bad": 0,
	//  "empty": 0,
	//  "bytes": 0,
	//  "kept_bytes": 0,
	//  "seconds": 0,
	//  "sources": [],
	//  "groups": 0,
	//  "largest_group": 0,
	//  "sizes": [],
	//  "histogram": [],
	//  "largest": [],
	//  "borderline": [],
	//  "warnings": []
	// }
	// <nil>
}

func ExampleReport_WriteHTML() {
	r := &dedup.Report{V: 1, Threshold: 0.7, Files: dedup.Files{Input: 2, Kept: 2}, Documents: 9, Kept: 9}
	var page bytes.Buffer
	err := r.WriteHTML(&page)
	fmt.Println(bytes.Contains(page.Bytes(), []byte("<h1>None of 9 documents removed</h1>")), err)
	// Output:
	// true <nil>
}
