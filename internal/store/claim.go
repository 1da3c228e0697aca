package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"simsearch/analysis"
	"simsearch/internal/disk"
	"simsearch/internal/segment"
	"simsearch/section"
)

// ErrLocked is returned by Claim.Take while another process has the lock.
var ErrLocked = errors.New("index is being written")

// A Claim is the right to write the index in a directory. It makes what is missing, and takes that away
// again if no index has come of it. It must not be used by several goroutines at once.
type Claim struct {
	fs    disk.FS
	dir   string
	lock  disk.Lock
	made  []string // directories made for the index, to be removed again; the innermost last
	begun bool     // the manifest was made; removed again while it names nothing
}

// NewClaim returns a claim for dir, which Take makes good.
func NewClaim(fsys disk.FS, dir string) *Claim { return &Claim{fs: fsys, dir: dir} }

// Take makes the directory if it is missing, and takes its lock. The error is ErrLocked if another process
// has it.
func (c *Claim) Take() error {
	const attempts = 10 // another writer may remove the directory again if it has added nothing
	for i := 0; ; i++ {
		made, err := disk.MkdirAll(c.fs, c.dir)
		c.made = append(c.made, made...)
		if err != nil {
			return err
		}
		c.lock, err = c.fs.Lock(filepath.Join(c.dir, LockName), fmt.Sprintf("process %d", os.Getpid()))
		var taken *disk.LockedError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &taken):
			c.made = nil // the writer that has the lock is using them
			return fmt.Errorf("%w: %w", ErrLocked, err)
		case !errors.Is(err, fs.ErrNotExist) || i == attempts:
			return err
		}
	}
}

// Held returns an error if another process may have taken the lock, since its file was removed or replaced, or the
// directory was moved.
func (c *Claim) Held() error { return c.lock.Held() }

// SyncMade makes the directories durable that were made for the index. A process that was killed may have made the
// directory of the index. Whoever may not read the directory above it has not made it.
func (c *Claim) SyncMade() error {
	for _, dir := range c.made {
		if err := c.fs.SyncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	if len(c.made) > 0 {
		return nil
	}
	if err := c.fs.SyncDir(filepath.Dir(c.dir)); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Begun says that the holder of this claim has written the first manifest.
func (c *Claim) Begun() { c.begun = true }

// Release releases the lock. If the index is unborn, because nothing was added to it, Release removes what
// was made for it.
func (c *Claim) Release(unborn bool) (err error) {
	if c.lock == nil {
		return c.removeMade()
	}
	if unborn {
		err = c.removeBegun()
	}
	err = errors.Join(err, c.lock.Close())
	c.lock = nil
	if unborn {
		err = errors.Join(err, c.removeMade())
	}
	return err
}

// removeBegun removes the manifest if the holder of this claim made it. It removes the lock if there is no
// manifest. The lock must still be held, so that no two writers hold two locks of one name.
func (c *Claim) removeBegun() error {
	names, err := c.fs.ReadDir(c.dir)
	if err != nil || slices.ContainsFunc(names, IsNumbered) {
		return err // the remaining files need a manifest that explains them
	}
	if c.begun {
		if err := c.fs.Remove(filepath.Join(c.dir, ManifestName)); err != nil {
			return err
		}
		c.begun = false
	}
	if c.HasManifest() {
		return nil
	}
	return c.fs.Remove(filepath.Join(c.dir, LockName))
}

// HasManifest reports whether the directory has a manifest.
func (c *Claim) HasManifest() bool {
	_, err := c.fs.Stat(filepath.Join(c.dir, ManifestName))
	return err == nil
}

// removeMade removes the directories that were made for an index without a commit. Files that
// another writer has begun there stay.
func (c *Claim) removeMade() error {
	for _, dir := range slices.Backward(c.made) {
		names, err := c.fs.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(names) > 0 {
			return err
		}
		if err := c.fs.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			if errors.Is(err, fs.ErrExist) { // not empty: another writer was quicker
				return nil
			}
			return err
		}
	}
	c.made = nil
	return nil
}

// ReadOrBegin returns the manifest in dir, checked against s. If an index could begin in dir, it
// returns a manifest without segments.
func ReadOrBegin(fsys disk.FS, dir string, s analysis.Settings) (*Manifest, error) {
	m, err := ReadManifest(fsys, dir)
	if err == nil {
		return m, m.Settings.Check(s)
	}
	if !errors.Is(err, ErrNoIndex) {
		return nil, err
	}
	names, listErr := ForeignNames(fsys, dir)
	if errors.Is(listErr, fs.ErrNotExist) || listErr == nil && len(names) == 0 {
		return &Manifest{Settings: s, Next: 1, Segments: []segment.Ref{}}, nil
	}
	if listErr == nil && slices.Contains(names, ManifestName) {
		// Another writer has begun the index in the meantime, or the file is not ours.
		if m, err = ReadManifest(fsys, dir); err == nil {
			return m, m.Settings.Check(s)
		}
		return nil, err
	}
	if listErr == nil && !slices.ContainsFunc(names, func(name string) bool { return !IsNumbered(name) }) {
		return nil, fmt.Errorf("%w: %s holds segments but no %s", section.ErrCorrupt, dir, ManifestName)
	}
	return nil, err
}
