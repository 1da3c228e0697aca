package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/internal/atomicfile"
	"simsearch/lsh"
)

// WriterOptions are the options of a Writer that change no byte of the index.
type WriterOptions struct {
	// Distance is the distance in bits for which the tables of new segments are
	// planned; every other distance is answered exactly, too. 0 is 3.
	Distance int
	// Threshold is the Jaccard similarity for which the bands of new segments are planned, in
	// (0, 1], and Recall the probability with which a pair at it is to be found, in (0, 1);
	// other thresholds can be asked for, too. 0 are DefaultThreshold and lsh.DefaultRecall.
	Threshold, Recall float64
	// TableBytes is what the tables of a new segment may take, if a design is as
	// small; 0 is no limit.
	TableBytes float64
	// Threads is the number of goroutines that analyse texts and build tables; 0
	// is one.
	Threads int
	// Explain, if not nil, is told which tables a new segment gets, and why.
	Explain func(design, why string)
	// Phase, if not nil, is told in a few words what Commit begins to do.
	Phase func(what string)
	// Refused, if not nil, is called for each document that Commit leaves out
	// because its id stands for another text. id is valid during the call.
	Refused func(id []byte, why string)
}

// DefaultThreshold is the Jaccard similarity that bands are planned for, and that is searched
// for, if nothing else is said.
const DefaultThreshold = 0.8

// bands returns the bands of new segments. The error is lsh.ErrRecall, or says what is out of
// range.
func (o *WriterOptions) bands(positions int) (lsh.Bands, error) {
	return chooseBands(lsh.Wanted{Threshold: o.Threshold, Recall: planned(o.Recall), Positions: positions, MaxRows: lsh.MaxRows})
}

// A Writer adds documents to an index. It holds the index's lock from OpenWriter to
// Close, and everything added in memory until Commit: 12 bytes, an id and an id's
// end (8 bytes) a document, and where it has sets, 70 bytes and a signature a distinct
// set. Features beyond 4 MiB of them lie in a temporary file in the index.
type Writer struct {
	dir      string
	o        WriterOptions
	lock     *writeLock
	created  bool // the directory is ours to remove
	manifest *manifest
	analysis *Analysis
	pending  pending
}

// OpenWriter opens the index in dir for adding, or begins one there if dir is
// missing or empty. The error is ErrSettings if the index has other settings,
// ErrLocked if another process is writing it, ErrNoIndex if dir holds anything
// else, ErrCorrupt or ErrVersion.
func OpenWriter(dir string, s Settings, o WriterOptions) (*Writer, error) {
	s = s.Canonical()
	analysis, err := newAnalysis(s, nil)
	if err != nil {
		return nil, err
	}
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	if o.Recall == 0 {
		o.Recall = lsh.DefaultRecall
	}
	w := &Writer{dir: dir, o: o, analysis: analysis}
	w.pending = w.nothingPending()
	if s.Sets() {
		if _, err := o.bands(s.Perms); err != nil {
			return nil, err
		}
	}
	// Look before touching anything: what is not an index must stay as it is.
	if w.manifest, err = readOrBegin(dir, s); err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		w.created = true
	}
	if w.lock, err = lockDir(dir); err != nil {
		return nil, err
	}
	// And again under the lock: another writer may just have finished.
	if w.manifest, err = readOrBegin(dir, s); err == nil {
		err = w.removeLeftovers()
	}
	if err == nil {
		w.analysis.rarity, err = readRarity(dir, w.manifest.Rarity)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// readOrBegin returns the manifest in dir, checked against s, or one without
// segments if there could be a new index.
func readOrBegin(dir string, s Settings) (*manifest, error) {
	m, err := readManifest(dir)
	if err == nil {
		return m, m.Settings.Check(s)
	}
	if !errors.Is(err, ErrNoIndex) {
		return nil, err
	}
	names, listErr := foreignNames(dir)
	if errors.Is(listErr, fs.ErrNotExist) || listErr == nil && len(names) == 0 {
		return &manifest{Settings: s, Next: 1, Segments: []segmentRef{}}, nil
	}
	if listErr == nil && onlySegments(names) {
		return nil, fmt.Errorf("%w: %s holds segments but no %s; %s", ErrCorrupt, dir, ManifestName, advice)
	}
	return nil, err
}

func onlySegments(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !segmentName.MatchString(name) && !rarityName.MatchString(name) })
}

// removeLeftovers removes what a writer that was killed has left: unfinished files
// and segments that no manifest names. The lock must be held.
func (w *Writer) removeLeftovers() error {
	temps, err := filepath.Glob(filepath.Join(w.dir, atomicfile.TempPattern))
	if err != nil {
		return err
	}
	segments, err := filepath.Glob(filepath.Join(w.dir, "*.seg"))
	if err != nil {
		return err
	}
	models, err := filepath.Glob(filepath.Join(w.dir, "*.idf"))
	if err != nil {
		return err
	}
	for _, path := range slices.Concat(temps, segments, models) {
		name := filepath.Base(path)
		live := slices.ContainsFunc(w.manifest.Segments, func(s segmentRef) bool { return s.Name == name }) ||
			w.manifest.Rarity != nil && w.manifest.Rarity.Name == name
		ours := segmentName.MatchString(name) || rarityName.MatchString(name) || slices.Contains(temps, path)
		if live || !ours {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) nothingPending() pending {
	return pending{sets: pendingSets{features: spool{dir: w.dir}}}
}

// New reports whether there is no index yet: nothing has been committed.
func (w *Writer) New() bool { return w.manifest == nil || len(w.manifest.Segments) == 0 }

// Close gives the lock back. What has not been committed is dropped, and a
// directory made for it is removed again.
func (w *Writer) Close() error {
	if w.lock == nil {
		return nil
	}
	unborn := w.New()
	err := errors.Join(w.pending.sets.features.close(), w.lock.unlock(unborn))
	w.lock = nil
	if w.created && unborn {
		err = errors.Join(err, os.Remove(w.dir))
	}
	return err
}

// A Result says what Commit has done with the documents added.
type Result struct {
	Added     int // documents in the new segment, empty ones included
	Empty     int // of these, documents without features
	Unchanged int // documents that the index had already, under the same id
	Refused   int // documents whose id stands for another text
}

// Commit makes the documents added since the last Commit a part of the index: a new
// segment, or none if there is nothing new. When it returns without an error they
// are durable; otherwise the index is as it was. An id names one document: a second
// one with the same id is Unchanged if it has the same fingerprint, else Refused.
func (w *Writer) Commit(ctx context.Context) (Result, error) {
	if w.o.Phase != nil {
		w.o.Phase("checking ids")
	}
	var r Result
	old, err := open(w.dir, w.manifest)
	if err != nil {
		return r, err
	}
	defer old.Close() // opened for reading: there is nothing to lose
	if err := w.dropKnown(old, &r); err != nil {
		return r, err
	}
	if r.Added = w.pending.len(); r.Added == 0 {
		return r, context.Cause(ctx)
	}
	if uint64(old.total)+uint64(r.Added) > maxDocuments {
		return r, fmt.Errorf("the index would have more than %d documents", uint64(maxDocuments))
	}
	r.Empty = len(w.pending.empty)
	name := fmt.Sprintf("%06d.seg", w.manifest.Next)
	ref, err := w.writeSegment(ctx, name)
	if err != nil {
		return r, err
	}
	next := &manifest{Settings: w.manifest.Settings, Next: w.manifest.Next + 1, Rarity: w.manifest.Rarity}
	if next.Rarity == nil && w.analysis.rarity != nil {
		if next.Rarity, err = w.writeRarity(fmt.Sprintf("%06d.idf", w.manifest.Next)); err != nil {
			return r, err
		}
	}
	next.Segments = append(slices.Clone(w.manifest.Segments), ref)
	if err := next.write(w.dir); err != nil {
		return r, err
	}
	err = w.pending.sets.features.close()
	w.manifest, w.pending = next, w.nothingPending()
	return r, err
}
