package prefix

import (
	"bytes"
	"errors"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// Units are written as they came, whether they are in memory or not. Some that are lost are an error.
func TestUnits(t *testing.T) {
	var want []byte
	for _, o := range []Options{{}, {Disk: disk.OS, Dir: t.TempDir(), Memory: 40}} {
		u := newUnits(&o)
		for i := range uint16(1000) {
			if err := u.add(i, i<<8|i>>8); err != nil {
				t.Fatal(err)
			}
		}
		if u.n != 2000 || o.Disk != nil && !u.InFile() {
			t.Errorf("%d units, in a file: %v", u.n, u.InFile())
		}
		var b bytes.Buffer
		w := section.NewWriter(&b)
		w.Begin("units")
		if err := u.write(w); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = b.Bytes()
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Error("other bytes by way of a file")
		}
		u.n++
		if err := u.write(w); !errors.Is(err, spill.ErrCut) {
			t.Errorf("a unit is lost: %v, want %v", err, spill.ErrCut)
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
}
