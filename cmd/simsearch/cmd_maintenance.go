package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/results"
	"simsearch/internal/terminal"
)

func infoCommand(t *task) *cli.Command {
	return t.command("info", onIndex(runInfo), []cli.Flag{t.IndexFlag()}, t.CommonFlags())
}

func runInfo(t *task, ix *index.Snapshot) error {
	if t.Common.JSON {
		return t.printObject(struct {
			V int `json:"v"`
			index.Info
		}{1, ix.Info()})
	}
	return results.PrintInfo(t.stdout, ix)
}

func verifyCommand(t *task) *cli.Command {
	return t.command("verify", runVerify, []cli.Flag{t.IndexFlag()}, t.CommonFlags())
}

func runVerify(t *task) error {
	e, err := index.Verify(t.Context, t.Index.Value)
	if err != nil {
		return err
	}
	if err := leftovers(t); err != nil {
		return err
	}
	if len(e.Damages) > 0 {
		return t.printDamages(e.Damages)
	}
	if t.Common.JSON {
		return t.rows().Print(col("ok", true), col("documents", e.Documents), col("bytes", e.Bytes))
	}
	if !t.Common.Quiet {
		fmt.Fprintf(t.stderr, "sound: %s, %d bytes\n", terminal.Plural(e.Documents, "document"), e.Bytes)
	}
	return nil
}

// printDamages prints damage of an index, and returns the error of it.
func (t *task) printDamages(damages []index.Damage) error {
	for _, d := range damages {
		if t.Common.JSON {
			if err := t.printObject(struct {
				OK bool `json:"ok"`
				index.Damage
			}{false, d}); err != nil {
				return err
			}
			continue
		}
		where := filepath.Join(t.Index.Value, d.File)
		if d.Section != "" {
			where += ": section " + d.Section
		}
		if d.Offset >= 0 {
			where += fmt.Sprintf(" at offset %d", d.Offset)
		}
		t.warn("%s: %s; %s", where, d.Reason, d.Remedy)
	}
	return fmt.Errorf("%w: %s in %s", index.ErrCorrupt, terminal.Plural(len(damages), "damage"), t.Index.Value)
}

// leftovers lists the files that an interrupted run has left.
func leftovers(t *task) error {
	files, err := index.Leftovers(t.Index.Value)
	for _, f := range files {
		if f.Reserved && !t.Common.Quiet {
			t.warn("%s: left by an interrupted run, or being written; the next run removes it", filepath.Join(t.Index.Value, f.Name))
		}
	}
	return err
}

func repairCommand(t *task) *cli.Command {
	return t.command("repair", runRepair, []cli.Flag{
		t.IndexFlag(),
		t.DryRun.As("dry-run", "say what would be done and lost, and change nothing"),
		t.Revive.As("revive", "keep documents of which it is lost whether they were deleted; those that were come back"),
		t.Drop.As("drop", "leave out documents of which it is lost whether they were deleted"),
	}, t.CommonFlags())
}

func runRepair(t *task) error {
	dir := t.Index.Value
	ro := index.RepairOptions{DryRun: t.DryRun.Value, Revive: t.Revive.Value, Drop: t.Drop.Value, Threads: t.Common.Threads}
	if ro.Revive && ro.Drop {
		return errors.New("--revive and --drop exclude each other")
	}
	losses := 0
	var printed error
	ro.Lost = func(l index.Loss) {
		if losses++; printed == nil {
			printed = t.printLoss(l)
		}
	}
	r, err := index.Repair(t.Context, dir, ro)
	if err = errors.Join(err, printed); err != nil {
		return err
	}
	if t.Common.JSON {
		return t.printObject(struct {
			V       int            `json:"v"`
			DryRun  bool           `json:"dry_run"`
			Damages []index.Damage `json:"damages"`
			Losses  int            `json:"losses"`
			Aside   []string       `json:"aside"`
			Written []string       `json:"written"`
		}{1, ro.DryRun, slices.Concat([]index.Damage{}, r.Damages), losses, slices.Concat([]string{}, r.Aside), slices.Concat([]string{}, r.Written)})
	}
	if !t.Common.Quiet {
		t.tellRepaired(dir, ro.DryRun, r, losses)
	}
	return nil
}

// tellRepaired says what repair has done, or would do.
func (t *task) tellRepaired(dir string, dry bool, r *index.Repaired, losses int) {
	if len(r.Damages) == 0 && len(r.Aside) == 0 {
		fmt.Fprintln(t.stderr, "sound: nothing to repair")
		return
	}
	moved := "moved to"
	if dry {
		moved = "would be moved to"
	}
	for _, name := range r.Aside {
		t.warn("%s: %s %s", filepath.Join(dir, name), moved, filepath.Join(dir, index.AsideName))
	}
	done := "repaired"
	if dry {
		done = "a dry run"
	}
	fmt.Fprintf(t.stderr, "%s: %s, %s\n", done, terminal.Plural(len(r.Damages), "damage"), terminal.Plural(losses, "line")+" of what is lost")
}

// printLoss prints a loss.
func (t *task) printLoss(l index.Loss) error {
	if t.Common.JSON {
		return t.printObject(l)
	}
	return t.list().Print(col("what", l.What), col("count", l.Count), name("id", l.ID), col("file", l.File), col("reason", l.Reason))
}

func compactCommand(t *task) *cli.Command {
	return t.command("compact", runCompact, []cli.Flag{t.IndexFlag()}, t.CommonFlags())
}

func runCompact(t *task) error {
	var before, after index.Info
	var how index.WriterOptions
	err := t.withIndex(func(ix *index.Snapshot) error {
		before, how = ix.Info(), options.ForIndex(t.Common, ix.Search())
		return nil
	})
	if err != nil {
		return err
	}
	if err := compact(t, before, how); err != nil {
		return err
	}
	err = t.withIndex(func(ix *index.Snapshot) error {
		after = ix.Info()
		return nil
	})
	if err != nil {
		return err
	}
	if t.Common.JSON {
		return t.rows().Print(col("segments_before", len(before.Segments)), col("segments", len(after.Segments)),
			col("bytes_before", before.Bytes), col("bytes", after.Bytes), col("deleted", before.Deleted-after.Deleted))
	}
	if t.Common.Quiet {
		return nil
	}
	if len(before.Segments) == len(after.Segments) && before.Bytes == after.Bytes {
		fmt.Fprintln(t.stderr, "nothing to do: there is one segment at most, and none of its documents is deleted")
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
	fmt.Fprintln(t.stderr, text)
	return nil
}

// compact merges the segments of the index that before describes.
func compact(t *task, before index.Info, how index.WriterOptions) (err error) {
	meter := terminal.StartMeter(t.stderr, t.Common.Progress, "compacting", func() (int64, int64) { return 0, int64(before.Bytes) })
	defer meter.Stop()
	how.Phase = meter.Phase
	w, err := index.OpenWriter(t.Index.Value, before.Settings, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return w.Compact(t.Context)
}
