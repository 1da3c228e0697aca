package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
	"simsearch/internal/index/segment"
)

// An Open is an index that was opened: the live documents of its segments and of its logs.
type Open struct {
	Manifest *Manifest
	Analysis *analysis.Analysis
	IDF      *segment.IDF // the weights that have been learnt, or empty ones
	Parts    []*Part      // the caller releases them
}

// OpenIndex opens the index in dir, and verifies segments of up to verifyTo bytes. A writer that is at work removes
// files that its manifest names no more: then the manifest is read again. The error is ErrNoIndex,
// section.ErrCorrupt, section.ErrVersion or one of the file system.
func OpenIndex(ctx context.Context, fsys disk.FS, dir string, verifyTo int) (*Open, error) {
	const attempts = 100
	var was *Manifest
	for attempt := 0; ; attempt++ {
		m, err := ReadManifest(fsys, dir)
		if err != nil {
			return nil, err
		}
		o, err := open(ctx, fsys, dir, m, verifyTo)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || attempt == attempts || was != nil && slices.Equal(m.Files(), was.Files()) {
			return o, err
		}
		was = m
	}
}

// open opens the index that m describes.
func open(ctx context.Context, fsys disk.FS, dir string, m *Manifest, verifyTo int) (o *Open, err error) {
	o = &Open{Manifest: m}
	if o.Analysis, o.IDF, err = m.Analyse(fsys, dir); err != nil {
		return nil, err
	}
	options, err := m.Plain(dir, 0)
	if err != nil {
		return nil, err
	}
	o.Parts, err = openParts(fsys, dir, m, verifyTo)
	if err == nil && len(m.Logs) > 0 {
		s := NewState(m.Layout(), options, o.Parts)
		if err = s.Replay(ctx, fsys, dir, m.Logs); err == nil {
			o.Parts, err = s.Show(ctx)
		}
		err = errors.Join(err, s.Release())
	}
	return o, err
}

// Plain returns the options of segments of which nobody says anything, in half of the machine's memory.
func (m *Manifest) Plain(dir string, threads int) (segment.WriteOptions, error) {
	o, err := m.WriteOptions(segment.WriteOptions{Threads: threads}, m.Search, spill.DefaultMemory())
	return o, unknownVersion(dir, err)
}

// unknownVersion returns the section.ErrVersion of a manifest with settings that are an error here.
func unknownVersion(dir string, err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %s: %w", section.ErrVersion, filepath.Join(dir, ManifestName), err)
	}
	return err
}

// Analyse returns the analysis of an index, and the weights that it has learnt or empty ones.
func (m *Manifest) Analyse(fsys disk.FS, dir string) (*analysis.Analysis, *segment.IDF, error) {
	model, err := m.ReadIDF(fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	if model == nil {
		model = segment.NewIDF(fingerprint.EmptyIDF())
	}
	a, err := analysis.New(m.Settings)
	if err == nil {
		err = m.Settings.CheckBands()
	}
	if err != nil {
		return nil, nil, unknownVersion(dir, err)
	}
	return a.WithIDF(model), model, nil
}

// ReadIDF maps the file of the weights that have been learnt. It maps nothing, and returns nil, if there is none.
func (m *Manifest) ReadIDF(fsys disk.FS, dir string) (*segment.IDF, error) {
	if m.IDF == nil {
		return nil, nil
	}
	return segment.OpenIDF(fsys, filepath.Join(dir, m.IDF.Name), m.IDF.Bytes, m.IDF.Digest)
}
