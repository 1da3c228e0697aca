package dedup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
)

// A file that may not be read is told of, and the others are written. Root may read all, so that the test goes on in a
// process that has given that up.
func TestUnreadableFile(t *testing.T) {
	const other = "DEDUP_TEST_AS_NOBODY"
	if os.Geteuid() == 0 && os.Getenv(other) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestUnreadableFile$", "-test.count=1")
		cmd.Env = append(os.Environ(), other+"=1")
		if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "PASS") {
			t.Fatalf("%v: %s", err, said)
		}
		return
	}
	dir, err := os.MkdirTemp("", "unreadable")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{dir, in} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	const text = `{"id":"a","text":"one two three"}` + "\n"
	for name, mode := range map[string]os.FileMode{"a.jsonl": 0, "b.jsonl": 0o666} {
		if err := os.WriteFile(filepath.Join(in, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv(other) != "" {
		if err := syscall.Seteuid(65534); err != nil {
			t.Skip("no other user can be taken on: ", err)
		}
		defer func() { _ = syscall.Seteuid(0) }()
	}
	told := 0
	o := options()
	o.Bad = func(*corpus.BadError) { told++ }
	r, err := runTo(t.Context(), out, nil, []string{in}, o)
	if err != nil || told != 1 || r.Bad != 1 || r.Documents != 1 {
		t.Fatalf("%v, %d bad files were told of; %+v", err, told, r)
	}
	kept, err := filepath.Glob(filepath.Join(out, run.KeptName, "*", "*"))
	if more, _ := filepath.Glob(filepath.Join(out, run.KeptName, "*")); err == nil {
		kept = append(kept, more...)
	}
	written := 0
	for _, path := range kept {
		if data, err := os.ReadFile(path); err == nil && string(data) == text {
			written++
		}
	}
	if written != 1 {
		t.Errorf("%d files are written, want 1: %q", written, kept)
	}
}
