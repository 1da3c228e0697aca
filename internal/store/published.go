package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"simsearch/internal/disk"
	"simsearch/internal/objects"
)

// A Published is an index in a directory of a store of objects, and its copy in a directory of this machine, in which it is searched and
// written. Files of an index never change, so only those that are new go from one to the other, and the manifest goes last. The name of an
// object has the digest of the file behind that of the file: so two machines never write to one name, even if both add to one index.
type Published struct {
	name, dir string
	objects   map[string]*objects.Info // by their names in the directory
	manifest  []byte                   // as the store has it; nil if there is no index
	was       *Manifest                // which is that; or nil
}

// stored returns the names of the objects of the files of a manifest, by the names of the files.
func (m *Manifest) stored() map[string]string {
	all := map[string]string{}
	add := func(name, digest string) { all[name] = name + "." + digest }
	for _, s := range m.Segments {
		add(s.Name, s.Digest)
		if s.Deleted != nil {
			add(s.Deleted.Name, s.Deleted.Digest)
		}
	}
	if m.IDF != nil {
		add(m.IDF.Name, m.IDF.Digest)
	}
	if m.Catalogue != nil {
		add(m.Catalogue.Name, m.Catalogue.Digest)
	}
	return all
}

// abandoned is after how long an object that no manifest names is of a run that was killed.
const abandoned = 24 * time.Hour

// ofName ends the name of a file beside the copy: it has the manifest of the store that the copy was made from, and was changed since.
const ofName = ".of"

// Fetch makes the index in the directory dir that of the store, with what it lacks. It is an error if the directory of the store has
// something else. dir may have an older copy, and nothing else. If the store has not changed since the copy was made, the copy stays: it
// may have what a run has not published, since it was interrupted.
func Fetch(ctx context.Context, name, dir string) (p *Published, err error) {
	p = &Published{name: strings.TrimSuffix(name, "/"), dir: dir}
	m, err := p.look(ctx)
	if err != nil {
		return nil, err
	}
	is, err := disk.OS.ReadFile(filepath.Join(dir, ManifestName), maxManifest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	of, err := disk.OS.ReadFile(dir+ofName, maxManifest)
	switch here := is != nil || m == nil; {
	case here && err == nil && bytes.Equal(of, p.manifest):
		return p, nil
	case here && m != nil && bytes.Equal(is, p.manifest): // it was published, and not noted
		return p, p.note()
	case m == nil: // dir has a copy of what is not there any more, or nothing
		return p, errors.Join(os.RemoveAll(dir), p.note())
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	known := map[string]string{}
	if before, err := DecodeManifest(dir, is); err == nil {
		known = before.stored()
	}
	for file, object := range m.stored() {
		is := p.objects[object]
		if is == nil {
			return nil, fmt.Errorf("%s names %s, which is not there: another run may be writing; else a copy has to be restored",
				objects.Join(p.name, ManifestName), object)
		}
		info, err := os.Stat(filepath.Join(dir, file))
		if err == nil && known[file] == object && info.Size() == is.Size() {
			continue
		}
		if err := p.fetch(ctx, is, file); err != nil {
			return nil, err
		}
	}
	if err := disk.WriteAtomic(disk.OS, filepath.Join(dir, ManifestName), p.manifest); err != nil {
		return nil, err
	}
	return p, p.note()
}

// note notes that the copy is of the index that the store has.
func (p *Published) note() error { return disk.WriteAtomic(disk.OS, p.dir+ofName, p.manifest) }

// look finds out what the store has.
func (p *Published) look(ctx context.Context) (m *Manifest, err error) {
	p.objects = map[string]*objects.Info{}
	err = objects.List(ctx, p.name, func(is *objects.Info) error {
		below, _ := objects.Below(is.Object, p.name)
		if _, ours := NumberOf(strings.TrimSuffix(below, path.Ext(below))); !ours && below != ManifestName {
			return fmt.Errorf("%s is no file of an index: name a directory of the store for the index alone", is.Object)
		}
		p.objects[below] = is
		return nil
	})
	if p.manifest, p.was = nil, nil; err != nil || p.objects[ManifestName] == nil {
		return nil, err
	}
	f, err := objects.Open(ctx, objects.Join(p.name, ManifestName))
	if err != nil {
		return nil, err
	}
	if p.manifest, err = io.ReadAll(f); err == nil {
		m, err = DecodeManifest(objects.Join(p.name, ManifestName), p.manifest)
	}
	p.was = m
	return m, errors.Join(err, f.Close())
}

// fetch copies a file of the store, which appears complete or not at all.
func (p *Published) fetch(ctx context.Context, is *objects.Info, file string) error {
	from, err := objects.Open(ctx, is.Object)
	if err != nil {
		return err
	}
	to, err := disk.CreateAtomic(disk.OS, filepath.Join(p.dir, file))
	if err != nil {
		return errors.Join(err, from.Close())
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, from.Close()); err != nil {
		to.Abort()
		return err
	}
	return to.Commit()
}

// Publish makes the index of the store that of the copy: it writes the files that the store lacks, then the manifest, and then removes
// files that are not part of the index any more. It returns how many files it has written. It is an error if the store has another index
// than Fetch has found.
func (p *Published) Publish(ctx context.Context) (written int, err error) {
	manifest, err := disk.OS.ReadFile(filepath.Join(p.dir, ManifestName), maxManifest)
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(manifest, p.manifest) {
		return 0, nil // there is no index, or nothing new
	}
	if err != nil {
		return 0, err
	}
	m, err := DecodeManifest(p.dir, manifest)
	if err != nil {
		return 0, err
	}
	if len(m.Logs) > 0 {
		return 0, fmt.Errorf("%s has changes in a log, which cannot be published: give the command again", p.dir)
	}
	before, all := p.manifest, m.stored()
	for file, object := range all {
		is, err := p.put(ctx, file, object)
		if err != nil {
			return written, err
		}
		written += is
	}
	if _, err := p.look(ctx); err != nil {
		return written, err
	}
	if !bytes.Equal(p.manifest, before) {
		return written, fmt.Errorf("%s: another run has written to it meanwhile: run the same command again", p.name)
	}
	if err := objects.PutBytes(ctx, objects.Join(p.name, ManifestName), manifest); err != nil {
		return written, err
	}
	was := map[string]bool{}
	if p.was != nil {
		for _, object := range p.was.stored() {
			was[object] = true
		}
	}
	p.manifest = manifest
	if err := p.note(); err != nil {
		return written, err
	}
	current := slices.Collect(maps.Values(all))
	for object, is := range p.objects {
		old := was[object] || time.Since(is.ModTime()) > abandoned
		if object != ManifestName && !slices.Contains(current, object) && old {
			if err := objects.Delete(ctx, is.Object); err != nil {
				return written, err
			}
		}
	}
	return written + 1, nil
}

// put writes a file to the store, unless it is there. It returns how many it has written.
func (p *Published) put(ctx context.Context, file, object string) (written int, err error) {
	f, err := disk.Open(filepath.Join(p.dir, file))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if is := p.objects[object]; is != nil && is.Size() == info.Size() {
		return 0, nil
	}
	return 1, objects.PutChecked(ctx, objects.Join(p.name, object), f, info.Size())
}
