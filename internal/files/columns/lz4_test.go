package columns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// Frames are read as they were written, one behind the other. What is cut or has another checksum is an error.
func TestFrames(t *testing.T) {
	var text []byte
	for i := range 20_000 {
		text = fmt.Append(text, "line ", i*i, "\n")
	}
	var b bytes.Buffer
	w := lz4.NewWriter(&b) // with a checksum of the content; it writes other checksums of blocks than the format has
	err := w.Apply(lz4.BlockSizeOption(lz4.Block64Kb))
	if err == nil {
		_, err = w.Write(text)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	frame := b.Bytes()
	if got, err := io.ReadAll(NewFrames(bytes.NewReader(bytes.Repeat(frame, 2)))); err != nil || !bytes.Equal(got, bytes.Repeat(text, 2)) {
		t.Errorf("%d bytes of two frames of %d: %v", len(got), len(text), err)
	}
	for _, at := range []int{0, 4, 200, len(frame) / 2, len(frame) - 3, len(frame) - 1} {
		damaged := bytes.Clone(frame)
		damaged[at] ^= 0x40
		if got, err := io.ReadAll(NewFrames(bytes.NewReader(damaged))); err == nil {
			t.Errorf("with damage at %d of %d, %d bytes are read", at, len(frame), len(got))
		}
		if got, err := io.ReadAll(NewFrames(bytes.NewReader(frame[:at]))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d of %d, %d bytes: %v", at, len(frame), len(got), err)
		}
	}
}
