package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nothing is exported from a damaged index, whatever its size and wherever the damage is.
func TestExportVerifiesFirst(t *testing.T) {
	// The index is larger than what is verified as a whole when it is opened.
	const documents, length, atLeast = 17_000, 1000, 16 << 20
	var list strings.Builder
	for i := range documents {
		fmt.Fprintf(&list, "%0*dx\t%016x\n", length, i, i) // ids that are no numbers of rows take their bytes
	}
	dir := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", dir, "--quiet", "--format", "fingerprints", write(t, filepath.Join(t.TempDir(), "list"), list.String()))
	segment := filepath.Join(dir, "000001.seg")
	sound, err := os.ReadFile(segment)
	if err != nil || len(sound) <= atLeast {
		t.Fatalf("a segment of %d bytes, %v", len(sound), err)
	}
	last := bytes.Index(sound, fmt.Appendf(nil, "%0*d", length, documents-1))
	if last < 0 {
		t.Fatal("the last id is not there")
	}
	sound[last+length/2] = '1'
	if err := os.WriteFile(segment, sound, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, as := range []string{"fingerprints", "sql"} {
		status, stdout, stderr := command(t, t.Context(), nil, "export", "--quiet", "--index", dir, "--as", as)
		if status != statusError || stdout != "" || !strings.Contains(stderr, segment) {
			t.Errorf("%s: status %d, %d bytes of output, stderr %q", as, status, len(stdout), stderr)
		}
	}
}
