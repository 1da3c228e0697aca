package svg_test

import (
	"bytes"
	"fmt"

	"simsearch/internal/svg"
)

func Example() {
	w, points := &bytes.Buffer{}, [][2]float64{{0, 0}, {3, 0.9}}
	p := svg.Plot{Title: "Recall", X: svg.Axis{Name: "k"}, Y: svg.Axis{Name: "recall", Min: 0, Max: 1}}
	p.Series = append(p.Series, svg.Series{Name: "words", Points: points, Line: true})
	err := p.Write(w)
	fmt.Println(bytes.HasPrefix(w.Bytes(), []byte("<svg")), err)
	// Output:
	// true <nil>
}
