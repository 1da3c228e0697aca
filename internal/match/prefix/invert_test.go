package prefix

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// What is written does not depend on the memory, on how many parts the entries of postings are sorted in, or on temporary
// files, which are removed.
func TestWriteInLittleMemory(t *testing.T) {
	sets := testkit.CrowdedSets(rand.New(rand.NewPCG(9, 10)), 3000)
	write := func(o Options) []byte {
		var b bytes.Buffer
		w := section.NewWriter(&b)
		if err := Write(t.Context(), w, sets, 0.8, o); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	want := write(Options{Threads: 1})
	for _, memory := range []int64{1, 1 << 12, 1 << 16, 1 << 18, 1 << 20} {
		if !bytes.Equal(write(Options{Threads: 2, Memory: memory}), want) {
			t.Errorf("other bytes with %d bytes of memory", memory)
		}
		dir := t.TempDir()
		if !bytes.Equal(write(Options{Threads: 2, Memory: memory, Disk: disk.OS, Dir: dir}), want) {
			t.Errorf("other bytes with %d bytes of memory, and files", memory)
		}
		if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
			t.Errorf("files are left: %v, %v", left, err)
		}
	}
}
