package segment

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"simsearch/internal/disk"
)

// Reading the file does not change the place at which later data is appended.
func TestSpoolIsReadAndAddedTo(t *testing.T) {
	s := spool{fs: disk.OS, dir: t.TempDir(), hold: 64}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	var want []byte
	for i := range uint64(1000) {
		xs := []uint64{i, i << 40, ^i}
		for _, x := range xs {
			want = binary.LittleEndian.AppendUint64(want, x)
		}
		s.add(xs)
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if i%100 == 50 {
			if _, err := io.CopyN(io.Discard, s.reader(), int64(len(want)/2)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.written == 0 || len(s.held) == 0 {
		t.Fatalf("%d bytes are in the file, %d in memory: the test wants both", s.written, len(s.held))
	}
	if got, err := io.ReadAll(s.reader()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
	}
}
