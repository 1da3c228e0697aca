package minhash

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Users may have stored such signatures: do NOT change the golden files. They were written by
// testdata/golden.py and testdata/golden_super.py, independent implementations.
func TestGoldenSignatures(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]Variant{"golden.txt": VariantFast, "golden_super.txt": VariantSuper} {
		t.Run(name, func(t *testing.T) { checkSignatures(t, name, v) })
	}
}

func checkSignatures(t *testing.T, name string, v Variant) {
	file, err := os.Open(filepath.Join("testdata", name))
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
		got := Pack(nil, v.New(positions, seed).Sketch(nil, keys(elements, 1000)))
		if !bytes.Equal(got, want) {
			t.Errorf("%d positions, seed %d, %d elements:\n got %x\nwant %x", positions, seed, elements, got, want)
		}
		n++
	}
	if err := lines.Err(); err != nil || n != 24 {
		t.Errorf("%d lines, %v", n, err)
	}
}
