package intake

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
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

// All bad documents are counted, and those that are bad in the same way are told of in one line.
func TestBadDocumentsAreCounted(t *testing.T) {
	t.Parallel()
	const good, bad = "{\"id\":\"a\",\"text\":\"b\"}\n", "{\"id\":\"a\",\"other\":\"b\"}\n"
	path := write(t, "a.jsonl", good+strings.Repeat(bad, 7)+good+"{\"id\":\n"+strings.Repeat(bad, 2))
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
	if want := "simsearch: bad; 8 more in the same way\nsimsearch: bad\n"; documents != 2 || in.Bad != 10 || failed != 10 || told.String() != want {
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
		is, err := one(write(t, "a.jsonl", text), corpus.Options{})
		id, got := is.ID, string(is.Text)
		if want == "" && (err != nil || id != "a" || got != "b c") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %q, %v", text, id, got, err)
		}
	}
	path := write(t, "a.txt", "0123456789abcdef")
	how := corpus.Options{Format: corpus.Fingerprints, FingerprintBits: 64}
	if is, err := one(path, how); err != nil || is.Given == nil || is.Given[0] != 0x0123456789abcdef {
		t.Errorf("%+v, %v", is, err)
	}
	if _, err := Whole([]string{path}, how); err == nil || !strings.Contains(err.Error(), "has no text") {
		t.Error(err)
	}
}

// Of documents that somebody waits for, each that is bad is told of at once, and of very many ways to be bad, some.
func TestBadAtOnce(t *testing.T) {
	t.Parallel()
	var now, later bytes.Buffer
	at, other := &Teller{To: &now, Now: true}, &Teller{To: &later}
	for i := range mostFaults + 2 {
		at.Bad("the same", "bad")
		other.Bad(strconv.Itoa(i), "bad")
	}
	if later.Len() > 0 || strings.Count(now.String(), "simsearch: bad\n") != mostFaults {
		t.Errorf("told at once is\n%s%s", now.String(), later.String())
	}
	at.End()
	other.End()
	if !strings.HasSuffix(now.String(), "\nsimsearch: bad; 1 more in the same way\n") || !strings.HasSuffix(later.String(), "\nsimsearch: more records are bad in other ways: 2\n") {
		t.Errorf("told in the end is\n%s%s", now.String(), later.String())
	}
}
