package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/options"
	"simsearch/internal/terminal"
)

func repairCommand(env *environment) *cli.Command {
	c := new(options.Flags)
	return &cli.Command{
		Name:  "repair",
		Usage: "make a damaged index sound again, and list what is lost",
		Description: `Keeps every document that can be read, and makes the rest of a damaged file anew: tables, groups, postings, the order of ids.
What cannot be read of fingerprints and sets is made from kept texts. Of a damaged log, the records that are whole
are kept. Prints what is lost, one line each. Nothing is removed: damaged files are moved to the directory aside
in the index. A sound index is left as it is. What is in MANIFEST alone, such as the settings, cannot be repaired.

If it is lost which documents were deleted, repair changes nothing, unless --revive or --drop says what to do.`,
		Flags: slices.Concat([]cli.Flag{
			c.IndexFlag(),
			c.DryRun.As("dry-run", "say what would be done and lost, and change nothing"),
			c.Revive.As("revive", "keep documents of which it is lost whether they were deleted; those that were come back"),
			c.Drop.As("drop", "leave out documents of which it is lost whether they were deleted"),
		}, c.CommonFlags()),
		Action: env.action(c, runRepair),
	}
}

func runRepair(env *environment, c *options.Flags) error {
	dir := c.Index.Value
	ro := index.RepairOptions{DryRun: c.DryRun.Value, Revive: c.Revive.Value, Drop: c.Drop.Value, Threads: c.Common.Threads}
	if ro.Revive && ro.Drop {
		return errors.New("--revive and --drop exclude each other")
	}
	losses := 0
	var printed error
	ro.Lost = func(l index.Loss) {
		if losses++; printed == nil {
			printed = env.printLoss(c, l)
		}
	}
	r, err := index.Repair(c.Context, dir, ro)
	if err = errors.Join(err, printed); err != nil {
		return err
	}
	if c.Common.JSON {
		return env.printObject(struct {
			V       int            `json:"v"`
			DryRun  bool           `json:"dry_run"`
			Damages []index.Damage `json:"damages"`
			Losses  int            `json:"losses"`
			Aside   []string       `json:"aside"`
			Written []string       `json:"written"`
		}{1, ro.DryRun, slices.Concat([]index.Damage{}, r.Damages), losses, slices.Concat([]string{}, r.Aside), slices.Concat([]string{}, r.Written)})
	}
	if !c.Common.Quiet {
		env.tellRepaired(dir, ro.DryRun, r, losses)
	}
	return nil
}

// tellRepaired says what repair has done, or would do.
func (env *environment) tellRepaired(dir string, dry bool, r *index.Repaired, losses int) {
	if len(r.Damages) == 0 && len(r.Aside) == 0 {
		fmt.Fprintln(env.stderr, "sound: nothing to repair")
		return
	}
	moved := "moved to"
	if dry {
		moved = "would be moved to"
	}
	for _, name := range r.Aside {
		fmt.Fprintf(env.stderr, "simsearch: %s: %s %s\n", filepath.Join(dir, name), moved, filepath.Join(dir, index.AsideName))
	}
	done := "repaired"
	if dry {
		done = "a dry run"
	}
	fmt.Fprintf(env.stderr, "%s: %s, %s\n", done, terminal.Plural(len(r.Damages), "damage"), terminal.Plural(losses, "line")+" of what is lost")
}

// printLoss prints a loss.
func (env *environment) printLoss(c *options.Flags, l index.Loss) error {
	if c.Common.JSON {
		return env.printObject(l)
	}
	return env.newList(false).Print(col("what", l.What), col("count", l.Count), name("id", l.ID), col("file", l.File), col("reason", l.Reason))
}
