package index

import (
	"os"
	"path/filepath"
	"testing"

	"simsearch/analysis"
	"simsearch/preprocess"
)

// An index of an earlier version of the analyser is searched, and grows, by that version: Cherokee folds to small letters
// there. A new index has the version of the program.
func TestAnOldAnalyserGoesOn(t *testing.T) {
	t.Parallel()
	const upper, lower = "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᏴ", "ꮳꮃꭹ ꭶꮼꮒꭿꮝꮧ ꭰᏼ"
	old := filepath.Join(t.TempDir(), "old")
	if err := os.CopyFS(old, os.DirFS("testdata/v6")); err != nil {
		t.Fatal(err)
	}
	s := analysis.Default()
	s.Positions = 16
	for dir, version := range map[string]int{old: 1, filepath.Join(t.TempDir(), "new"): preprocess.Version} {
		w, err := OpenWriter(dir, s, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), docs("cherokee", upper)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		ix := mustOpen(t, dir)
		if got := ix.Settings().Analyzer; got != version {
			t.Errorf("version %d of the analyser, want %d", got, version)
		}
		for _, text := range []string{upper, lower} {
			ms, err := matches(ix, Text([]byte(text)), Similar(1))
			if err != nil || len(ms) != 1 || string(ms[0].ID) != "cherokee" {
				t.Errorf("version %d: %q is near %+v, %v", version, text, ms, err)
			}
		}
		features := map[int]string{1: "ꮳꮃꭹ", preprocess.Version: "ᏣᎳᎩ"}
		if got := preprocessed(t, ix.Settings(), upper); got != features[version] {
			t.Errorf("version %d has the word %q, want %q", version, got, features[version])
		}
	}
}

// An index that hashes n-grams as strings, as version 2 did, goes on to do so: documents that are added later, and queries,
// are near the documents that are there.
func TestOldHashesGoOn(t *testing.T) {
	t.Parallel()
	const text = "the quick brown fox jumps over the lazy dog"
	dir := t.TempDir()
	for i, id := range []string{"old", "new"} {
		s := analysis.Default()
		s.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.WordN, N: 3}
		s.Analyzer = []int{2, preprocess.Version}[i]
		w, err := OpenWriter(dir, s, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Ingest(t.Context(), docs(id, text)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ix := mustOpen(t, dir)
	if ms, err := matches(ix, Text([]byte(text)), Similar(1)); err != nil || len(ms) != 2 || ix.Settings().Analyzer != 2 {
		t.Errorf("%q is near %+v, %v by version %d; want both documents by version 2", text, ms, err, ix.Settings().Analyzer)
	}
}

// preprocessed returns the first word of a text by the analyser of settings.
func preprocessed(t *testing.T, s analysis.Settings, text string) string {
	t.Helper()
	a, err := preprocess.New(preprocess.Options{Version: s.Analyzer})
	if err != nil {
		t.Fatal(err)
	}
	var doc preprocess.Document
	a.Analyze(&doc, []byte(text))
	return string(doc.Feature(0))
}
