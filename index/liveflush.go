package index

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/store"
	"simsearch/internal/wal"
)

// The documents of a log become a segment in these steps, each durable before the next begins: a manifest that names a
// new log behind the old ones, which takes the changes from then on; the segment of all documents of the old logs;
// the deleted documents of other segments, as far as they are durable; and a manifest that names these and no old log.
// A segment may miss what the new log has deleted since: the log is read behind it. Merging segments takes the same
// steps without the first.

// prepare makes the manifest say that the documents are wanted, and begins a log if there is none. It does nothing if
// the documents are not has any more, since another goroutine was quicker. The caller does not hold l.mu.
func (l *Live) prepare(has, wanted Input) error {
	l.manifesting.Lock()
	defer l.manifesting.Unlock()
	l.mu.Lock()
	log, closed, input := l.log, l.closed, l.input
	l.mu.Unlock()
	switch {
	case closed:
		return ErrClosed
	case input != has, log != nil && has == wanted:
		return nil
	case log == nil:
		return l.nextLog(wanted)
	}
	err := l.w.dir.Change(0, func(next *store.Manifest, _ *store.Names) error {
		next.Input = wanted
		return nil
	})
	if err != nil {
		return l.fail(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.manifest, l.input = l.w.dir.Manifest, wanted
	return nil
}

// nextLog begins a log, and names it in the manifest behind the others, with what the documents are. Changes go to it
// from then on. The log before is durable then. The caller holds l.manifesting, and not l.mu.
func (l *Live) nextLog(input Input) error {
	if err := l.Sync(); err != nil { // so that little is left to do while others wait
		return err
	}
	var log *wal.Writer
	err := l.w.dir.Change(1, func(next *store.Manifest, names *store.Names) (err error) {
		ref := store.LogRef{Name: names.Take(store.LogExtension), Identity: rand.Uint64() >> 12} // exact in any reader of JSON
		if log, err = wal.Create(l.w.dir.FS, filepath.Join(l.w.dir.Path, ref.Name), ref.Identity, l.w.o.SyncEvery); err != nil {
			return err
		}
		next.Logs, next.Input = append(slices.Clip(next.Logs), ref), input
		return l.w.writeCatalogue(next, true, names) // the log may replace or delete documents
	})
	if err != nil {
		if log != nil {
			_ = log.Close() // nothing is in it
		}
		return l.fail(err)
	}
	l.w.committed = true
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.log != nil {
		err = l.log.Close()
		l.older, l.olderHas = l.older+l.logEnd, l.olderHas+l.logged
	}
	l.log, l.logEnd, l.logged, l.manifest, l.input = log, 0, 0, l.w.dir.Manifest, input
	if err != nil {
		l.end(err)
	}
	return err
}

// startFlush makes a segment of what the logs have, in the background. The caller holds l.mu.
func (l *Live) startFlush() {
	l.start(&l.flushing, func() error { return l.flush(true) }, func(err error) {
		l.trouble = err
		l.eased.Broadcast()
		if err == nil {
			l.start(&l.merging, l.mergeAll, func(error) {})
		}
	})
}

// start does something in the background unless it is being done, and then what comes after it. The caller holds l.mu.
func (l *Live) start(doing *bool, do func() error, after func(err error)) {
	if *doing || l.closed || l.failed != nil {
		return
	}
	*doing = true
	l.work.Go(func() {
		err := do()
		l.mu.Lock()
		defer l.mu.Unlock()
		if *doing = false; errors.Is(err, disk.ErrUncertain) {
			l.end(err)
		}
		after(err)
	})
}

// flush makes a segment of what the logs have. If there will be changes, a new log takes them.
func (l *Live) flush(more bool) (err error) {
	l.manifesting.Lock()
	l.mu.Lock()
	input, log, end := l.input, l.log, l.logEnd
	l.mu.Unlock()
	covered := l.w.dir.Manifest.Logs
	if log != nil && end == 0 { // the last flush has failed, and there has been no change since
		covered = covered[:len(covered)-1]
	} else if more {
		err = l.nextLog(input)
	}
	l.mu.Lock()
	older, olderHas := l.older, l.olderHas
	l.mu.Unlock()
	l.manifesting.Unlock()
	// Changes that come now are in the new log. They are in the segment, too, or deleted there.
	if err == nil {
		err = l.rewrite(nil, true, covered)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.older, l.olderHas = l.older-older, l.olderHas-olderHas
	l.mu.Unlock()
	return nil
}

// rewrite makes one segment of parts on the disk, or of all those in memory, and puts it in their place. The manifest then
// names it and no log of covered. All documents of these logs are in the parts.
func (l *Live) rewrite(parts []*store.Part, memory bool, covered []store.LogRef) error {
	l.mu.Lock()
	s, err := l.state.Begin(context.WithoutCancel(l.ctx), parts, memory)
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.state.End(s)
	}()
	if err != nil {
		return err
	}
	if !memory {
		l.w.phase("merging segments")
	}
	if err := l.writeMerged(s, memory); err != nil {
		return l.fail(err)
	}
	l.manifesting.Lock()
	defer l.manifesting.Unlock()
	if err := l.name(s, covered); err != nil {
		s.Drop(l.w.dir, !errors.Is(err, disk.ErrUncertain))
		return l.fail(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.manifest = l.w.dir.Manifest
	err = l.state.Install(s, l.w.dir)
	if err != nil { // the manifest has what the state has in part
		l.end(err)
	}
	return err
}

// writeMerged writes the documents of the inputs of s as a segment, if there are any.
func (l *Live) writeMerged(s *store.Swap, memory bool) error {
	b := l.w.newBuilder()
	defer func() { _ = b.Close() }() // losing a temporary file does no harm
	if err := s.Gather(l.ctx, b); err != nil || b.Len() == 0 {
		return err
	}
	l.manifesting.Lock()
	names, err := l.w.dir.Reserve(1)
	o, err2 := l.w.segmentOptions()
	l.manifesting.Unlock()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if memory {
		o.Explain, o.Phase = nil, nil
	}
	return s.Write(l.ctx, l.w.dir, b, names.Take(store.SegmentExtension), o)
}

// name makes the manifest name what s has made, with what is deleted, as far as it is durable in a log. The caller holds
// l.manifesting.
func (l *Live) name(s *store.Swap, covered []store.LogRef) error {
	l.mu.Lock()
	input := l.input
	err := l.state.Plan(s)
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if err := l.Sync(); err != nil {
		return err
	}
	return l.w.dir.Change(s.Files(), func(next *store.Manifest, names *store.Names) error {
		next.Logs = slices.DeleteFunc(slices.Clone(next.Logs), func(ref store.LogRef) bool { return slices.Contains(covered, ref) })
		next.Input = input
		return s.Name(l.w.dir, next, names)
	})
}

// Close waits for what is written in the background to stop, makes all changes durable, and releases the lock of the
// index. Snapshots stay open. What the log has then, the next OpenLive or OpenWriter reads.
func (l *Live) Close() (err error) {
	l.closing.Do(func() { err = l.close() })
	return err
}

func (l *Live) close() (err error) {
	l.mu.Lock()
	l.closed = true
	l.eased.Broadcast()
	l.mu.Unlock()
	l.cancel()
	l.work.Wait()
	l.manifesting.Lock() // a change may be beginning a log
	defer l.manifesting.Unlock()
	if l.log != nil {
		err = l.log.Close()
	}
	return errors.Join(err, l.state.Release(), l.w.Close())
}
