package index

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/internal/segment"
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
		_, err := l.nextLog(wanted)
		return err
	}
	err := l.w.change(0, func(next *store.Manifest, _ *newNames) error {
		next.Input = wanted
		return nil
	})
	if err != nil {
		return l.fail(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.manifest, l.input = l.w.manifest, wanted
	return nil
}

// nextLog begins a log, and names it in the manifest behind the others, with what the documents are. Changes go to it
// from then on. It returns the log before, if there is one. The caller holds l.manifesting, and not l.mu.
func (l *Live) nextLog(input Input) (old *wal.Writer, err error) {
	var log *wal.Writer
	err = l.w.change(1, func(next *store.Manifest, names *newNames) (err error) {
		ref := store.LogRef{Name: names.take(store.LogExtension), Identity: rand.Uint64() >> 12} // exact in any reader of JSON
		if log, err = wal.Create(l.w.fs, filepath.Join(l.w.dir, ref.Name), ref.Identity, l.o.SyncEvery); err != nil {
			return err
		}
		next.Logs, next.Input = append(slices.Clip(next.Logs), ref), input
		return l.w.writeCatalogue(next, true, names) // the log may replace or delete documents
	})
	if err != nil {
		if log != nil {
			_ = log.Close() // nothing is in it
		}
		return nil, l.fail(err)
	}
	l.w.committed = true
	l.mu.Lock()
	defer l.mu.Unlock()
	if old = l.log; old != nil {
		l.before, l.older, l.olderHas = change{log: old, end: l.logEnd}, l.older+l.logEnd, l.olderHas+l.logged
	}
	l.log, l.logEnd, l.logged, l.manifest, l.input = log, 0, 0, l.w.manifest, input
	return old, nil
}

// startFlush makes a segment of what the logs have, in the background. The caller holds l.mu.
func (l *Live) startFlush() {
	if l.flushing || l.closed || l.failed != nil {
		return
	}
	l.flushing = true
	l.work.Go(func() {
		err := l.flush(true)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flushing, l.trouble = false, err
		if errors.Is(err, disk.ErrUncertain) {
			l.end(err)
		}
		l.eased.Broadcast()
		if err == nil {
			l.startMerge()
		}
	})
}

// flush makes a segment of what the logs have. If there will be changes, a new log takes them.
func (l *Live) flush(more bool) error {
	l.manifesting.Lock()
	l.mu.Lock()
	input, log, end := l.input, l.log, l.logEnd
	l.mu.Unlock()
	covered := l.w.manifest.Logs
	var old *wal.Writer
	if log != nil && end == 0 { // the last flush has failed, and there has been no change since
		covered = covered[:len(covered)-1]
	} else if more {
		var err error
		if old, err = l.nextLog(input); err != nil {
			l.manifesting.Unlock()
			return err
		}
	}
	// Between the new log and this, changes have come that are in it. They are in the segment, too, or deleted there.
	inputs, err := l.taking(func(h *held) bool { return h.memory })
	l.manifesting.Unlock()
	if old != nil {
		err = errors.Join(err, l.fail(old.Close()))
	}
	if err != nil {
		l.leave(inputs)
		return err
	}
	l.mu.Lock()
	l.before = change{}
	older, olderHas := l.older, l.olderHas
	l.mu.Unlock()
	if err := l.rewrite(inputs, covered); err != nil {
		return err
	}
	l.mu.Lock()
	l.older, l.olderHas = l.older-older, l.olderHas-olderHas
	l.mu.Unlock()
	return nil
}

// startMerge merges segments in the background, if there are some to merge. The caller holds l.mu.
func (l *Live) startMerge() {
	if l.merging || l.closed || l.failed != nil {
		return
	}
	l.merging = true
	l.work.Go(func() {
		err := error(nil)
		for more := true; more && err == nil; {
			more, err = l.merge()
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.merging = false
		if errors.Is(err, disk.ErrUncertain) {
			l.end(err)
		}
	})
}

// merge merges neighbours, if there are some to merge.
func (l *Live) merge() (more bool, err error) {
	l.mu.Lock()
	var disk []*held
	var refs []segment.Ref
	for _, h := range l.state.parts {
		if h.memory || h.busy {
			break
		}
		ref := h.ref
		if n := h.deleted().Count(); n > 0 {
			ref.Deleted = &segment.DeletedRef{Documents: uint64(n)}
		}
		disk, refs = append(disk, h), append(refs, ref)
	}
	from, to := mergeable(refs, l.w.merging(), func(i int) int64 { return disk[i].BuildMemory() })
	l.mu.Unlock()
	if to == 0 {
		return false, nil
	}
	inputs, err := l.taking(func(h *held) bool { return slices.Contains(disk[from:to], h) })
	if err != nil {
		l.leave(inputs)
		return false, err
	}
	return true, l.rewrite(inputs, nil)
}

// An input is a part that is merged, and its documents as they are merged.
type input struct {
	*held
	shown *part // the state may have let go of the part, if nothing is left of it
}

// taking returns the parts that are wanted, which stay until rewrite ends.
func (l *Live) taking(wanted func(h *held) bool) (inputs []input, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	shown, err := l.state.show(context.WithoutCancel(l.ctx))
	if err != nil {
		return nil, err
	}
	_ = releaseAll(shown) // the state has them
	for _, h := range l.state.parts {
		if wanted(h) {
			if h.busy {
				return inputs, errors.New("index: a part is merged twice")
			}
			h.busy = true
			inputs = append(inputs, input{h, h.hold()})
		}
	}
	return inputs, nil
}

// leave ends what taking began, if the parts stay.
func (l *Live) leave(inputs []input) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, in := range inputs {
		in.busy = false
		_ = in.shown.release() // the last user of a part that was read has nothing to lose
	}
}

// rewrite makes one segment of parts, and puts it in their place. The manifest then names it and no log of covered. All
// documents of these logs are in inputs.
func (l *Live) rewrite(inputs []input, covered []store.LogRef) (err error) {
	defer l.leave(inputs)
	merged, err := l.writeMerged(inputs)
	if err != nil {
		return l.fail(err)
	}
	l.manifesting.Lock()
	defer l.manifesting.Unlock()
	if err := l.install(inputs, merged, covered); err != nil {
		if merged != nil {
			_ = merged.release()
			if !errors.Is(err, disk.ErrUncertain) {
				l.w.remove([]string{merged.ref.Name})
			}
		}
		return l.fail(err)
	}
	return nil
}

// writeMerged writes the documents of inputs as a segment. It returns nil if there are none.
func (l *Live) writeMerged(inputs []input) (*part, error) {
	b := segment.NewBuilder(l.w.fs, l.w.dir, l.state.layout, l.o.SetBytesInMemory)
	defer func() { _ = b.Close() }() // losing a temporary file does no harm
	for _, in := range inputs {
		if err := mmap.Guarded(func() error { return b.AddSegment(l.ctx, in.shown.Segment) }); err != nil {
			return nil, err
		}
	}
	if b.Len() == 0 {
		return nil, nil
	}
	l.manifesting.Lock()
	names, err := l.w.reserve(1)
	o, err2 := l.w.segmentOptions()
	l.manifesting.Unlock()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	o.Explain, o.Phase = nil, nil
	name := names.take(store.SegmentExtension)
	ref, err := b.Write(l.ctx, l.w.fs, l.w.dir, name, o)
	if err != nil {
		return nil, err
	}
	p, err := openPart(l.w.fs, l.w.dir, ref, l.state.layout, 0)
	if err != nil {
		l.w.remove([]string{name})
	}
	return p, err
}

// install puts merged in the place of inputs, in the manifest and in the state. merged is nil if nothing is left of
// them. The caller holds l.manifesting.
func (l *Live) install(inputs []input, merged *part, covered []store.LogRef) error {
	isInput := func(h *held) bool {
		return slices.ContainsFunc(inputs, func(in input) bool { return in.held == h })
	}
	var held1 *held
	if merged != nil {
		held1 = &held{part: merged}
	}
	// What is deleted goes to the disk, as far as it is durable in a log.
	l.mu.Lock()
	input := l.input
	if held1 != nil {
		if err := deleteSince(inputs, held1); err != nil {
			l.mu.Unlock()
			return err
		}
	}
	after := l.replaced(isInput, held1)
	refs := make([]segment.Ref, len(after))
	gone := &deletions{of: make([]*segment.Deleted, len(after))}
	for i, h := range after {
		refs[i] = h.ref
		gone.parts = append(gone.parts, h.part)
		if d := h.deleted(); d.Count() > 0 && (h.ref.Deleted == nil || h.ref.Deleted.Documents != uint64(d.Count())) {
			gone.of[i] = d.Clone()
		}
	}
	l.mu.Unlock()
	if err := l.Sync(); err != nil { // of the log before, too, which a flush may not have closed yet
		return err
	}
	err := l.w.change(gone.changed(), func(next *store.Manifest, names *newNames) error {
		next.Segments = slices.Clone(refs)
		next.Logs = slices.DeleteFunc(slices.Clone(next.Logs), func(ref store.LogRef) bool { return slices.Contains(covered, ref) })
		next.Input = input
		err := l.w.writeDeletions(next, gone, names)
		refs = next.Segments
		return err
	})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if held1 != nil {
		if err := deleteSince(inputs, held1); err != nil { // what was deleted while the manifest was written
			return err
		}
	}
	l.manifest = l.w.manifest
	var parts []*held
	if held1 != nil && !slices.Contains(after, held1) {
		_ = merged.release() // nothing is left of the inputs, and no manifest names it
		l.w.remove([]string{merged.ref.Name})
	}
	for _, h := range l.replaced(isInput, held1) {
		i := slices.IndexFunc(refs, func(ref segment.Ref) bool { return ref.Name == h.ref.Name })
		if i < 0 { // no document is left
			if _ = h.release(); h == held1 {
				l.w.remove([]string{h.ref.Name})
			}
			continue
		}
		p := *h.part
		p.ref = refs[i]
		h.part = &p
		parts = append(parts, h)
	}
	for _, h := range l.state.parts {
		switch {
		case isInput(h):
			_ = h.release()
		case h.memory:
			parts = append(parts, h)
		}
	}
	l.state.parts = parts
	return nil
}

// replaced returns the parts on the disk with merged, if it is not nil, in the place of the inputs. The caller holds
// l.mu.
func (l *Live) replaced(isInput func(h *held) bool, merged *held) (parts []*held) {
	for _, h := range l.state.parts {
		switch {
		case isInput(h):
			if merged != nil {
				parts = append(parts, merged)
				merged = nil
			}
		case !h.memory:
			parts = append(parts, h)
		}
	}
	return parts
}

// deleteSince deletes from merged the documents that were deleted from inputs since they were taken.
func deleteSince(inputs []input, merged *held) error {
	start := uint32(0)
	for _, in := range inputs {
		live := uint32(in.shown.Documents())
		if now := in.deleted(); now.Count() > in.shown.Deleted().Count() {
			for number := range live {
				if !now.Has(in.shown.Deleted().At(number)) {
					continue
				}
				if merged.gone == nil {
					merged.gone = segment.NewDeleted(merged.Stored())
				}
				if _, err := merged.file.whole.Delete(merged.gone, start+number); err != nil {
					return err
				}
			}
		}
		start += live
	}
	return nil
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
	return errors.Join(err, l.state.release(), l.w.Close())
}

// takeLogs makes a segment of the logs that a Live has left.
func (w *Writer) takeLogs() error {
	l, err := newLive(w, LiveOptions{WriterOptions: w.o})
	if err == nil {
		err = errors.Join(l.flush(false), l.state.release())
	}
	return err
}
