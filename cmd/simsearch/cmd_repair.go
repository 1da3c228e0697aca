package main

import (
	"errors"
	"path/filepath"

	"simsearch/internal/cli"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

func repairCommand(t *task) *cli.Command {
	return t.command("repair", runRepair, []cli.AnyFlag{
		t.IndexFlag(),
		t.DryRun.As("dry-run", "say what would be done and lost, and change nothing"),
		t.Deleted.As("deleted", "do `WHAT` with documents of which it is lost whether they were deleted: keep (those that were come back) or drop").
			By(cli.OneOf("keep or drop", "keep", "drop")),
	}, t.CommonFlags())
}

func runRepair(t *task) error {
	dir := t.Index.Value
	ro := index.RepairOptions{DryRun: t.DryRun.Value, Revive: t.Deleted.Value == "keep", Drop: t.Deleted.Value == "drop", Threads: t.Threads.Value}
	losses := 0
	var printed error
	ro.Lost = func(l index.Loss) {
		if losses++; printed != nil {
			return
		}
		if t.JSON.Value {
			printed = t.printObject(l)
		} else {
			printed = t.list().Print(col("what", l.What), col("count", l.Count), name("id", l.ID), col("file", l.File), col("reason", l.Reason))
		}
	}
	r, err := index.Repair(t.Context, dir, ro)
	if err = errors.Join(err, printed); err != nil {
		return err
	}
	if t.JSON.Value {
		return t.rows().Print(col("dry_run", ro.DryRun), col("damages", append([]index.Damage{}, r.Damages...)),
			col("losses", losses), col("aside", append([]string{}, r.Aside...)),
			col("written", append([]string{}, r.Written...)))
	}
	if len(r.Damages) == 0 && len(r.Aside) == 0 {
		t.say("sound: nothing to repair")
		return nil
	}
	done, moved := "repaired", "moved to"
	if ro.DryRun {
		done, moved = "a dry run", "would be moved to"
	}
	for _, name := range r.Aside {
		t.tell("%s: %s %s", filepath.Join(dir, name), moved, filepath.Join(dir, index.AsideName))
	}
	t.say("%s: %s, %s of what is lost", done, terminal.Plural(len(r.Damages), "damage"), terminal.Plural(losses, "line"))
	return nil
}
