package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
)

// ErrLocked is returned by Dir.Claim while another process has the lock.
var ErrLocked = errors.New("index is being written")

// A Dir is the directory of an index that this process writes, from Claim to Release. It must not be used by several
// goroutines at once.
type Dir struct {
	FS   disk.FS
	Path string
	// Manifest is the one that this process has read or written last. It does not change: another one takes its place.
	Manifest *Manifest

	lock  disk.Lock
	made  []string // directories made for the index, to be removed again; the innermost last
	begun bool     // the manifest was made; removed again while it names nothing
}

// Claim makes the directory if it is missing, and takes its lock. The error is ErrLocked if another process
// has it.
func (d *Dir) Claim() error {
	const attempts = 10 // another writer may remove the directory again if it has added nothing
	for i := 0; ; i++ {
		made, err := disk.MkdirAll(d.FS, d.Path)
		d.made = append(d.made, made...)
		if err != nil {
			return err
		}
		d.lock, err = d.FS.Lock(filepath.Join(d.Path, LockName), fmt.Sprintf("process %d", os.Getpid()))
		var taken *disk.LockedError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &taken):
			d.made = nil // the writer that has the lock is using them
			return fmt.Errorf("%w: %w", ErrLocked, err)
		case !errors.Is(err, fs.ErrNotExist) || i == attempts:
			return err
		}
	}
}

// Held returns an error if another process may have taken the lock, since its file was removed or replaced, or the
// directory was moved.
func (d *Dir) Held() error { return d.lock.Held() }

// Names are the names of the files of a change, which have numbers that are reserved.
type Names struct {
	next  int
	Taken []string // in order
}

// Take returns a name that no file has had.
func (n *Names) Take(extension string) string {
	n.Taken = append(n.Taken, fileName(n.next, extension))
	n.next++
	return n.Taken[len(n.Taken)-1]
}

// Beside returns the name of a file with the number of the one that was taken last.
func (n *Names) Beside(extension string) string {
	n.next--
	return n.Take(extension)
}

// Change changes the index in three steps, of which each is durable before the next begins: a manifest that reserves
// the numbers of new files, the files, which write writes and names in next, and the manifest next. So a number is
// never used twice. A file under a number that is reserved but not named was never a part of the index, or is not any
// more. Then the files are removed that the manifest names no more, except those that are to be moved aside.
//
// After an error the index is as it was, or disk.ErrUncertain.
func (d *Dir) Change(files int, write func(next *Manifest, names *Names) error) error {
	names, err := d.Reserve(files)
	if err != nil {
		return err
	}
	next := *d.Manifest
	next.Segments = slices.Clone(d.Manifest.Segments)
	if err = write(&next, names); err == nil {
		err = d.Held()
	}
	if err == nil {
		err = next.Write(d.FS, d.Path)
	}
	if err != nil {
		if !errors.Is(err, disk.ErrUncertain) {
			d.Remove(names.Taken...)
		}
		return err
	}
	old := d.Manifest.Files()
	d.Manifest = &next
	d.Remove(slices.DeleteFunc(old, func(name string) bool { return next.Names(name) || slices.Contains(next.Aside, name) })...)
	return nil
}

// Remove removes files that are no part of the index. What cannot be removed is left to the next writer.
func (d *Dir) Remove(names ...string) {
	for _, name := range names {
		_ = d.FS.Remove(filepath.Join(d.Path, name))
	}
}

// Reserve reserves numbers for new files and makes that durable. It begins the index if there is none.
func (d *Dir) Reserve(numbers int) (*Names, error) {
	if err := d.Held(); err != nil {
		return nil, err
	}
	begins := !d.HasManifest()
	if begins {
		if err := disk.Uncertain(d.syncMade()); err != nil {
			return nil, err
		}
	}
	names := &Names{next: d.Manifest.Next}
	if numbers == 0 && !begins {
		return names, nil
	}
	next := *d.Manifest
	next.Next += numbers
	if err := next.Write(d.FS, d.Path); err != nil {
		return nil, err
	}
	d.Manifest, d.begun = &next, d.begun || begins
	return names, nil
}

// syncMade makes the directories durable that were made for the index. A process that was killed may have made the
// directory of the index. Whoever may not read the directory above it has not made it.
func (d *Dir) syncMade() error {
	for _, dir := range d.made {
		if err := d.FS.SyncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	if len(d.made) > 0 {
		return nil
	}
	if err := d.FS.SyncDir(filepath.Dir(d.Path)); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Release releases the lock. If the index is unborn, because nothing was added to it, Release removes what
// was made for it.
func (d *Dir) Release(unborn bool) (err error) {
	if d.lock == nil {
		return d.removeMade()
	}
	if unborn {
		err = d.removeBegun()
	}
	err = errors.Join(err, d.lock.Close())
	d.lock = nil
	if unborn {
		err = errors.Join(err, d.removeMade())
	}
	return err
}

// removeBegun removes the manifest if the holder of this claim made it. It removes the lock if there is no
// manifest. The lock must still be held, so that no two writers hold two locks of one name.
func (d *Dir) removeBegun() error {
	names, err := d.FS.ReadDir(d.Path)
	if err != nil || slices.ContainsFunc(names, IsNumbered) {
		return err // the remaining files need a manifest that explains them
	}
	if d.begun {
		if err := d.FS.Remove(filepath.Join(d.Path, ManifestName)); err != nil {
			return err
		}
		d.begun = false
	}
	if d.HasManifest() {
		return nil
	}
	return d.FS.Remove(filepath.Join(d.Path, LockName))
}

// HasManifest reports whether the directory has a manifest.
func (d *Dir) HasManifest() bool {
	_, err := d.FS.Stat(filepath.Join(d.Path, ManifestName))
	return err == nil
}

// removeMade removes the directories that were made for an index without a commit. Files that
// another writer has begun there stay.
func (d *Dir) removeMade() error {
	for _, dir := range slices.Backward(d.made) {
		switch err := d.FS.Remove(dir); {
		case errors.Is(err, fs.ErrExist): // it is not empty
			return nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	d.made = nil
	return nil
}

// Read reads the manifest and checks it against s. If an index could begin in the directory, the manifest is one
// without segments.
func (d *Dir) Read(s analysis.Settings) (err error) {
	if d.Manifest, err = ReadManifest(d.FS, d.Path); err == nil {
		return d.Manifest.Settings.Check(s)
	}
	if !errors.Is(err, ErrNoIndex) {
		return err
	}
	names, listErr := foreignNames(d.FS, d.Path)
	switch {
	case errors.Is(listErr, fs.ErrNotExist) || listErr == nil && len(names) == 0:
		d.Manifest = &Manifest{Settings: s, Next: 1, Segments: []segment.Ref{}}
		return nil
	case listErr != nil:
		return err
	case slices.Contains(names, ManifestName):
		// Another writer has begun the index in the meantime, or the file is not ours.
		if d.Manifest, err = ReadManifest(d.FS, d.Path); err == nil {
			return d.Manifest.Settings.Check(s)
		}
	case !slices.ContainsFunc(names, func(name string) bool { return !IsNumbered(name) }):
		return fmt.Errorf("%w: %s holds segments but no %s", section.ErrCorrupt, d.Path, ManifestName)
	}
	return err
}
