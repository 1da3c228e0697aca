package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"simsearch/analysis"
	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/internal/segment"
	"simsearch/internal/store"
)

// A follower reads an index that another process may be writing: its segments, and its logs as they grow.
type follower struct {
	fs       disk.FS
	dir      string
	verifyTo int // segments of up to this number of bytes are verified as a whole

	mu       sync.Mutex // guards all below
	users    int        // snapshots that are open
	manifest *store.Manifest
	analysis *analysis.Analysis
	idf      *segment.IDF
	state    *state // nil if there are no logs
	logs     []*logReader
}

// Refresh returns the index as it is now, for a reader in another process than the writer's. It returns ix if nothing
// has changed. Otherwise the caller closes ix when its answers are no longer needed, and the new Snapshot later. The
// two share the maps of segments that both have. The errors are those of Open.
//
// The Snapshots of a Live show how it was when they were taken, and cannot be refreshed.
func (ix *Snapshot) Refresh(ctx context.Context) (*Snapshot, error) {
	if ix.follower == nil {
		return nil, fmt.Errorf("%w: a snapshot of a writer cannot be refreshed", ErrNoSearch)
	}
	return ix.follower.refresh(ctx, ix)
}

func (f *follower) refresh(ctx context.Context, ix *Snapshot) (*Snapshot, error) {
	var closing *Snapshot // which takes f.mu
	defer func() {
		if closing != nil {
			_ = closing.Close() // the maps stay with ix
		}
	}()
	if !ix.readers.Hold() { // its parts are needed
		return nil, ErrClosed
	}
	defer ix.readers.Release() // which takes f.mu, too
	f.mu.Lock()
	defer f.mu.Unlock()
	now, err := f.open(ctx, ix.parts)
	if err != nil {
		return nil, err
	}
	if slices.EqualFunc(now.parts, ix.parts, func(a, b *part) bool { return a.Segment == b.Segment }) && reflect.DeepEqual(now.manifest, ix.manifest) {
		closing = now
		return ix, nil
	}
	return now, nil
}

// look opens the index for the first time.
func (f *follower) look(ctx context.Context) (*Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open(ctx, nil)
}

// open opens the index as it is now, with the parts of known as far as they are still parts of it. The caller holds
// f.mu.
func (f *follower) open(ctx context.Context, known []*part) (*Snapshot, error) {
	const attempts = 100
	var was *store.Manifest
	for attempt := 0; ; attempt++ {
		m, err := store.ReadManifest(f.fs, f.dir)
		if err != nil {
			return nil, err
		}
		ix, err := f.openManifest(ctx, m, known)
		if err == nil {
			ix.follower = f
			return ix, nil
		}
		// A writer removes files that its manifest names no more.
		if !errors.Is(err, fs.ErrNotExist) || attempt == attempts || was != nil && slices.Equal(m.Files(), was.Files()) {
			return nil, err
		}
		was = m
	}
}

// openManifest opens the index that m describes.
func (f *follower) openManifest(ctx context.Context, m *store.Manifest, known []*part) (*Snapshot, error) {
	if err := f.analyse(m); err != nil {
		return nil, err
	}
	if f.state == nil || !reflect.DeepEqual(m, f.manifest) {
		if err := f.begin(m, known); err != nil {
			return nil, err
		}
	}
	for _, l := range f.logs {
		if err := l.apply(ctx, f.state); err != nil {
			return nil, errors.Join(err, f.drop())
		}
	}
	parts, err := f.state.show(ctx)
	if err != nil {
		return nil, errors.Join(err, f.drop())
	}
	if len(f.logs) == 0 { // the segments are those of the snapshot, and of nothing else
		if err := f.drop(); err != nil {
			return nil, errors.Join(err, releaseAll(parts))
		}
	}
	ix, err := newSnapshot(f.fs, f.dir, m, f.analysis, parts)
	if err != nil {
		return nil, err
	}
	f.users++
	ix.idf, ix.readers.Unmap = f.idf, func() error { return errors.Join(releaseAll(parts), f.leave()) }
	return ix, nil
}

// leave is called when a snapshot has been closed.
func (f *follower) leave() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users > 0 {
		return nil
	}
	return f.drop()
}

// analyse makes the analysis of the index.
func (f *follower) analyse(m *store.Manifest) error {
	if f.analysis != nil && f.manifest != nil && reflect.DeepEqual(m.IDF, f.manifest.IDF) && m.Settings == f.manifest.Settings {
		return nil
	}
	model, err := readIDF(f.fs, f.dir, m.IDF)
	if err != nil {
		return err
	}
	if model == nil {
		model = segment.NewIDF(fingerprint.EmptyIDF())
	}
	a, err := analysis.New(m.Settings)
	if err == nil {
		err = m.Settings.CheckBands()
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrVersion, filepath.Join(f.dir, ManifestName), err)
	}
	f.analysis, f.idf = a.WithIDF(model), model
	return nil
}

// begin begins a state of the segments of m. It takes over the parts of known, and of the state before, that are the
// same.
func (f *follower) begin(m *store.Manifest, known []*part) (err error) {
	var parts []*part
	for _, ref := range m.Segments {
		var p *part
		if i := slices.IndexFunc(known, func(p *part) bool { return p.isOf(ref) }); i >= 0 {
			p, err = known[i].without(f.fs, f.dir, ref)
		} else {
			p, err = openPart(f.fs, f.dir, ref, layout(m.Settings), f.verifyTo)
		}
		if err != nil {
			return errors.Join(err, releaseAll(parts))
		}
		parts = append(parts, p)
	}
	w := &Writer{manifest: m}
	if w.o, err = (WriterOptions{Threshold: m.Search.Planned}).withDefaults(m.Settings); err == nil {
		err = w.useBands()
	}
	var o segment.WriteOptions
	if err == nil {
		o, err = w.segmentOptions()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %s: %w", ErrVersion, filepath.Join(f.dir, ManifestName), err), releaseAll(parts))
	}
	if err := f.drop(); err != nil {
		return errors.Join(err, releaseAll(parts))
	}
	f.manifest, f.state, f.logs = m, newState(w.layout(), o, parts), nil
	f.state.most = replayDocuments // it shows itself when all that has come is read
	for _, ref := range m.Logs {
		f.logs = append(f.logs, newLogReader(f.fs, f.dir, ref))
	}
	return nil
}

// drop releases the state.
func (f *follower) drop() (err error) {
	if f.state != nil {
		err = f.state.release()
	}
	f.state, f.logs = nil, nil
	return err
}
