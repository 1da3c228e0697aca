package analysis_test

import (
	"fmt"

	"simsearch/internal/features/analysis"
)

func Example() {
	text := []byte("The quick brown fox")
	settings := analysis.Default()
	a, err := analysis.New(settings)
	if err != nil {
		panic(err)
	}
	var scratch analysis.Scratch // of this goroutine
	fp, ok, err := a.Fingerprint(&scratch, text)
	fmt.Printf("%016x %v %v\n", fp, ok, err)
	// Output:
	// 08bf18bdf10ae7dd true <nil>
}
