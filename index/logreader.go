package index

import (
	"context"
	"path/filepath"

	"simsearch/internal/disk"
	"simsearch/internal/segment"
	"simsearch/internal/store"
	"simsearch/internal/wal"
)

// A logReader reads the changes of a log as they come.
type logReader struct {
	ref  store.LogRef
	path string
	log  *wal.Reader
}

func newLogReader(fsys disk.FS, dir string, ref store.LogRef) *logReader {
	path := filepath.Join(dir, ref.Name)
	return &logReader{ref, path, wal.NewReader(fsys, path, ref.Identity)}
}

// apply applies to s the changes that have come since the last call.
func (r *logReader) apply(ctx context.Context, s *state) error {
	_, err := r.log.Read(func(payload []byte) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b, err := segment.DecodeBatch(r.path, payload, s.layout)
		if err != nil {
			return err
		}
		return s.apply(ctx, b, nil)
	})
	return err
}
