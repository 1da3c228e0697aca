package main

import (
	"errors"

	"simsearch/internal/cli/results"
	"simsearch/internal/index"
)

func runCompact(t *task) (err error) {
	var before, after index.Info
	how := index.WriterOptions{}
	of := func(info *index.Info) error {
		return t.withIndex(func(ix *index.Snapshot) error {
			*info, how = ix.Info(), t.ForIndex(ix.Search())
			return nil
		})
	}
	if err := of(&before); err != nil {
		return err
	}
	meter := t.startMeter("compacting", func() (int64, int64) { return 0, int64(before.Bytes) })
	defer meter.Stop()
	how.Phase = meter.Phase
	w, err := index.OpenWriter(t.Index.Value, before.Settings, how)
	if err != nil {
		return err
	}
	if err := errors.Join(w.Compact(t.Context), w.Close()); err != nil {
		return err
	}
	meter.Stop()
	if err := of(&after); err != nil {
		return err
	}
	return t.sum(results.Compacted(before, after),
		col("segments_before", len(before.Segments)), col("segments", len(after.Segments)),
		col("bytes_before", before.Bytes), col("bytes", after.Bytes), col("deleted", before.Deleted-after.Deleted))
}
