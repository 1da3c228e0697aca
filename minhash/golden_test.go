package minhash

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"testing"
)

// Users may have stored such signatures: do NOT change the golden file. It was written by
// testdata/golden.py, an independent implementation.
func TestGoldenSignatures(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	n := 0
	for lines.Scan() {
		var positions, elements int
		var seed uint64
		var text string
		if _, err := fmt.Sscan(lines.Text(), &positions, &seed, &elements, &text); err != nil {
			t.Fatal(err)
		}
		want, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		got := Pack(nil, NewFast(positions, seed).Sketch(nil, keys(elements, 1000)), 8)
		if !bytes.Equal(got, want) {
			t.Errorf("%d positions, seed %d, %d elements:\n got %x\nwant %x", positions, seed, elements, got, want)
		}
		n++
	}
	if err := lines.Err(); err != nil || n != 24 {
		t.Errorf("%d lines, %v", n, err)
	}
}
