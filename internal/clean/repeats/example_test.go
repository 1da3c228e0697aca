package repeats_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"simsearch/internal/clean/repeats"
	"simsearch/internal/clean/run"
)

func Example() {
	temp, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(temp)
	ctx, dir := context.Background(), filepath.Join(temp, "clean")
	inputs := []string{filepath.Join(temp, "a.txt"), filepath.Join(temp, "b.txt")}
	for i, text := range []string{"One text. All rights are reserved by the author.\n", "Another text. All rights are reserved by the author. Thanks.\n"} {
		if err := os.WriteFile(inputs[i], []byte(text), 0o666); err != nil {
			panic(err)
		}
	}

	r, err := repeats.Run(ctx, inputs, dir, repeats.Options{Options: run.Options{Threads: 2}, Words: 8})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Summary())
	left, _ := os.ReadFile(filepath.Join(dir, "kept", "b.txt"))
	fmt.Printf("%s", left)
	// Output:
	// 1 passage cut, 44 B of 110 B; 1 of 2 documents changed, 0 removed
	// Another. Thanks.
}
