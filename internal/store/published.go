package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/disk"
	"simsearch/internal/objects"
)

// A Published is an index in a directory of a store of objects, and its copy in a directory of this machine, in which it is searched and
// written. Files of an index never change, so only those that are new go from one to the other, and the manifest goes last.
type Published struct {
	name, dir string
	objects   map[string]*objects.Info // by their names in the directory
	manifest  []byte                   // as the store has it; nil if there is no index
}

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
	if of, err := os.ReadFile(dir + ofName); err == nil && bytes.Equal(of, p.manifest) {
		return p, nil
	}
	if m == nil { // dir has a copy of what is not there any more
		return p, errors.Join(os.RemoveAll(dir), p.note())
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, file := range m.Files() {
		is := p.objects[file]
		if is == nil {
			return nil, fmt.Errorf("%w: %s names %s, which is not there", ErrNoIndex, objects.Join(p.name, ManifestName), file)
		}
		if there, err := p.holds(is, file); err != nil || there {
			if err != nil {
				return nil, err
			}
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

// None reports whether the store has no index.
func (p *Published) None() bool { return p.manifest == nil }

// look finds out what the store has.
func (p *Published) look(ctx context.Context) (m *Manifest, err error) {
	p.objects = map[string]*objects.Info{}
	err = objects.List(ctx, p.name, func(is *objects.Info) error {
		below, _ := objects.Below(is.Object, p.name)
		if _, ours := NumberOf(below); !ours && below != ManifestName {
			return fmt.Errorf("%s is no file of an index: name a directory of the store for the index alone", is.Object)
		}
		p.objects[below] = is
		return nil
	})
	if p.manifest = nil; err != nil || p.objects[ManifestName] == nil {
		return nil, err
	}
	f, err := objects.Open(ctx, objects.Join(p.name, ManifestName))
	if err != nil {
		return nil, err
	}
	if p.manifest, err = io.ReadAll(f); err == nil {
		m, err = DecodeManifest(objects.Join(p.name, ManifestName), p.manifest)
	}
	return m, errors.Join(err, f.Close())
}

// holds reports whether a file of the copy is as the store has it.
func (p *Published) holds(is *objects.Info, file string) (holds bool, err error) {
	if is == nil {
		return false, nil
	}
	f, err := os.Open(filepath.Join(p.dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	return objects.Holds(is, f, info.Size())
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
	manifest, err := os.ReadFile(filepath.Join(p.dir, ManifestName))
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
	before := p.manifest
	for _, file := range m.Files() {
		there, err := p.holds(p.objects[file], file)
		if err == nil && !there {
			err = p.put(ctx, file)
			written++
		}
		if err != nil {
			return written, err
		}
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
	p.manifest = manifest
	if err := p.note(); err != nil {
		return written, err
	}
	for file := range p.objects {
		if file != ManifestName && !slices.Contains(m.Files(), file) {
			if err := objects.Delete(ctx, objects.Join(p.name, file)); err != nil {
				return written, err
			}
		}
	}
	return written + 1, nil
}

// put writes a file to the store.
func (p *Published) put(ctx context.Context, file string) (err error) {
	f, err := os.Open(filepath.Join(p.dir, file))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return objects.Put(ctx, objects.Join(p.name, file), f, info.Size())
}
