package intake

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// All bad documents are counted, though only the first of those that are bad in the same way are told of one by one.
func TestBadDocumentsAreCounted(t *testing.T) {
	t.Parallel()
	const good, bad = "{\"id\":\"a\",\"text\":\"b\"}\n", "{\"id\":\"a\",\"other\":\"b\"}\n"
	path := write(t, "a.jsonl", good+strings.Repeat(bad, maxAlike+4)+good+"{\"id\":\n"+strings.Repeat(bad, 2))
	r, err := corpus.Open([]string{path}, corpus.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	failed := 0
	in := (&Teller{To: &told, Line: func(error) string { return "bad" }}).Start(r, terminal.NoProgress, "reading")
	in.Failed = func(*corpus.BadError) { failed++ }
	documents := 0
	for _, err := range in.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		documents++
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if documents != 2 || in.Bad != maxAlike+7 || failed != in.Bad || strings.Count(told.String(), "bad\n") != maxAlike+3 || strings.Count(told.String(), ": 4 more records: ") != 1 {
		t.Errorf("%d documents, %d bad ones, %d failed; told is\n%s", documents, in.Bad, failed, told.String())
	}
}

// A file that is to be one document has one, with a text.
func TestOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"id":"a","text":"b c"}`: "",
		"{\"id\":\"a\",\"text\":\"b c\"}\n{\"id\":\"b\",\"text\":\"\"}": "holds more than one document",
		"{\"id\":\"a\",\"text\":\"b c\"}\n{\"id\":":                     "holds more than one document",
		`{"id":"a"}`: "text",
		"":           "holds no document",
	} {
		id, got, err := One(write(t, "a.jsonl", text), corpus.Options{})
		if want == "" && (err != nil || id != "a" || got != "b c") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %q, %v", text, id, got, err)
		}
	}
	if _, _, err := One("a.txt", corpus.Options{Format: corpus.Fingerprints}); !errors.Is(err, ErrFingerprintsAlone) {
		t.Error(err)
	}
}
