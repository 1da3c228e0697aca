package steps

import (
	"context"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
)

// Keep writes a share of the files of inputs, o.Share, again without the documents of a list that Components has written: to the
// directory kept of a directory, which it makes. bad is told of files that cannot be written as they should. The error is that of
// dedup.ReplayShare.
func Keep(ctx context.Context, list string, inputs []string, dir string, o dedup.Options, bad func(corpus.LeftOut)) (removed int, err error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	if err := run.Apart(dir, inputs); err != nil {
		return 0, err
	}
	if o.Share.Of == 0 {
		o.Share = corpus.Share{Number: 1, Of: 1}
	}
	if _, err := disk.MkdirAll(o.FS, dir); err != nil {
		return 0, err
	}
	return dedup.ReplayShare(ctx, list, inputs, dir, o, bad)
}
