package dedup

import (
	"errors"
	"fmt"
	"path/filepath"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/index"
)

// splitIndexes divides the inputs of a reference into indexes and others.
func splitIndexes(refs []string) (others, indexes []string) {
	for _, path := range refs {
		info, err := disk.OS.Stat(filepath.Join(path, index.ManifestName))
		if err == nil && info.Mode().IsRegular() {
			if _, err = index.ReadManifest(path); !errors.Is(err, index.ErrNoIndex) {
				indexes = append(indexes, path)
				continue
			}
		}
		others = append(others, path)
	}
	return others, indexes
}

// openIndexes opens indexes as files of the reference. What is compared of their documents must have been made as
// that of the texts will be.
func (c *sources) openIndexes(paths []string) error {
	for _, path := range paths {
		ix, err := index.Open(path)
		if err != nil {
			return err
		}
		c.Indexes = append(c.Indexes, ix)
		if err := analysis.CheckSame(ix.Settings().Canonical(), c.Options.Settings.Canonical(), c.Options.ByDistance()); err != nil {
			return fmt.Errorf("--against %s: %w", path, err)
		}
		c.Files = append(c.Files, corpus.File{Path: path, Named: true})
	}
	return nil
}

// isIndex reports whether file i is an index.
func (c *sources) isIndex(i int) bool { return i < c.Refs && i >= c.Refs-len(c.Indexes) }
