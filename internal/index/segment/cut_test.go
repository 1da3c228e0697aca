package segment

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
)

// A forgetfulFS loses what temporary files have.
type forgetfulFS struct{ disk.FS }

func (f forgetfulFS) CreateTemp(dir string) (disk.File, error) {
	file, err := f.FS.CreateTemp(dir)
	return emptyFile{file}, err
}

type emptyFile struct{ disk.File }

func (emptyFile) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

// A temporary file that has lost something is an error, of features as of texts.
func TestTemporaryFileThatIsCut(t *testing.T) {
	for what, layout := range map[string]Layout{"features": {Sets: true}, "texts": {Texts: true}} {
		dir := t.TempDir()
		b := NewBuilder(forgetfulFS{disk.OS}, dir, layout, 1)
		for i := range uint64(6000) { // more sets than stay in memory
			doc := Document{ID: fmt.Appendf(nil, "%d", i)}
			if layout.Texts {
				doc.Texts = Pack(1, false, func(int) Kept { return Kept{Text: []byte(strings.Repeat("text ", 100))} })
			} else {
				doc.Set, doc.Digest = []uint64{i, i + 1, i + 2}, Digest{i + 1}
			}
			b.Add(&doc)
		}
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Write(t.Context(), disk.OS, dir, "000001.seg", WriteOptions{Threshold: 0.8, Threads: 1}); !errors.Is(err, spill.ErrCut) {
			t.Errorf("%s: %v, want %v", what, err, spill.ErrCut)
		}
		if names, err := disk.OS.ReadDir(dir); err != nil || slices.Contains(names, "000001.seg") {
			t.Errorf("%s: %s is left, %v", what, names, err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}
