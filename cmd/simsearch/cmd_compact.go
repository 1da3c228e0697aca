package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/terminal"
)

func compactCommand(env *environment) *cli.Command {
	c := new(options.Flags)
	return &cli.Command{
		Name:  "compact",
		Usage: "merge the parts of an index, and give back the space of deleted documents",
		Description: `Writes all documents of an index into one segment, which searches read fastest, and leaves out
those that have been deleted or replaced. Meanwhile the disk holds both. info says when it pays.
If that would take more than --memory, several segments are left.

   simsearch compact --index idx`,
		Flags:  slices.Concat([]cli.Flag{c.IndexFlag()}, c.CommonFlags()),
		Action: env.action(c, runCompact),
	}
}

func runCompact(env *environment, c *options.Flags) error {
	var before, after index.Info
	var how index.WriterOptions
	err := env.withIndex(c, func(ix *index.Snapshot) error {
		before, how = ix.Info(), options.ForIndex(c.Common, ix.Search())
		return nil
	})
	if err != nil {
		return err
	}
	if err := compact(env, c, before, how); err != nil {
		return err
	}
	err = env.withIndex(c, func(ix *index.Snapshot) error {
		after = ix.Info()
		return nil
	})
	if err != nil {
		return err
	}
	if c.Common.JSON {
		return env.newRows(true).Print(col("segments_before", len(before.Segments)), col("segments", len(after.Segments)),
			col("bytes_before", before.Bytes), col("bytes", after.Bytes), col("deleted", before.Deleted-after.Deleted))
	}
	if c.Common.Quiet {
		return nil
	}
	if len(before.Segments) == len(after.Segments) && before.Bytes == after.Bytes {
		fmt.Fprintln(env.stderr, "nothing to do: there is one segment at most, and none of its documents is deleted")
		return nil
	}
	text := fmt.Sprintf("%s merged into %d", terminal.Plural(len(before.Segments), "segment"), len(after.Segments))
	if before.Deleted > 0 {
		text += fmt.Sprintf(", without %s", terminal.Plural(before.Deleted, "deleted document"))
	}
	size := func(n uint64) string { return terminal.Bytes(int64(n)) }
	if before.Bytes >= after.Bytes {
		text += fmt.Sprintf("; %s given back (%s, and it was %s)", size(before.Bytes-after.Bytes), size(after.Bytes), size(before.Bytes))
	} else {
		text += fmt.Sprintf("; %s, and it was %s", size(after.Bytes), size(before.Bytes))
	}
	if len(after.Segments) > 1 {
		text += "; merging more takes more --memory"
	}
	fmt.Fprintln(env.stderr, text)
	return nil
}

// compact merges the segments of the index that before describes.
func compact(env *environment, c *options.Flags, before index.Info, how index.WriterOptions) (err error) {
	meter := terminal.StartMeter(env.stderr, c.Common.Progress, "compacting", func() (int64, int64) { return 0, int64(before.Bytes) })
	defer meter.Stop()
	how.Phase = meter.Phase
	w, err := index.OpenWriter(c.Index.Value, before.Settings, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return w.Compact(c.Context)
}
