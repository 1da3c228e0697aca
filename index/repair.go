package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/segment"
	"simsearch/internal/store"
)

// RepairOptions are the options of Repair.
type RepairOptions struct {
	DryRun bool // change nothing
	// Revive keeps documents of which it is lost whether they were deleted, and Drop leaves them out. Without one of
	// them, such documents are ErrUndecided.
	Revive, Drop bool
	Lost         func(Loss) // called, if not nil, with all that is lost
	Threads      int
}

// A Loss is something that cannot be repaired.
type Loss struct {
	File string `json:"file"`         // that had it
	What string `json:"what"`         // "document", "documents", "text", "fields", "source", "catalogue", "changes", or "revived" for a document that may have been deleted
	ID   string `json:"id,omitempty"` // "" if it is lost, too
	// Count is how many there are. It is 0 for changes of a log whose number is not known.
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Repaired is what Repair has done: the Damages that it has found, and the files that it has moved to AsideName. Both
// are empty if the index is sound.
type Repaired struct {
	Damages []Damage
	Aside   []string
	Written []string // new files
}

var (
	// ErrUndecided is returned by Repair if deleted documents may come back, and the options do not say whether they shall.
	ErrUndecided = errors.New("it is lost which documents were deleted")
	// ErrNoRepair is returned by Repair for damage that only a copy of a file can undo.
	ErrNoRepair = errors.New("this cannot be repaired")
)

// Repair makes the index in dir sound again. Of a damaged segment it keeps each document that can be read, and makes
// everything else anew: the orders, groups, tables and postings. What cannot be read of fingerprints and sets is made
// from texts that are kept. Of a log it keeps the records that are certainly whole. A file that lies under another name
// in dir, or in AsideName, is read from there.
//
// Nothing is removed: what is replaced is moved to AsideName. The index changes at the moment a new manifest is renamed
// into place. A Repair that was interrupted can be repeated. It takes the lock, and the memory of a commit of the largest
// damaged segment. A sound index is left as it is.
//
// The errors are those of Verify, ErrUndecided, ErrNoRepair, ErrLocked and those of writing. After an error the index is
// as it was, or ErrUncertain.
func Repair(ctx context.Context, dir string, o RepairOptions) (*Repaired, error) {
	return repair(ctx, disk.OSAsDirectory, dir, o)
}

func repair(ctx context.Context, fsys disk.FS, dir string, o RepairOptions) (_ *Repaired, err error) {
	e, err := verify(ctx, fsys, dir)
	if err != nil {
		return nil, unreadable(err)
	}
	m, err := store.ReadManifest(fsys, dir)
	if err != nil || len(e.Damages) == 0 && len(m.Aside) == 0 {
		return &Repaired{}, err
	}
	if o.Lost == nil {
		o.Lost = func(Loss) {}
	}
	r := &repairer{fs: fsys, dir: dir, o: o}
	if !o.DryRun {
		claim := store.NewClaim(fsys, dir)
		if err := claim.Take(); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, claim.Release(false)) }()
		if m, err = store.ReadManifest(fsys, dir); err != nil { // another process may just have written it
			return nil, err
		}
		r.w.claim = claim
	}
	if r.found, err = examine(ctx, fsys, dir, m); err != nil {
		return nil, err
	}
	if err := r.prepare(m); err != nil {
		return nil, err
	}
	return r.run(ctx, m)
}

// unreadable adds to the error of a manifest what is needed.
func unreadable(err error) error {
	if errors.Is(err, ErrCorrupt) && strings.Contains(err.Error(), ManifestName) {
		return fmt.Errorf("%w: %w: the settings of the index are in this file alone", ErrNoRepair, err)
	}
	return err
}

// A repairer repairs an index.
type repairer struct {
	fs       disk.FS
	dir      string
	o        RepairOptions
	found    *examination
	w        Writer // as far as it writes segments
	analysis *analysis.Analysis
	names    []string // of files, relative to dir, in which a missing one may be
	logs     bool     // whether the index has logs
	done     Repaired
}

// prepare makes what run needs, and refuses what cannot be repaired.
func (r *repairer) prepare(m *store.Manifest) (err error) {
	if m.IDF != nil && r.found.damaged[m.IDF.Name] {
		return fmt.Errorf("%w: %s is damaged: it has the weights that were learnt first, and %s", ErrNoRepair, m.IDF.Name, remedyCopy)
	}
	names, err := r.fs.ReadDir(r.dir)
	if err != nil {
		return err
	}
	for _, l := range m.Leftovers(names) {
		if !l.Reserved && !l.Damaged {
			return fmt.Errorf("%w: %s is of a later commit than %s: %s", ErrNoRepair, l.Name, ManifestName, remedyManifest)
		}
	}
	aside, err := r.fs.ReadDir(filepath.Join(r.dir, AsideName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r.names = names
	for _, name := range aside {
		r.names = append(r.names, filepath.Join(AsideName, name))
	}
	f := &follower{fs: r.fs, dir: r.dir}
	if err := f.analyse(m); err != nil {
		return err
	}
	r.analysis = f.analysis
	r.w.fs, r.w.dir, r.w.manifest, r.w.analysis = r.fs, r.dir, m, f.analysis
	if r.w.o, err = (WriterOptions{Threshold: m.Search.Planned, Threads: r.o.Threads}).withDefaults(m.Settings); err != nil {
		return err
	}
	r.done.Damages = r.found.Damages
	return r.w.useBands()
}

// run repairs the files that m names.
func (r *repairer) run(ctx context.Context, m *store.Manifest) (*Repaired, error) {
	next := *m
	next.Segments, next.Logs, next.Aside = []segment.Ref{}, nil, slices.Clone(m.Aside)
	r.logs = len(m.Logs) > 0
	r.keepCatalogue(&next)
	bad := func(ref segment.Ref) bool {
		return r.found.damaged[ref.Name] || ref.Deleted != nil && r.found.damaged[ref.Deleted.Name]
	}
	// The documents of the others, which damaged files may have as they were before.
	var sound []*part
	defer func() { _ = releaseAll(sound) }() // opened for reading: there is nothing to lose
	files := 0
	for _, ref := range m.Segments {
		if bad(ref) {
			files++
			continue
		}
		p, err := openPart(r.fs, r.dir, ref, layout(m.Settings), 0)
		if err != nil {
			return nil, err
		}
		sound = append(sound, p)
	}
	for _, l := range m.Logs {
		if r.found.damaged[l.Name] {
			files++
		}
	}
	if err := r.undecided(ctx, m, bad, sound); err != nil {
		return nil, err
	}
	names := &newNames{}
	if !r.o.DryRun {
		var err error
		if names, err = r.begin(m, files); err != nil {
			return nil, err
		}
		next.Next = r.w.manifest.Next
	}
	err := r.replace(ctx, m, &next, bad, sound, names)
	if err == nil && !r.o.DryRun {
		err = next.Write(r.fs, r.dir)
	}
	if err != nil {
		if !r.o.DryRun && !errors.Is(err, disk.ErrUncertain) {
			r.w.remove(names.taken)
		}
		return nil, err
	}
	r.done.Written = names.taken
	return &r.done, r.finish(&next)
}

// keepCatalogue leaves out a damaged catalogue. One that is sound is stale: documents that it names may be lost.
func (r *repairer) keepCatalogue(next *store.Manifest) {
	if next.Catalogue == nil {
		return
	}
	if name := next.Catalogue.Name; r.found.damaged[name] {
		next.Aside, next.Catalogue = append(next.Aside, name), nil
		r.o.Lost(Loss{File: name, What: "catalogue", Count: 1, Reason: "index --sync reads all files again"})
		return
	}
	stale := *next.Catalogue
	stale.Stale = true
	next.Catalogue = &stale
}

// begin brings the directory in order, and reserves the numbers of new files.
func (r *repairer) begin(m *store.Manifest, files int) (*newNames, error) {
	now, err := r.fs.ReadDir(r.dir)
	if err != nil {
		return nil, err
	}
	for _, l := range m.Leftovers(now) { // of interrupted runs, among which a repair may have been
		if err := store.MoveAside(r.fs, r.dir, l.Name); err != nil {
			return nil, err
		}
		r.done.Aside = append(r.done.Aside, l.Name)
	}
	raised := *m
	for _, name := range r.names {
		if n, ok := store.NumberOf(filepath.Base(name)); ok && n >= raised.Next {
			raised.Next = n + 1
		}
	}
	r.w.manifest = &raised
	return r.w.reserve(files)
}

// replace writes new files in place of the damaged ones, and names them in next.
func (r *repairer) replace(ctx context.Context, m, next *store.Manifest, bad func(segment.Ref) bool, sound []*part, names *newNames) error {
	for _, ref := range m.Segments {
		if !bad(ref) {
			next.Segments = append(next.Segments, ref)
			continue
		}
		now, err := r.salvage(ctx, ref, sound, names)
		if err != nil {
			return err
		}
		if now != nil {
			next.Segments = append(next.Segments, *now)
			if !r.o.DryRun {
				p, err := openPart(r.fs, r.dir, *now, layout(m.Settings), 0)
				if err != nil {
					return err
				}
				defer func() { _ = p.release() }() // opened for reading
				sound = append(sound, p)
			}
		}
		next.Aside = append(next.Aside, ref.Name)
		if ref.Deleted != nil {
			next.Aside = append(next.Aside, ref.Deleted.Name)
		}
	}
	for _, l := range m.Logs {
		if !r.found.damaged[l.Name] {
			next.Logs = append(next.Logs, l)
			continue
		}
		now, err := r.salvageLog(ctx, l, names)
		if err != nil {
			return err
		}
		if now != nil {
			next.Logs = append(next.Logs, *now)
		}
		next.Aside = append(next.Aside, l.Name)
	}
	return nil
}

// finish moves aside what next does not name any more.
func (r *repairer) finish(next *store.Manifest) error {
	for _, name := range next.Aside {
		if _, err := r.fs.Stat(filepath.Join(r.dir, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		r.done.Aside = append(r.done.Aside, name)
		if r.o.DryRun {
			continue
		}
		if err := store.MoveAside(r.fs, r.dir, name); err != nil {
			return err
		}
	}
	if r.o.DryRun {
		return nil
	}
	next.Aside = nil
	return next.Write(r.fs, r.dir)
}

// deleted returns the deleted documents of a segment, from whatever file has them. known is false if none has.
func (r *repairer) deleted(ref segment.Ref) (d *segment.Deleted, known bool) {
	if ref.Deleted == nil {
		return nil, true
	}
	for _, name := range r.like(ref.Deleted.Name) {
		other := *ref.Deleted
		other.Name = name
		if d, err := segment.SalvageDeleted(r.fs, r.dir, other, ref.Documents); err == nil {
			return d, true
		}
	}
	return nil, false
}

// open opens a damaged segment, or the same file under another name. The error is what is wrong with the file.
func (r *repairer) open(ref segment.Ref) (*segment.Damaged, error) {
	var first error
	for _, name := range r.like(ref.Name) {
		d, err := segment.OpenDamaged(r.fs, filepath.Join(r.dir, name), ref, r.w.layout())
		if err == nil {
			return d, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// like returns the names of files that may be the one called name, which is the first.
func (r *repairer) like(name string) []string {
	names := []string{name}
	for _, other := range r.names {
		if other != name && strings.Contains(filepath.Base(other), filepath.Ext(name)) {
			names = append(names, other)
		}
	}
	return names
}

// elsewhere reports whether one of the parts has a live document called id.
func elsewhere(parts []*part, id []byte) (ok bool, err error) {
	err = mmap.Guarded(func() error {
		_, _, ok, err = find(parts, id)
		return err
	})
	return ok, err
}

// undecided returns ErrUndecided if deleted documents may come back, and the options do not say what to do.
func (r *repairer) undecided(ctx context.Context, m *store.Manifest, bad func(segment.Ref) bool, sound []*part) error {
	if r.o.Revive || r.o.Drop {
		return nil
	}
	for _, ref := range m.Segments {
		if !bad(ref) {
			continue
		}
		if _, known := r.deleted(ref); known {
			continue
		}
		d, err := r.open(ref)
		if err != nil {
			continue // no document is left
		}
		left, readable := ref.Deleted.Documents, uint64(0)
		err = r.each(ctx, ref, d, func(_ uint32, rest *segment.Remnant) error {
			there, err := elsewhere(sound, rest.ID)
			if there {
				left -= min(left, 1)
			} else if rest.ID != nil {
				readable++
			}
			return err
		})
		if err = errors.Join(err, d.Close()); err != nil {
			return err
		}
		if left > 0 && readable > 0 {
			return fmt.Errorf("%w: %s had %d of %s, of which %d cannot be told from %d that were live",
				ErrUndecided, ref.Deleted.Name, ref.Deleted.Documents, ref.Name, left, readable-min(readable, left))
		}
	}
	return nil
}

// each calls do with what is left of each document of a file.
func (r *repairer) each(ctx context.Context, ref segment.Ref, d *segment.Damaged, do func(doc uint32, rest *segment.Remnant) error) error {
	for doc := range uint32(ref.Documents) {
		rest, err := d.Remnant(ctx, doc)
		if err != nil {
			return err
		}
		if err := do(doc, &rest); err != nil {
			return err
		}
	}
	return nil
}

// salvage writes what is left of a segment to a new file. It returns nil if nothing is left.
func (r *repairer) salvage(ctx context.Context, ref segment.Ref, sound []*part, names *newNames) (*segment.Ref, error) {
	deleted, known := r.deleted(ref)
	d, err := r.open(ref)
	if err != nil {
		count := int(ref.Documents)
		if ref.Deleted != nil {
			count -= int(ref.Deleted.Documents)
		}
		why := err.Error()
		if r.logs {
			why += "; those that a log has replaced are there"
		}
		r.o.Lost(Loss{ref.Name, "documents", "", count, why})
		return nil, nil
	}
	defer func() { _ = d.Close() }() // opened for reading
	b := &salvaged{repairer: r, file: ref.Name, b: r.w.newBuilder()}
	defer func() { _ = b.b.Close() }() // losing a temporary file does no harm
	left := uint64(0)                  // documents that are deleted, nobody knows which
	if !known {
		left = ref.Deleted.Documents
		err := r.each(ctx, ref, d, func(_ uint32, rest *segment.Remnant) error {
			there, err := elsewhere(sound, rest.ID)
			if there {
				left -= min(left, 1)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	err = r.each(ctx, ref, d, func(doc uint32, rest *segment.Remnant) error {
		if known && deleted.Has(doc) {
			return nil
		}
		if rest.ID != nil {
			if there, err := elsewhere(sound, rest.ID); there || err != nil {
				return err
			}
		}
		switch {
		case left > 0 && r.o.Drop:
			r.o.Lost(Loss{ref.Name, "document", string(rest.ID), 1, fmt.Sprintf("%d of the documents here were deleted, and it is lost which", left)})
			return nil
		case left > 0 && rest.ID != nil:
			r.o.Lost(Loss{ref.Name, "revived", string(rest.ID), 1, fmt.Sprintf("%d of these were deleted, and it is lost which", left)})
		}
		return b.add(rest)
	})
	if err == nil {
		err = b.flush()
	}
	if err != nil || b.added == 0 {
		return nil, err
	}
	if r.o.DryRun {
		return &segment.Ref{}, nil
	}
	o, err := r.w.segmentOptions()
	if err != nil {
		return nil, err
	}
	now, err := b.b.Write(ctx, r.fs, r.dir, names.take(store.SegmentExtension), o)
	return &now, err
}

// salvaged gathers documents of a damaged segment.
type salvaged struct {
	*repairer
	file    string
	b       *segment.Builder
	scratch analysis.Scratch
	added   int
	batch   []segment.Remnant
	bytes   int // of the texts of batch
}

// add adds what is left of a document, or tells of it.
func (s *salvaged) add(rest *segment.Remnant) error {
	if rest.Bad != nil && rest.ID != nil && rest.Text != nil {
		a, err := s.analysis.Analyse(&document.Document{ID: rest.ID, Text: rest.Text})
		if err != nil {
			return err
		}
		rest.Bad, rest.Resign = nil, false
		rest.HasFingerprint, rest.Fingerprint, rest.Set, rest.Signature, rest.Digest = a.HasFingerprint, a.Fingerprint, a.Set, a.Signature, a.Digest
	}
	if rest.Bad != nil {
		s.o.Lost(Loss{s.file, "document", string(rest.ID), 1, rest.Bad.Error()})
		return nil
	}
	for _, what := range rest.Lost {
		s.o.Lost(Loss{s.file, what, string(rest.ID), 1, "it cannot be read"})
	}
	if rest.Resign {
		rest.Signature = s.analysis.AppendSignature(nil, &s.scratch, rest.Set)
	}
	s.added++
	if s.o.DryRun {
		return nil
	}
	s.batch = append(s.batch, *rest)
	if s.bytes += len(rest.Text) + len(rest.Fields); len(s.batch) < ingestTogether && s.bytes < 1<<20 {
		return nil
	}
	return s.flush()
}

// flush adds the batch to the builder.
func (s *salvaged) flush() error {
	pack := func(of func(*segment.Remnant) []byte) *segment.Packed {
		return segment.Pack(len(s.batch), func(i int) ([]byte, bool) { return of(&s.batch[i]), of(&s.batch[i]) != nil })
	}
	texts := pack(func(r *segment.Remnant) []byte { return r.Text })
	fields := pack(func(r *segment.Remnant) []byte { return r.Fields })
	s.b.AddTexts(texts)
	s.b.AddFields(fields)
	err := mmap.Guarded(func() error {
		for i := range s.batch {
			d := &s.batch[i].Document
			d.Texts, d.Fields, d.Text = texts, fields, i
			s.b.Add(d)
		}
		return nil
	})
	s.batch, s.bytes = s.batch[:0], 0
	return errors.Join(err, s.b.Flush())
}
