package inputs

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Frames of LZ4 are read as they were written, one behind the other. What is cut or has another checksum is an error.
func TestLZ4(t *testing.T) {
	read := func(file []byte) (string, error) {
		path := filepath.Join(t.TempDir(), "a.lz4")
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, false, StreamOptions{Context: t.Context(), Window: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(s)
		return string(got), errors.Join(err, s.Close())
	}
	var text []byte
	for i := range 20_000 {
		text = fmt.Append(text, "line ", i*i, "\n")
	}
	frame := compressed(t, "a.lz4", string(text))
	if got, err := read(bytes.Repeat(frame, 2)); err != nil || got != strings.Repeat(string(text), 2) {
		t.Errorf("%d bytes of two frames of %d: %v", len(got), len(text), err)
	}
	for _, at := range []int{4, 200, len(frame) / 2, len(frame) - 8, len(frame) - 3, len(frame) - 1} {
		damaged := bytes.Clone(frame)
		damaged[at] ^= 0x40
		if got, err := read(damaged); err == nil {
			t.Errorf("with damage at %d of %d, %d bytes are read", at, len(frame), len(got))
		}
		if got, err := read(frame[:at]); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d of %d, %d bytes: %v", at, len(frame), len(got), err)
		}
	}
	// The program lz4 1.9.4 wrote this with -BX -BD: checksums of blocks, which depend on each other.
	other, err := hex.DecodeString("04224d187440bd34000000ff1a61206c696e65206f66206120746578742c207772697474656e20627920746865" +
		"2070726f6772616d0a29003a506772616d0ad4da6a400000000030a60ddf")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(other); err != nil || got != strings.Repeat("a line of a text, written by the program\n", 3) {
		t.Errorf("%q, %v", got, err)
	}
}
