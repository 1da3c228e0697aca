package lsh_test

import (
	"bytes"
	"context"
	"fmt"

	"simsearch/internal/ground/section"
	"simsearch/internal/match/lsh"
)

func Example() {
	const positions = 128
	ctx, threads := context.Background(), 2
	one, other := bytes.Repeat([]byte{1}, positions), bytes.Repeat([]byte{2}, positions)
	signatures := lsh.NewSignatures(positions, 3)
	for _, s := range [][]byte{one, other, one} {
		signatures.Add(s)
	}
	var file bytes.Buffer
	w := section.NewWriter(&file)
	write := func() error {
		bands, err := lsh.Choose(lsh.Requirements{Threshold: 0.8, Recall: 0.95, Positions: 128, MaxRows: lsh.MaxRows})
		if err != nil {
			return err
		}
		err = lsh.Write(ctx, w, signatures, bands, threads)
		if err != nil {
			return err
		}
		_, _, err = w.Close()
		return err
	}
	search := func(signature []byte) error {
		f, err := section.Parse("", file.Bytes())
		if err != nil {
			return err
		}
		t := lsh.Load(f, 3, 128)
		b := t.Bands()
		b.Rows = b.Depth(0.8, 0.95)
		candidates := t.Candidates(nil, signature, b)
		fmt.Println(candidates)
		return err
	}
	fmt.Println(write(), search(one))
	// Output:
	// [0 2]
	// <nil> <nil>
}
