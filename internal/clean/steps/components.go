package steps

import (
	"context"
	"errors"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
)

// ComponentsOptions say how groups are made.
type ComponentsOptions struct {
	Threads  int
	Memory   int64
	Temp     string
	FS       disk.FS
	Phase    func(what string)
	Progress func(done, all int64)
}

// A Decided says what Components has decided.
type Decided struct {
	Documents int
	Removed   int
	Listed    bool // by the pairs of join, and not by comparing all sets again
	Pairs     int  // of near sets, if they are listed
}

// Components reads the sketches of all shares and the pairs of all parts, decides as dedup does which documents are removed, and writes
// the lists removed.jsonl and clusters.jsonl to a directory, which it makes. Without pairs, or if they are too many to be listed,
// it compares all sets. Then it takes the memory of dedup. With pairs, it takes a few bits for a document that is kept in any case, and
// for the others some hundred bytes and what dedup takes for their sets.
func Components(ctx context.Context, in []string, dir string, o ComponentsOptions) (done Decided, err error) {
	err = reading(&o.FS, in, []string{sketchKind, pairsKind}, func(all inputs) error {
		done, err = components(ctx, all, dir, &o)
		return err
	})
	return done, err
}

func components(ctx context.Context, all inputs, dir string, o *ComponentsOptions) (done Decided, err error) {
	list, err := all.sketches(readSketch)
	if err != nil {
		return done, err
	}
	_, how, err := all.criterion()
	if err != nil {
		return done, err
	}
	how.Threads, how.Memory, how.Temp, how.FS, how.Phase, how.Progress = max(1, o.Threads), o.Memory, o.Temp, o.FS, o.Phase, o.Progress
	parts := all.of(pairsKind)
	if err := parts.checkPairs(list); err != nil {
		return done, err
	}
	r, near, err := gatherNear(list, parts, &how)
	if err != nil {
		return done, err
	}
	done.Listed, done.Pairs = near != nil, len(near)
	c, err := dedup.Restore(r.Restored, how)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	d, err := dedup.DecideOn(ctx, c, pairsOf(near))
	if err != nil {
		return done, err
	}
	for doc := range r.Lengths {
		if d.KeptFor(doc).Document != doc {
			done.Removed++
		}
	}
	for _, s := range list {
		done.Documents += len(s.setOf)
	}
	if _, err := disk.MkdirAll(o.FS, dir); err != nil {
		return done, err
	}
	var readers disk.Readers
	for _, path := range all.paths() {
		objects.See(&readers, path)
	}
	to, err := o.FS.Root(dir, readers.Mode())
	if err != nil {
		return done, err
	}
	return done, errors.Join(d.WriteLists(ctx, to), to.Close())
}
