package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// block returns the fenced block of docs/GO.md that follows the comment called name.
func block(t *testing.T, page, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<!-- "+name+" -->\n```")
	_, rest, open := strings.Cut(rest, "\n")
	text, _, closed := strings.Cut(rest, "\n```")
	if !ok || !open || !closed {
		t.Fatalf("docs/GO.md has no block %s", name)
	}
	return text + "\n"
}

// Another module can use a checkout as docs/GO.md shows: its program is compiled and run exactly as it is printed.
func TestAnotherModule(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs/GO.md"))
	if err != nil {
		t.Fatal(err)
	}
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  strings.Replace(block(t, string(page), "go.mod"), "../simsearch", checkout, 1),
		"go.sum":  string(sums),
		"main.go": block(t, string(page), "main.go"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := run.CombinedOutput()
	if want := block(t, string(page), "output"); err != nil || string(out) != want {
		t.Errorf("it prints %q, want %q; %v", out, want, err)
	}
}
