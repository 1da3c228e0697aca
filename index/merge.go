package index

import (
	"context"
)

// Compact merges all segments into one, without the documents that are deleted, or into as few as the memory allows. It does
// nothing if there is one segment and all its documents are live. The errors are those of Commit.
func (w *Writer) Compact(ctx context.Context) error {
	if w.failed != nil {
		return w.failed
	}
	l, err := newLive(ctx, w)
	if err != nil {
		return w.end(err)
	}
	defer func() { _ = l.state.Release() }() // opened for reading: there is nothing to lose
	for from := 0; ; from++ {
		parts := l.state.Parts()[from:]
		if len(parts) == 0 {
			return nil
		}
		n, sum := 0, int64(0)
		for ; n < len(parts); n++ {
			if sum += parts[n].BuildMemory(); n > 0 && sum > w.merging() {
				break
			}
		}
		if n == 1 && parts[0].Ref.Deleted == nil {
			continue
		}
		if err := l.rewrite(parts[:n], false, nil); err != nil {
			return w.end(err)
		}
	}
}

// merging returns how much memory merging segments may take.
func (w *Writer) merging() int64 { return w.o.Memory / 2 }

// mergeAll merges segments until none should be merged.
func (l *Live) mergeAll() error {
	for {
		l.mu.Lock()
		parts := l.state.Mergeable(l.w.merging())
		l.mu.Unlock()
		if len(parts) == 0 {
			return nil
		}
		if err := l.rewrite(parts, false, nil); err != nil {
			return err
		}
	}
}
