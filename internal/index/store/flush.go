package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"simsearch/internal/ground/disk"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/wal"
)

// The documents of a log become a segment in these steps, each durable before the next begins: a manifest that names
// a new log behind the old ones, which takes the changes from then on; the segment of all documents of the old logs;
// the deleted documents of other segments, as far as they are durable; and a manifest that names these and no old
// log. A segment may miss what the new log has deleted since: the log is read behind it. Notes that are not old yet
// go to a log of their own before the last manifest, which names it, too. Merging segments takes the same steps
// without the first and without notes.

// prepare makes the manifest say that the documents are wanted, and begins a log if there is none. It does nothing if
// the documents are not has any more, since another goroutine was quicker. The caller does not hold j.mu.
func (j *Journal) prepare(has, wanted Input) error {
	j.manifesting.Lock()
	defer j.manifesting.Unlock()
	j.mu.Lock()
	log, closed, input := j.log, j.closed, j.Input
	j.mu.Unlock()
	switch {
	case closed:
		return ErrClosed
	case input != has, log != nil && has == wanted:
		return nil
	case log == nil:
		return j.nextLog(wanted)
	}
	err := j.dir.Change(0, func(next *Manifest, _ *Names) error {
		next.Input = wanted
		return nil
	})
	if err != nil {
		return j.fail(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.Manifest, j.Input = j.dir.Manifest, wanted
	return nil
}

// nextLog begins a log, and names it in the manifest behind the others, with what the documents are. Changes go to it
// from then on. The log before is durable then. The caller holds j.manifesting, and not j.mu.
func (j *Journal) nextLog(input Input) error {
	if err := j.Sync(); err != nil { // so that little is left to do while others wait
		return err
	}
	var log *wal.Writer
	err := j.dir.Change(1, func(next *Manifest, names *Names) (err error) {
		ref := newLog(names)
		if log, err = wal.Create(j.dir.FS, filepath.Join(j.dir.Path, ref.Name), ref.Identity, j.o.SyncLate); err != nil {
			return err
		}
		next.Logs, next.Input = append(slices.Clip(next.Logs), ref), input
		next.MakeStale() // the log may replace or delete documents
		return nil
	})
	if err != nil {
		if log != nil {
			_ = log.Close() // nothing is in it
		}
		return j.fail(err)
	}
	j.begun = true
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log != nil {
		err = j.log.Close()
		j.older, j.olderHas = j.older+j.logEnd, j.olderHas+j.logged
	}
	j.log, j.logEnd, j.logged, j.Manifest, j.Input = log, 0, 0, j.dir.Manifest, input
	if errors.Is(err, disk.ErrUncertain) {
		j.end(err)
	}
	return err
}

// startFlush makes a segment of what the logs have, in the background. The caller holds j.mu.
func (j *Journal) startFlush() {
	j.start(&j.flushing, func() error { return j.Flush(true) }, func(err error) {
		j.trouble = err
		j.eased.Broadcast()
		if err == nil {
			j.start(&j.merging, j.Merge, func(error) {})
		}
	})
}

// start does something in the background unless it is being done, and then what comes after it. The caller holds j.mu.
func (j *Journal) start(doing *bool, do func() error, after func(err error)) {
	if *doing || j.closed || j.failed != nil {
		return
	}
	*doing = true
	j.work.Go(func() {
		err := do()
		j.mu.Lock()
		defer j.mu.Unlock()
		if *doing = false; errors.Is(err, disk.ErrUncertain) {
			j.end(err)
		}
		after(err)
	})
}

// Flush makes a segment of what the logs have. If there will be changes, a new log takes them.
func (j *Journal) Flush(more bool) (err error) {
	j.manifesting.Lock()
	j.mu.Lock()
	input, log, end := j.Input, j.log, j.logEnd
	j.mu.Unlock()
	covered := j.dir.Manifest.Logs
	if log != nil && end == 0 { // the last flush has failed, and there has been no change since
		covered = covered[:len(covered)-1]
	} else if more {
		err = j.nextLog(input)
	}
	j.mu.Lock()
	older, olderHas := j.older, j.olderHas
	j.mu.Unlock()
	j.manifesting.Unlock()
	// Changes that come now are in the new log. They are in the segment, too, or deleted there.
	if err == nil {
		err = j.rewrite(nil, true, covered)
	}
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.older, j.olderHas = j.older-older, j.olderHas-olderHas
	j.mu.Unlock()
	return nil
}

// rewrite makes one segment of parts on the disk, or of all those in memory, and puts it in their place. The manifest
// then names it and no log of covered. All documents of these logs are in the parts.
func (j *Journal) rewrite(parts []*Part, memory bool, covered []LogRef) error {
	j.mu.Lock()
	s, err := j.State.Begin(context.WithoutCancel(j.ctx), parts, memory)
	j.mu.Unlock()
	defer func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.State.End(s)
	}()
	if err != nil {
		return err
	}
	if !memory && j.o.Write.Phase != nil {
		j.o.Write.Phase("merging segments")
	}
	if err := j.writeMerged(s, memory); err != nil {
		return j.fail(err)
	}
	j.manifesting.Lock()
	defer j.manifesting.Unlock()
	if err := j.name(s, covered); err != nil {
		s.Drop(j.dir, !errors.Is(err, disk.ErrUncertain))
		return j.fail(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.Manifest = j.dir.Manifest
	j.State.Install(s, j.dir)
	return nil
}

// writeMerged writes the documents of the inputs of s as a segment, if there are any.
func (j *Journal) writeMerged(s *Swap, memory bool) error {
	b := segment.NewBuilder(j.dir.FS, j.dir.Path, j.State.layout, j.o.Hold)
	if j.o.Write.Design.Width() == 0 {
		b.Stream(j.o.Merging, segment.StreamMemory)
	}
	defer func() { _ = b.Close() }() // losing a temporary file does no harm
	if err := s.Gather(j.ctx, b); err != nil || b.Len() == 0 {
		return err
	}
	j.manifesting.Lock()
	names, err := j.dir.Reserve(1)
	j.manifesting.Unlock()
	if err != nil {
		return err
	}
	o := j.o.Write
	if memory {
		o.Explain, o.Phase = nil, nil
	}
	return s.Write(j.ctx, j.dir, b, names.Take(SegmentExtension), o)
}

// name makes the manifest name what s has made, with what is deleted, as far as it is durable in a log. The caller
// holds j.manifesting.
func (j *Journal) name(s *Swap, covered []LogRef) error {
	j.mu.Lock()
	input := j.Input
	var noted []segment.Note
	if len(covered) > 0 {
		noted = j.State.notes.living()
	}
	j.State.Plan(s)
	j.mu.Unlock()
	if err := j.Sync(); err != nil {
		return err
	}
	files := s.Files() + min(1, len(noted))
	return j.dir.Change(files, func(next *Manifest, names *Names) error {
		next.Logs = slices.DeleteFunc(slices.Clone(next.Logs), func(ref LogRef) bool { return slices.Contains(covered, ref) })
		next.Input = input
		if err := s.Name(j.dir, next, names); err != nil || len(noted) == 0 {
			return err
		}
		ref := newLog(names)
		next.Logs = slices.Insert(next.Logs, 0, ref)
		return j.writeNotes(ref, noted)
	})
}

// newLog returns the name of a new log, and a number by which it is known.
func newLog(names *Names) LogRef {
	return LogRef{Name: names.Take(LogExtension), Identity: rand.Uint64() >> 12} // exact in any reader of JSON
}

// Merge merges segments until none should be merged.
func (j *Journal) Merge() error {
	for {
		j.mu.Lock()
		parts := j.State.Mergeable(j.o.Merging)
		j.mu.Unlock()
		if len(parts) == 0 {
			return nil
		}
		if err := j.rewrite(parts, false, nil); err != nil {
			return err
		}
	}
}

// Compact merges all segments into one, without the documents that are deleted, or into as few as the memory allows.
func (j *Journal) Compact() error {
	for from := 0; ; from++ {
		parts := j.State.Parts()[from:]
		if len(parts) == 0 {
			return nil
		}
		n, sum := 0, int64(0)
		for ; n < len(parts); n++ {
			if sum += parts[n].BuildMemory(); n > 0 && sum > j.o.Merging {
				break
			}
		}
		if n == 1 && parts[0].Ref.Deleted == nil && !parts[0].Loose() {
			continue
		}
		if err := j.rewrite(parts[:n], false, nil); err != nil {
			return err
		}
	}
}
