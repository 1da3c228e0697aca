package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"

	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/wal"
)

// salvageLog copies the records of a damaged log that are whole to a new log. It returns nil if there are none.
func (r *repairer) salvageLog(ctx context.Context, ref LogRef, names *Names) (*LogRef, error) {
	now := &LogRef{Identity: rand.Uint64() >> 12} // exact in any reader of JSON
	var out *wal.Writer
	records := 0
	path := filepath.Join(r.dir.Path, ref.Name)
	_ = r.like(ref.Name, func(name string) error { // perhaps a sound copy
		copied := filepath.Join(r.dir.Path, name)
		_, err := wal.Read(r.dir.FS, copied, ref.Identity, func([]byte) error { return nil })
		if err == nil {
			path = copied
		}
		return err
	})
	tell := func(damage error, what string) {
		r.o.Lost(Loss{ref.Name, "changes", "", 0, fmt.Sprintf("%v; %s are lost: what they added is missing, and what they deleted or "+
			"replaced may be there", damage, what)})
	}
	lost := func(damage error, bytes int64) { tell(damage, fmt.Sprintf("changes of %d bytes", bytes)) }
	each := func(payload []byte) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := segment.DecodeBatch(path, payload, r.dir.Manifest.Layout()); err != nil {
			lost(err, int64(len(payload)))
			return nil
		}
		records++
		if r.o.DryRun {
			return nil
		}
		if out == nil {
			var err error
			now.Name = names.Take(LogExtension)
			if out, err = wal.Create(r.dir.FS, filepath.Join(r.dir.Path, now.Name), now.Identity, false); err != nil {
				return err
			}
		}
		_, err := out.Append(payload)
		return err
	}
	err := wal.Salvage(r.dir.FS, path, ref.Identity, each, lost)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, section.ErrVersion) {
		tell(err, "all its changes")
		err = nil
	}
	if out != nil {
		err = errors.Join(err, out.Close())
	}
	if records == 0 {
		now = nil
	}
	return now, err
}
