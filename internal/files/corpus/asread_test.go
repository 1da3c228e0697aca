package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Raw is what stands in the file, byte for byte, if it is asked for.
func TestRaw(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 1<<17)
	for _, tt := range []struct {
		name, content string
		want          []string
	}{
		{"a.jsonl", "{\"text\": \"a\\u0041\" }\r\n\n {\"text\":\"b\",\"id\":7}\n{\"text\":\"c\"}", []string{"{\"text\": \"a\\u0041\" }\r\n", " {\"text\":\"b\",\"id\":7}\n", "{\"text\":\"c\"}"}},
		{"a.json", "[ {\"text\": \"a\",\n \"n\": 1},{\"text\":\"b\"} ]", []string{"{\"text\": \"a\",\n \"n\": 1}", "{\"text\":\"b\"}"}},
		{"a.lines", "one\r\n\n" + long + "\nlast", []string{"one\r\n", "\n", long + "\n", "last"}},
		{"a.sets", "a\tx y\n\nb\tz\n", []string{"a\tx y\n", "b\tz\n"}},
		{"a.fingerprints", "a\t00000000000000ff\n0x10\n", []string{"a\t00000000000000ff\n", "0x10\n"}},
		{"a.text", "a text\n", []string{""}},
	} {
		path := filepath.Join(t.TempDir(), tt.name)
		if err := os.WriteFile(path, []byte(tt.content), 0o666); err != nil {
			t.Fatal(err)
		}
		format, err := ParseFormat(strings.TrimPrefix(filepath.Ext(path), "."))
		if err != nil {
			t.Fatal(err)
		}
		for _, asked := range []bool{true, false} {
			r, err := Open([]string{path}, Options{Format: format, Raw: asked})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for doc, err := range r.Documents() {
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				want := ""
				if asked && n < len(tt.want) {
					want = tt.want[n]
				}
				if got := string(doc.Raw); got != want {
					t.Errorf("%s: record %d is %.40q, want %.40q", tt.name, n, got, want)
				}
				n++
			}
			if n != len(tt.want) {
				t.Errorf("%s: %d documents", tt.name, n)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
