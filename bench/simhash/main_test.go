package main

import (
	"bytes"
	"os"
	"testing"
)

// The picture of the page is the one that this program draws.
func TestPictureIsCurrent(t *testing.T) {
	var b bytes.Buffer
	if err := draw(&b); err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile("../../docs/simhash.svg"); err != nil || !bytes.Equal(have, b.Bytes()) {
		t.Errorf("docs/simhash.svg is not current (%v): run go run ./simhash > ../docs/simhash.svg in bench", err)
	}
}
