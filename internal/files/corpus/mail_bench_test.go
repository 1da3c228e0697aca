package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

// BenchmarkMail reads a mailbox of plain messages. SIMSEARCH_MBOX names another one.
func BenchmarkMail(b *testing.B) {
	path := os.Getenv("SIMSEARCH_MBOX")
	if path == "" {
		path = filepath.Join(b.TempDir(), "b.mbox")
		message := "From ann@example.org Thu Jan  1 00:00:00 2026\nSubject: x\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\n" + testkit.NewWords(1).Text(400) + "\n\n"
		if err := os.WriteFile(path, []byte(strings.Repeat(message, 10_000)), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		r, err := Open([]string{path}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range r.Documents() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
