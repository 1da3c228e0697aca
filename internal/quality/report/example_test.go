package report_test

import (
	"fmt"
	"os"

	"simsearch/internal/quality/report"
)

func Example() {
	r := &report.Report{Version: 1, Title: "Recall"}
	s := &report.Section{Name: "recall", Title: "Recall by distance"}
	r.Sections = append(r.Sections, s)
	t := s.AddTable("", "k", "recall")
	t.Add(3, 0.87)
	err := r.WriteBrief(os.Stdout, 0, "")
	fmt.Println(err)
	// Output:
	// Recall
	//
	// Recall by distance
	//   k  recall
	//   3  0.87
	// <nil>
}
