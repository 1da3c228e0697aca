package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
	"simsearch/internal/index/segment"
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
	// ErrUndecided is returned by Repair if deleted documents may come back, and the options do not say whether they
	// shall.
	ErrUndecided = errors.New("it is lost which documents were deleted")
	// ErrNoRepair is returned by Repair for damage that only a copy of a file can undo.
	ErrNoRepair = errors.New("this cannot be repaired")
)

// Repair makes the index in dir sound again. package index says how, and what the errors are.
func Repair(ctx context.Context, fsys disk.FS, dir string, o RepairOptions) (_ *Repaired, err error) {
	e, err := Verify(ctx, fsys, dir)
	if errors.Is(err, section.ErrCorrupt) && strings.Contains(err.Error(), ManifestName) {
		err = fmt.Errorf("%w: %w: the settings of the index are in this file alone", ErrNoRepair, err)
	}
	if err != nil {
		return nil, err
	}
	if o.Lost == nil {
		o.Lost = func(Loss) {}
	}
	r := &repairer{dir: &Dir{FS: fsys, Path: dir}, o: o}
	r.dir.Manifest, err = ReadManifest(fsys, dir)
	if err != nil || len(e.Damages) == 0 && len(r.dir.Manifest.Aside) == 0 {
		return &Repaired{}, err
	}
	if !o.DryRun {
		if err := r.dir.Claim(); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, r.dir.Release(false)) }()
		if r.dir.Manifest, err = ReadManifest(fsys, dir); err != nil { // another process may just have written it
			return nil, err
		}
	}
	if r.found, err = examine(ctx, fsys, dir, r.dir.Manifest); err != nil {
		return nil, err
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// A repairer repairs an index.
type repairer struct {
	dir      *Dir // claimed unless o.DryRun is set
	o        RepairOptions
	write    segment.WriteOptions // of new segments
	found    *Examination
	analysis *analysis.Analysis
	names    []string // of files, relative to dir, in which a missing one may be
	sound    []*Part  // whose documents damaged files may have as they were before
	done     Repaired
}

// prepare makes what run needs, and refuses what cannot be repaired.
func (r *repairer) prepare() (err error) {
	m := r.dir.Manifest
	if m.IDF != nil && r.found.damaged(m.IDF.Name) {
		return fmt.Errorf("%w: %s is damaged: it has the weights that were learnt first, and %s", ErrNoRepair, m.IDF.Name, remedyCopy)
	}
	if r.names, err = r.dir.FS.ReadDir(r.dir.Path); err != nil {
		return err
	}
	for _, l := range m.Leftovers(r.names) {
		if !l.Reserved && !l.Damaged {
			return fmt.Errorf("%w: %s is of a later commit than %s: %s", ErrNoRepair, l.Name, ManifestName, remedyManifest)
		}
	}
	aside, err := r.dir.Aside()
	for _, name := range aside {
		r.names = append(r.names, filepath.Join(AsideName, name))
	}
	if err != nil {
		return err
	}
	if r.analysis, _, err = m.Analyse(r.dir.FS, r.dir.Path); err != nil {
		return err
	}
	r.done.Damages = r.found.Damages
	r.write, err = m.Plain(r.dir.Path, r.o.Threads)
	return err
}

// bad reports whether a segment is damaged, or the file of its deleted documents.
func (r *repairer) bad(ref segment.Ref) bool {
	return r.found.damaged(ref.Name) || ref.Deleted != nil && r.found.damaged(ref.Deleted.Name)
}

// run repairs the files that the manifest names.
func (r *repairer) run(ctx context.Context) (*Repaired, error) {
	m := r.dir.Manifest
	lost := m.Catalogue != nil && r.found.damaged(m.Catalogue.Name)
	if lost {
		r.o.Lost(Loss{File: m.Catalogue.Name, What: "catalogue", Count: 1, Reason: "index --sync reads all files again"})
	}
	defer func() { _ = ReleaseAll(r.sound) }() // opened for reading: there is nothing to lose
	files := 0
	for _, ref := range m.Segments {
		if r.bad(ref) {
			files++
		} else if err := r.open(ref); err != nil {
			return nil, err
		}
	}
	for _, l := range m.Logs {
		if r.found.damaged(l.Name) {
			files++
		}
	}
	unknown := func(ref segment.Ref) bool {
		_, known := r.deleted(ref)
		return !known && r.bad(ref)
	}
	if !r.o.DryRun && slices.ContainsFunc(m.Segments, unknown) { // a dry run finds what is ErrUndecided before anything changes
		dry, next := *r, *m
		dry.o.DryRun, dry.o.Lost = true, func(Loss) {}
		if err := dry.replace(ctx, m, &next, &Names{}); err != nil {
			return nil, err
		}
	}
	var aside []string
	change := func(next *Manifest, names *Names) error {
		if lost {
			next.Catalogue, next.Aside = nil, append(slices.Clip(next.Aside), m.Catalogue.Name)
		}
		next.MakeStale() // documents that it names may be lost
		err := r.replace(ctx, m, next, names)
		r.done.Written, aside = names.Taken, next.Aside
		return err
	}
	var err error
	if r.o.DryRun {
		next := *m
		err = change(&next, &Names{})
	} else {
		// What interrupted runs have left, among which a repair may have been, is moved aside, too.
		err = r.dir.Tidy(false, func(l Leftover) { r.done.Aside = append(r.done.Aside, l.Name) })
		if err == nil {
			err = r.dir.Change(files, change)
		}
	}
	if err != nil {
		return nil, err
	}
	return &r.done, r.finish(aside)
}

// open opens a segment that is sound.
func (r *repairer) open(ref segment.Ref) error {
	p, err := openPart(r.dir.FS, r.dir.Path, ref, r.dir.Manifest.Layout(), 0)
	if err == nil {
		r.sound = append(r.sound, p)
	}
	return err
}

// replace writes new files in place of the damaged ones, and names them in next.
func (r *repairer) replace(ctx context.Context, m, next *Manifest, names *Names) error {
	next.Segments, next.Logs = []segment.Ref{}, nil
	for _, ref := range m.Segments {
		if !r.bad(ref) {
			next.Segments = append(next.Segments, ref)
			continue
		}
		now, err := r.salvage(ctx, ref, names)
		if err != nil {
			return err
		}
		if now != nil {
			next.Segments = append(next.Segments, *now)
			if !r.o.DryRun {
				if err := r.open(*now); err != nil {
					return err
				}
			}
		}
		next.Aside = append(next.Aside, ref.Name)
		if ref.Deleted != nil {
			next.Aside = append(next.Aside, ref.Deleted.Name)
		}
	}
	for _, l := range m.Logs {
		if !r.found.damaged(l.Name) {
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

// finish moves aside what the manifest does not name any more.
func (r *repairer) finish(aside []string) error {
	for _, name := range aside {
		if _, err := r.dir.FS.Stat(filepath.Join(r.dir.Path, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		r.done.Aside = append(r.done.Aside, name)
		if r.o.DryRun {
			continue
		}
		if err := r.dir.moveAside(name); err != nil {
			return err
		}
	}
	if r.o.DryRun {
		return nil
	}
	return r.dir.Change(0, func(next *Manifest, _ *Names) error {
		next.Aside = nil
		return nil
	})
}

// deleted returns the deleted documents of a segment, from whatever file has them. known is false if none has.
func (r *repairer) deleted(ref segment.Ref) (d *segment.Deleted, known bool) {
	if ref.Deleted == nil {
		return nil, true
	}
	other := *ref.Deleted
	err := r.like(ref.Deleted.Name, func(name string) (err error) {
		other.Name = name
		d, err = segment.OpenDeleted(r.dir.FS, r.dir.Path, other, ref.Documents, true)
		return err
	})
	return d, err == nil
}

// like calls open with the names of files that may be the one called name, which is the first, until one can be opened.
// Otherwise the error is that of the first.
func (r *repairer) like(name string, open func(name string) error) error {
	first := open(name)
	for _, other := range r.names {
		alike := other != name && strings.Contains(filepath.Base(other), filepath.Ext(name))
		if first != nil && alike && open(other) == nil {
			return nil
		}
	}
	return first
}

// elsewhere reports whether one of the sound parts has a live document called id.
func (r *repairer) elsewhere(id []byte) (ok bool, err error) {
	err = disk.Guarded(func() error {
		_, _, ok = Find(r.sound, id)
		return nil
	})
	return ok, err
}

// countDeleted returns how many documents of a file are deleted, nobody knows which, and how many can be read of
// those that may be: a document that a sound segment has, too, was deleted here.
func (r *repairer) countDeleted(ctx context.Context, ref segment.Ref, d *segment.Damaged) (left, readable uint64, err error) {
	left = ref.Deleted.Documents
	err = each(ctx, ref, d, func(_ uint32, rest *segment.Remnant) error {
		there, err := r.elsewhere(rest.ID)
		if there {
			left -= min(left, 1)
		} else if rest.ID != nil {
			readable++
		}
		return err
	})
	return left, readable, err
}

// each calls do with what is left of each document of a file.
func each(ctx context.Context, ref segment.Ref, d *segment.Damaged, do func(doc uint32, rest *segment.Remnant) error) error {
	for doc := range uint32(ref.Documents) {
		rest, err := d.Remnant(ctx, doc)
		if err == nil {
			err = do(doc, &rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// salvage writes what is left of a segment to a new file. It returns nil if nothing is left.
func (r *repairer) salvage(ctx context.Context, ref segment.Ref, names *Names) (*segment.Ref, error) {
	deleted, known := r.deleted(ref)
	var d *segment.Damaged
	err := r.like(ref.Name, func(name string) (err error) {
		d, err = segment.OpenDamaged(r.dir.FS, filepath.Join(r.dir.Path, name), ref, r.dir.Manifest.Layout())
		return err
	})
	if err != nil {
		count := int(ref.Documents)
		if ref.Deleted != nil {
			count -= int(ref.Deleted.Documents)
		}
		why := err.Error()
		if len(r.dir.Manifest.Logs) > 0 {
			why += "; those that a log has replaced are there"
		}
		r.o.Lost(Loss{ref.Name, "documents", "", count, why})
		return nil, nil
	}
	defer func() { _ = d.Close() }() // opened for reading
	b := &salvaged{repairer: r, file: ref.Name, b: segment.NewBuilder(r.dir.FS, r.dir.Path, r.dir.Manifest.Layout(), spill.Holds/2)}
	defer func() { _ = b.b.Close() }() // losing a temporary file does no harm
	left := uint64(0)                  // documents that are deleted, nobody knows which
	if !known {
		readable := uint64(0)
		if left, readable, err = r.countDeleted(ctx, ref, d); err != nil {
			return nil, err
		}
		if left > 0 && readable > 0 && !r.o.Revive && !r.o.Drop {
			return nil, fmt.Errorf("%w: %s had %d of %s, of which %d cannot be told from %d that were live",
				ErrUndecided, ref.Deleted.Name, ref.Deleted.Documents, ref.Name, left, readable-min(readable, left))
		}
	}
	err = each(ctx, ref, d, func(doc uint32, rest *segment.Remnant) error {
		if known && deleted.Has(doc) {
			return nil
		}
		if there, err := r.elsewhere(rest.ID); there || err != nil {
			return err
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
	now, err := b.b.Write(ctx, r.dir.FS, r.dir.Path, names.Take(SegmentExtension), r.write)
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

// together is how many documents, at most, have their texts compressed as one.
const together = 512

// add adds what is left of a document, or tells of it.
func (s *salvaged) add(rest *segment.Remnant) error {
	if rest.Bad != nil && rest.ID != nil && rest.Kept.Text != nil {
		a, err := s.analysis.Analyse(&document.Document{ID: rest.ID, Text: rest.Kept.Text})
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
		if what == "text" && s.dir.Manifest.Kept() == KeepSource {
			what = "source"
		}
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
	if s.bytes += len(rest.Kept.Text) + len(rest.Values); len(s.batch) < together && s.bytes < 1<<20 {
		return nil
	}
	return s.flush()
}

// flush adds the batch to the builder.
func (s *salvaged) flush() error {
	texts := segment.Pack(len(s.batch), s.dir.Manifest.Passages, func(i int) segment.Kept { return s.batch[i].Kept })
	fields := segment.Pack(len(s.batch), false, func(i int) segment.Kept { return segment.Kept{Text: s.batch[i].Values} })
	err := disk.Guarded(func() error {
		for i := range s.batch {
			d := &s.batch[i].Document
			d.Texts, d.Fields, d.Number = texts, fields, i
			s.b.Add(d)
		}
		return nil
	})
	s.batch, s.bytes = s.batch[:0], 0
	return errors.Join(err, s.b.Flush())
}
