package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/collected"
	"simsearch/internal/disk"
	"simsearch/internal/index"
	"simsearch/internal/objects"
	"simsearch/internal/options"
	"simsearch/internal/outdir"
	"simsearch/internal/paths"
	"simsearch/internal/store"
	"simsearch/internal/terminal"
)

// publishing is the phase in which a result goes to a store.
const publishing = "publishing"

// published makes the result of --out, a directory of a store, in a directory of this machine, and publishes it. That directory stays, so
// that the next run goes on from it. If it is gone, what the next run needs of it comes from the store.
func (t *task) published(to func(t *task, dir string) error) (err error) {
	if err := paths.Apart(t.Out.Value, slices.Concat(t.Args, t.Against.Value)); err != nil {
		return err
	}
	o := collected.Result(t.repeating())
	dir, err := objects.CacheDir(t.Out.Value, o.Command, o.Where)
	if err != nil {
		return err
	}
	lock, err := t.lockCopy(t.Out.Value, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	isState := func(name string) bool { return strings.HasPrefix(name, collected.StateDir+"/") }
	if err := outdir.Fetch(t.Context, t.Out.Value, dir, o, isState); err != nil {
		return err
	}
	made := to(t, dir)
	if made != nil && !errors.Is(made, errReported) {
		return made
	}
	meter, phase, progress := t.startPhases(publishing, func(string) bool { return false })
	defer meter.Stop()
	phase(publishing)
	did, err := outdir.Publish(t.Context, dir, t.Out.Value, o, progress)
	if err != nil {
		return err
	}
	meter.Stop()
	t.tell("%s: %s written (%s), %s as before, %s removed", terminal.Plain(t.Out.Value), terminal.Plural(did.Written, "object"),
		terminal.Bytes(did.Bytes), terminal.Thousands(did.Same), terminal.Thousands(did.Removed))
	return made
}

// lockCopy takes the lock of a copy of what is in a store.
func (t *task) lockCopy(name, dir string) (disk.Lock, error) {
	if _, err := disk.MkdirAll(disk.OS, filepath.Dir(dir)); err != nil {
		return nil, err
	}
	lock, err := disk.OS.Lock(dir+".lock", "simsearch "+t.Command.Name)
	if errors.As(err, new(*disk.LockedError)) {
		err = fmt.Errorf("%s: another command of this machine works on it: wait until that has ended", name)
	}
	return lock, err
}

// indexed does what a command does with the index of --index, in a directory of a store: it works on a copy on this machine, and publishes
// what it has changed.
func (t *task) indexed(do func(*task) error) (err error) {
	name := t.Index.Value
	dir, err := objects.CacheDir(name)
	if err != nil {
		return err
	}
	lock, err := t.lockCopy(name, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	copied, err := store.Fetch(t.Context, name, dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); err != nil && t.Command.Name != "index" {
		return fmt.Errorf("%w: %s", index.ErrNoIndex, name)
	}
	t.Index.Value, t.isCopy = dir, true
	did := do(t)
	if !slices.Contains(options.WritesStored, t.Command.Name) || did != nil && !errors.Is(did, errReported) {
		return did
	}
	written, err := copied.Publish(t.Context)
	if err != nil {
		return err
	}
	t.tell("%s: %s written", terminal.Plain(name), terminal.Plural(written, "object"))
	return did
}
