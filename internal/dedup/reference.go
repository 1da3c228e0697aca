package dedup

import (
	"errors"
	"fmt"
	"path/filepath"

	"simsearch/internal/analysis"
	"simsearch/internal/corpus"
	"simsearch/internal/disk"
	"simsearch/internal/index"
)

// splitIndexes divides the inputs of a reference into indexes and others.
func splitIndexes(refs []string) (others, indexes []string) {
	for _, path := range refs {
		info, err := disk.OS.Stat(filepath.Join(path, index.ManifestName))
		if err == nil && info.Mode().IsRegular() {
			if _, err = index.ReadSettings(path); !errors.Is(err, index.ErrNoIndex) {
				indexes = append(indexes, path)
				continue
			}
		}
		others = append(others, path)
	}
	return others, indexes
}

// openIndexes opens indexes as files of the reference. What is compared of their documents must have been made as that of the texts
// will be.
func (c *sources) openIndexes(paths []string) error {
	for _, path := range paths {
		ix, err := index.Open(path)
		if err != nil {
			return err
		}
		c.indexes = append(c.indexes, ix)
		if err := sameFeatures(ix.Settings().Canonical(), c.o.Settings.Canonical(), c.o.byDistance()); err != nil {
			return fmt.Errorf("--against %s: %w", path, err)
		}
		c.files = append(c.files, corpus.File{Path: path, Named: true})
	}
	return nil
}

// sameFeatures returns an error unless what is compared of an index is made as settings say: its fingerprints or its sets.
func sameFeatures(of, want analysis.Settings, fingerprints bool) error {
	const orFiles = ", or the files of the reference"
	switch {
	case fingerprints && !of.Fingerprints():
		return errors.New("the index has sets and no fingerprints: index the reference with --mode both, or give its files")
	case !fingerprints && !of.Sets():
		return errors.New("the index has fingerprints and no sets: index the reference with --mode both, or give its files")
	case fingerprints && of.Image != want.Image:
		return fmt.Errorf("the index has fingerprints by the hash of pictures %v, and here it is %v: give --image-hash, too"+orFiles, of.Image, want.Image)
	case fingerprints && (of.Features != want.Features || of.Language != want.Language || of.Weights != want.Weights):
		return fmt.Errorf("the fingerprints of the index are made by --features %s, --weights %s and --lang %s: give these, too"+orFiles, of.Features, of.Weights, of.Language)
	case !fingerprints && of.SetFeatures != want.SetFeatures:
		return fmt.Errorf("the sets of the index have other features: give --features %s, too"+orFiles, of.SetFeatures)
	case !fingerprints && of.SetLanguage != want.SetLanguage:
		return fmt.Errorf("the sets of the index leave out the stop words of %s: give the files of the reference", of.SetLanguage)
	case fingerprints && of.Bits != want.Bits || of.Hash != want.Hash || of.Analyzer != want.Analyzer:
		return errors.New("the features of the index are made in another way: give the files of the reference")
	}
	return nil
}

// isIndex reports whether file i is an index.
func (c *sources) isIndex(i int) bool { return i < c.refs && i >= c.refs-len(c.indexes) }

// readIndex takes those of the wanted texts that an index keeps.
func (t *textsOf) readIndex(c *documents, file int) (err error) {
	ix := c.indexes[file-(c.refs-len(c.indexes))]
	o := corpus.Options{TextField: ix.Input().TextField, FingerprintField: ix.Input().FingerprintField, MailWithout: ix.Input().MailWithout, MaxDocument: c.o.Corpus.MaxDocument, Memory: c.o.Corpus.Memory, Context: c.o.Corpus.Context}
	again, err := corpus.NewRereader(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, again.Close()) }()
	for _, doc := range t.between(c.starts[file], c.starts[file+1]) {
		text, err := ix.Text(doc-c.starts[file], again)
		if errors.Is(err, index.ErrCorrupt) {
			return err
		}
		if err == nil { // else it is not shown
			t.see(doc, []byte(text))
		}
	}
	return nil
}

// isShown reports whether a pair has texts that can be shown: an index may keep none.
func (t *textsOf) isShown(c *documents, kept uint32) bool {
	return t.of[kept].text != "" || kept >= c.starts[c.refs] || kept < c.starts[c.refs-len(c.indexes)]
}
