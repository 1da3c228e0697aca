package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/publish"
	"simsearch/internal/ground/terminal"
)

// publishing is the phase in which a result goes to a store.
const publishing = "publishing"

// published makes the result of --out, a directory of a store, in a directory of this machine, and publishes it. That
// directory stays, so that the next run goes on from it. If it is gone, what the next run needs of it comes from the
// store.
func (t *task) published(to func(t *task, dir string) error) (err error) {
	if err := run.Apart(t.Out.Value, slices.Concat(t.Args, t.Against.Value)); err != nil {
		return err
	}
	o := dedup.Directory(t.Repeating())
	dir, err := objects.CacheDir(t.Out.Value, o.Command, o.Where)
	if err != nil {
		return err
	}
	if _, err := disk.MkdirAll(disk.OS, filepath.Dir(dir)); err != nil {
		return err
	}
	lock, err := disk.OS.Lock(dir+".lock", "simsearch "+t.Command.Name)
	if errors.As(err, new(*disk.LockedError)) {
		return fmt.Errorf("%s: another command of this machine works on it: wait until that has ended", t.Out.Value)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	isState := func(name string) bool { return strings.HasPrefix(name, dedup.StateDir+"/") }
	if err := publish.Fetch(t.Context, t.Out.Value, dir, o, isState); err != nil {
		return err
	}
	made := to(t, dir)
	if made != nil && !errors.Is(made, errReported) {
		return made
	}
	meter := t.startMeter(publishing, nil)
	defer meter.Stop()
	did, err := publish.ToStore(t.Context, dir, t.Out.Value, o, meter.Tell)
	if err != nil {
		return err
	}
	meter.Stop()
	t.tell("%s: %s written (%s), %s as before, %s removed", terminal.Plain(t.Out.Value), terminal.Plural(did.Written, "object"),
		terminal.Bytes(did.Bytes), terminal.Thousands(did.Same), terminal.Thousands(did.Removed))
	return made
}
