package report_test

import (
	"bytes"
	"fmt"

	"simsearch/internal/quality/report"
)

func ExamplePlot() {
	w, points := &bytes.Buffer{}, [][2]float64{{0, 0}, {3, 0.9}}
	p := report.Plot{Title: "Recall", X: report.Axis{Name: "k"}, Y: report.Axis{Name: "recall", Min: 0, Max: 1}}
	p.Series = append(p.Series, report.Series{Name: "words", Points: points, Line: true})
	err := p.Write(w)
	fmt.Println(bytes.HasPrefix(w.Bytes(), []byte("<svg")), err)
	// Output:
	// true <nil>
}
