package rewrite

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"simsearch/internal/files/columns"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
)

// Each format has a sample in testdata/formats, and can do with it all that formats do: it is found by its name,
// read, read again, written again as it stands, without a document, with a field and with another text, and named in
// the help and in the manual.
func TestFormats(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/INPUTS.md")
	if err != nil {
		t.Fatal(err)
	}
	help := strings.Split(strings.NewReplacer(" or ", ", ", " (", ", ").Replace(corpus.FormatUsage()), ", ")
	for _, f := range corpus.Formats()[1:] { // Auto is none
		t.Run(f.String(), func(t *testing.T) {
			if again, err := corpus.ParseFormat(f.String()); again != f || err != nil {
				t.Errorf("its name is that of %v, %v", again, err)
			}
			if !slices.Contains(help, f.String()) {
				t.Errorf("it is not in %q", help)
			}
			for _, extension := range f.Extensions() {
				if !bytes.Contains(manual, []byte("`"+extension+"`")) {
					t.Errorf("docs/INPUTS.md does not name `%s`", extension)
				}
			}
			named := bytes.Contains(manual, []byte("`--format "+f.String()+"`")) || bytes.Contains(manual, []byte("`."+f.String()+"`"))
			if len(f.Extensions()) == 0 && f != corpus.Text && !named {
				t.Errorf("docs/INPUTS.md does not name `--format %v`", f)
			}
			checkFormat(t, f)
		})
	}
}

// checkFormat reads and writes the sample of a format.
func checkFormat(t *testing.T, f corpus.Format) {
	samples, err := filepath.Glob("../../../testdata/formats/" + f.String() + ".*")
	if err != nil || len(samples) != 1 {
		t.Fatalf("samples %q, %v: want one, called testdata/formats/%v.*", samples, err, f)
	}
	sample, err := filepath.Abs(samples[0])
	if err != nil {
		t.Fatal(err)
	}
	o := corpus.Options{Format: f, Field: "n"}
	if slices.Contains(f.Extensions(), filepath.Ext(sample)) || f == corpus.Text {
		o.Format = corpus.Auto
	} else if len(f.Extensions()) > 0 && f != corpus.Fingerprints {
		t.Errorf("%s has none of the extensions %q", samples[0], f.Extensions())
	}
	layout, texts := readSample(t, sample, f, o)

	out := filepath.Join(t.TempDir(), filepath.Base(sample))
	write := func(o Options, decide func(n int) Decision) []string {
		t.Helper()
		n := 0
		result, err := File(found(t, sample), out, o, func(*document.Document) (Decision, error) {
			n++
			return decide(n), nil
		})
		if err != nil || result.Path == "" || result.Damage != nil {
			t.Fatalf("written: %+v, %v", result, err)
		}
		again, bad := read(t, out, o.Corpus)
		if bad > 0 {
			t.Errorf("%d documents are bad when they have been written", bad)
		}
		return again
	}
	if again := write(Options{Corpus: o}, func(int) Decision { return Decision{} }); !slices.Equal(again, texts) {
		t.Errorf("written again: %q, want %q", again, texts)
	}
	was, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := os.ReadFile(out); layout != corpus.InColumns && (err != nil || !bytes.Equal(is, was)) {
		t.Errorf("%q is written again as %q, %v", was, is, err)
	}
	if len(texts) > 1 {
		rest := slices.Delete(slices.Clone(texts), 1, 2)
		if again := write(Options{Corpus: o}, func(n int) Decision { return Decision{Drop: n == 2} }); !slices.Equal(again, rest) {
			t.Errorf("without the second: %q, want %q", again, rest)
		}
	}
	if layout.HasFields() {
		added := Options{Corpus: o, Fields: []columns.NewColumn{{Name: "added", Kind: columns.String}}}
		write(added, func(int) Decision { return Decision{Values: []any{"value"}} })
		o := o
		o.Field = "added"
		for i, v := range fieldsOf(t, out, o) {
			if v != "value" {
				t.Errorf("document %d has the field %q", i, v)
			}
		}
	}
	if ReplacesText(layout) {
		again := write(Options{Corpus: o}, func(int) Decision { return Decision{Replace: true, Text: []byte("new")} })
		if len(again) != len(texts) || slices.ContainsFunc(again, func(s string) bool { return s != "new" }) {
			t.Errorf("other texts: %q", again)
		}
	}
	if f.HasFields() {
		for i, v := range fieldsOf(t, sample, fieldOf(o, layout)) {
			if v == "" {
				t.Errorf("document %d has no field", i)
			}
		}
	}
}

// fieldOf names a field that samples in a layout have.
func fieldOf(o corpus.Options, l corpus.Layout) corpus.Options {
	switch l {
	case corpus.InMailbox:
		o.Field = "Date"
	case corpus.InCrawl:
		o.Field = "WARC-Type"
	}
	return o
}

// readSample reads a sample, and all its texts again.
func readSample(t *testing.T, sample string, f corpus.Format, o corpus.Options) (layout corpus.Layout, texts []string) {
	t.Helper()
	r, err := corpus.Open([]string{sample}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	again, err := corpus.NewRereader(o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	for doc, err := range r.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		if layout = r.Layout(); r.Format() != f {
			t.Fatalf("read as %v", r.Format())
		}
		if doc.Given() {
			continue
		}
		text := string(doc.Text)
		texts = append(texts, text)
		if is, err := again.Text(doc.Origin); err != nil || string(is) != text {
			t.Errorf("%s: read again as %q, %v, want %q", doc.ID, is, err, text)
		}
		if names := r.FieldNames(); len(names) > 0 != f.HasFields() {
			t.Errorf("the fields %q, and HasFields is %v", names, f.HasFields())
		}
	}
	if len(texts) == 0 {
		texts, _ = read(t, sample, o) // fingerprints, sets and pictures
	} else if f != corpus.Sets && f != corpus.Code {
		notLetters := func(r rune) bool { return !unicode.IsLetter(r) }
		words := strings.Join(strings.FieldsFunc(texts[len(texts)-1], notLetters), " ")
		if want := []string{"A text is a file Its lines belong together", "the third"}; !slices.Contains(want, words) {
			t.Errorf("the last text of the sample is %q: want one with the words of %q", texts[len(texts)-1], want)
		}
	}
	if whole := layout == corpus.InFile || layout == corpus.InText; len(texts) == 0 || !whole && len(texts) < 3 {
		t.Fatalf("the sample has the texts %q: want one, or three of a file with many", texts)
	}
	return layout, texts
}

// fieldsOf returns the values of Options.Field of all documents.
func fieldsOf(t *testing.T, path string, o corpus.Options) (values []string) {
	t.Helper()
	r, err := corpus.Open([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, err := range r.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		value, _ := r.Field()
		values = append(values, string(value))
	}
	if len(values) == 0 {
		t.Errorf("%s: no documents", path)
	}
	return values
}
