package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/wal"
)

// A Damage is something that Verify has found wrong with an index. File is a name in the directory. Section is "" and
// Offset, in bytes, is -1 if they are not known. Remedy says what can be done.
type Damage struct {
	File    string `json:"file"`
	Section string `json:"section,omitempty"`
	Offset  int64  `json:"offset"`
	Reason  string `json:"reason"`
	Remedy  string `json:"remedy"`
}

// What can be done about damage.
const (
	remedyRepair   = "simsearch repair"
	remedyCopy     = "put back a copy of the file, or make the index again"
	remedyManifest = "put back the " + ManifestName + " that names it, or index its documents again; the next index run moves it to " + AsideName
)

// An Examination is what Verify has found: Damages, in the order of the files. Documents and Bytes are those of the
// segments that are sound.
type Examination struct {
	Documents int
	Bytes     uint64
	Damages   []Damage
}

// Verify examines all files of the index in dir. package index says how. A writer that is at work removes files that
// its manifest names no more: then it begins anew.
func Verify(ctx context.Context, fsys disk.FS, dir string) (*Examination, error) {
	names, err := fsys.ReadDir(dir) // before the manifest: a number is reserved before its file exists
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m, err := ReadManifest(fsys, dir)
	if err != nil {
		return nil, err
	}
	const attempts = 10
	for attempt := 1; ; attempt++ {
		e, err := examine(ctx, fsys, dir, m)
		if err != nil {
			return nil, err
		}
		now, err := ReadManifest(fsys, dir)
		if err != nil {
			return nil, err
		}
		if len(e.Damages) > 0 && attempt < attempts && !reflect.DeepEqual(now, m) {
			m = now
			continue
		}
		if len(e.Damages) == 0 { // the documents of logs count, too
			if e.Documents, err = count(ctx, fsys, dir); err != nil {
				return nil, err
			}
		}
		for _, l := range m.Leftovers(names) {
			if !l.Reserved && !l.Damaged {
				e.Damages = append(e.Damages, Damage{l.Name, "", -1, "complete, but not a part of the index: an older " +
					ManifestName + " has been put back", remedyManifest})
			}
		}
		return e, nil
	}
}

// count returns the number of documents of the index in dir.
func count(ctx context.Context, fsys disk.FS, dir string) (n int, err error) {
	o, err := OpenIndex(ctx, fsys, dir, 0)
	if err != nil {
		return 0, err
	}
	for _, p := range o.Parts {
		n += int(p.Documents())
	}
	return n, ReleaseAll(o.Parts)
}

// damaged reports whether damage of the file called name was found.
func (e *Examination) damaged(name string) bool {
	return slices.ContainsFunc(e.Damages, func(d Damage) bool { return d.File == name })
}

// note notes damage of the file called name.
func (e *Examination) note(name string, err error) {
	d := Damage{File: name, Offset: -1, Remedy: remedyRepair}
	if filepath.Ext(name) == IDFExtension {
		d.Remedy = remedyCopy
	}
	var corrupt *section.CorruptError
	if errors.As(err, &corrupt) {
		d.Section, d.Offset, d.Reason = corrupt.Section, corrupt.Offset, corrupt.Reason
	} else {
		d.Reason = err.Error()
	}
	e.Damages = append(e.Damages, d)
}

// examine examines the files that m names.
func examine(ctx context.Context, fsys disk.FS, dir string, m *Manifest) (e *Examination, err error) {
	e = &Examination{}
	if m.IDF != nil {
		model, err := m.ReadIDF(fsys, dir)
		if err == nil {
			err = model.Verify()
		}
		if err != nil {
			e.note(m.IDF.Name, err)
		}
	}
	if m.Catalogue != nil {
		if _, err := ReadCatalogue(fsys, dir, *m.Catalogue); err != nil {
			e.note(m.Catalogue.Name, err)
		}
	}
	var sound []*segment.Segment // without the documents that are deleted
	var whole []*segment.Segment
	defer func() {
		for _, s := range whole {
			err = errors.Join(err, s.Close())
		}
	}()
	layout := m.Layout()
	for _, ref := range m.Segments {
		s, err := segment.Examine(ctx, fsys, dir, ref, layout, func(err error) { e.note(ref.Name, err) })
		if err != nil {
			return nil, err
		}
		if s != nil {
			whole = append(whole, s)
			e.Bytes += ref.Bytes
		}
		if ref.Deleted == nil {
			if s != nil {
				sound = append(sound, s)
			}
			continue
		}
		deleted, err := segment.OpenDeleted(fsys, dir, *ref.Deleted, ref.Documents, false)
		if err != nil {
			e.note(ref.Deleted.Name, err)
		} else if s != nil {
			sound = append(sound, s.Less(deleted))
			e.Bytes += ref.Deleted.Bytes
		}
	}
	for _, s := range sound {
		e.Documents += int(s.Documents())
	}
	err = disk.Guarded(func() error {
		segment.EachShared(sound, func(id []byte, a, b *segment.Segment) {
			name := filepath.Base(b.Path())
			e.note(name, &section.CorruptError{Offset: -1, Reason: fmt.Sprintf("document %q is live here and in %s", id, filepath.Base(a.Path()))})
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, l := range m.Logs {
		if err := e.log(ctx, fsys, dir, m, l); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// log examines a log.
func (e *Examination) log(ctx context.Context, fsys disk.FS, dir string, m *Manifest, ref LogRef) error {
	path := filepath.Join(dir, ref.Name)
	layout := m.Layout()
	var bad []error
	each := func(payload []byte) error {
		if _, err := segment.DecodeBatch(path, payload, layout); err != nil {
			bad = append(bad, err)
		}
		return ctx.Err()
	}
	info, statErr := fsys.Stat(path)
	_, err := wal.Read(fsys, path, ref.Identity, each)
	if errors.Is(err, section.ErrCorrupt) {
		bad = nil
		err = wal.Salvage(fsys, path, ref.Identity, each, func(damage error, _ int64) { bad = append(bad, damage) })
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, b := range bad {
		e.note(ref.Name, b)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, section.ErrVersion):
		e.note(ref.Name, err)
	case err != nil:
		return err
	case statErr == nil:
		e.Bytes += uint64(info.Size())
	}
	return nil
}
