package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

func infoCommand(t *task) *cli.Command {
	return t.command("info", onIndex(runInfo), []cli.AnyFlag{t.IndexFlag()}, t.CommonFlags())
}

func runInfo(t *task, ix *index.Snapshot) error {
	if t.JSON.Value {
		return t.printObject(struct {
			V int `json:"v"`
			index.Info
		}{1, ix.Info()})
	}
	return results.PrintInfo(t.stdout, ix)
}

func verifyCommand(t *task) *cli.Command {
	return t.command("verify", runVerify, []cli.AnyFlag{t.IndexFlag()}, t.CommonFlags())
}

func runVerify(t *task) error {
	e, err := index.Verify(t.Context, t.Index.Value)
	if err != nil {
		return err
	}
	left, err := index.Leftovers(t.Index.Value)
	for _, f := range left {
		if f.Reserved {
			t.tell("%s: left by an interrupted run, or being written; the next run removes it", filepath.Join(t.Index.Value, f.Name))
		}
	}
	if err != nil {
		return err
	}
	if len(e.Damages) > 0 {
		return t.printDamages(e.Damages)
	}
	if t.JSON.Value {
		return t.rows().Print(col("ok", true), col("documents", e.Documents), col("bytes", e.Bytes))
	}
	t.say("sound: %s, %d bytes", terminal.Plural(e.Documents, "document"), e.Bytes)
	return nil
}

// printDamages prints damage of an index, and returns the error of it.
func (t *task) printDamages(damages []index.Damage) error {
	for _, d := range damages {
		if t.JSON.Value {
			if err := t.printObject(struct {
				OK bool `json:"ok"`
				index.Damage
			}{false, d}); err != nil {
				return err
			}
			continue
		}
		t.warn("%s", results.DamageLine(t.Index.Value, d))
	}
	return fmt.Errorf("%w: %s in %s", index.ErrCorrupt, terminal.Plural(len(damages), "damage"), t.Index.Value)
}

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
		return t.printObject(results.RepairedObject(r, ro.DryRun, losses))
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

func compactCommand(t *task) *cli.Command {
	return t.command("compact", runCompact, []cli.AnyFlag{t.IndexFlag()}, t.CommonFlags())
}

func runCompact(t *task) error {
	var before, after index.Info
	var how index.WriterOptions
	err := t.withIndex(func(ix *index.Snapshot) error {
		before, how = ix.Info(), t.ForIndex(ix.Search())
		return nil
	})
	if err == nil {
		err = compact(t, before, how)
	}
	if err == nil {
		err = t.withIndex(func(ix *index.Snapshot) error {
			after = ix.Info()
			return nil
		})
	}
	switch {
	case err != nil:
		return err
	case t.JSON.Value:
		return t.rows().Print(col("segments_before", len(before.Segments)), col("segments", len(after.Segments)),
			col("bytes_before", before.Bytes), col("bytes", after.Bytes), col("deleted", before.Deleted-after.Deleted))
	case len(before.Segments) == len(after.Segments) && before.Bytes == after.Bytes:
		t.say("nothing to do: there is one segment at most, and none of its documents is deleted")
		return nil
	}
	t.say("%s", results.Compacted(before, after))
	return nil
}

// compact merges the segments of the index that before describes.
func compact(t *task, before index.Info, how index.WriterOptions) (err error) {
	meter := t.startMeter("compacting", func() (int64, int64) { return 0, int64(before.Bytes) })
	defer meter.Stop()
	how.Phase = meter.Phase
	w, err := index.OpenWriter(t.Index.Value, before.Settings, how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return w.Compact(t.Context)
}

func exportCommand(t *task) *cli.Command {
	return t.command("export", onIndex(runExport), []cli.AnyFlag{
		t.IndexFlag(),
		t.As.As("as", "what to write, `KIND`: "+strings.Join(results.ExportKinds, ", ")).In(cli.OutputGroup),
	}, t.CommonFlags())
}

func runExport(t *task, ix *index.Snapshot) error {
	as := t.As.Value
	if err := results.CheckExport(ix, as, t.JSON.Value); err != nil {
		return err
	}
	if err := ix.VerifyChecksums(); err != nil {
		return err
	}
	if as == "sql" {
		how := index.PairOptions{Threads: t.Threads.Value, PairsInMemory: index.PairsInMemory(t.Memory.Value, ix.Len())}
		return results.PrintSQL(t.Context, ix, how, t.stdout)
	}
	out, empty := t.list(), 0
	isList, err := as == "fingerprints" || as == "signatures", error(nil)
	if isList {
		empty, err = results.PrintList(t.Context, ix, out, as == "signatures")
	} else {
		empty, err = results.PrintBinary(t.Context, ix, t.stdout, "."+as)
	}
	if err != nil {
		return err
	}
	if empty > 0 {
		t.tell("%s without features left out", terminal.Plural(empty, "document"))
	}
	if !isList && empty < ix.Len() {
		return nil
	}
	return end(out)
}

func deleteCommand(t *task) *cli.Command {
	return t.command("delete", runDelete, []cli.AnyFlag{
		t.IndexFlag(),
		t.FilesFrom.As("files-from", "delete the documents whose ids `FILE` has, too, one a line; - is standard input").In(cli.SearchedGroup),
		t.DryRun.As("dry-run", "delete nothing, and print the ids of the documents that would be deleted"),
	}, t.WhereFlags(), t.CommonFlags())
}

func runDelete(t *task) (err error) {
	d := deletion{task: t, seen: map[string]bool{}}
	err = t.withIndex(func(ix *index.Snapshot) error {
		d.settings, d.how = ix.Settings(), d.ForIndex(ix.Search())
		return d.choose(ix)
	})
	if err != nil {
		return err
	}
	if t.DryRun.Value {
		return d.print()
	}
	if len(d.ids) > 0 {
		if err := d.run(); err != nil {
			return err
		}
	}
	return d.report()
}

// A deletion is the documents that a command deletes.
type deletion struct {
	*task
	settings analysis.Settings
	how      index.WriterOptions
	ids      [][]byte // of documents of the index, without repetitions
	absent   int      // ids that the index does not have
	deleted  int
	seen     map[string]bool // ids
}

// choose finds the documents that the command line means.
func (d *deletion) choose(ix *index.Snapshot) error {
	where, err := d.Wheres(ix)
	if err != nil {
		return err
	}
	byID := d.HasInputs()
	switch {
	case byID && len(where) > 0:
		return errors.New("delete takes ids, or conditions such as --where, and not both")
	case len(where) > 0:
		docs, err := ix.Select(where)
		for _, doc := range docs {
			var id []byte
			if err == nil {
				id, err = ix.ID(doc)
			}
			d.ids = append(d.ids, bytes.Clone(id))
		}
		return err
	case !byID:
		return errors.New("which documents? name their ids, a list of them with --files-from FILE, or conditions such as --where FIELD=VALUE")
	}
	for _, id := range d.Args {
		if err := d.add(ix, []byte(id)); err != nil {
			return err
		}
	}
	for _, list := range d.FilesFrom.Value {
		if err := intake.IDs(d.Context, list, d.stdin, func(id []byte) error { return d.add(ix, id) }); err != nil {
			return err
		}
	}
	return nil
}

// add adds the document with an id, which is as it was printed.
func (d *deletion) add(ix *index.Snapshot, printed []byte) error {
	doc, ok, err := results.Find(ix, printed)
	id := bytes.Clone(printed)
	if ok {
		id, err = ix.ID(doc)
	}
	if err != nil || d.seen[string(id)] {
		return err
	}
	d.seen[string(id)] = true
	if ok {
		d.ids = append(d.ids, bytes.Clone(id))
		return nil
	}
	const most = 20
	if d.absent++; d.absent <= most {
		d.tell("the index has no document %s", terminal.Plain(string(id)))
	} else if d.absent == most+1 {
		d.tell("more ids of no document follow; they are only counted")
	}
	return nil
}

// run deletes the documents.
func (d *deletion) run() (err error) {
	w, err := index.OpenWriter(d.Index.Value, d.settings, d.how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, id := range d.ids {
		if err := w.Delete(id); err != nil {
			return err
		}
	}
	r, err := w.Commit(d.Context)
	d.deleted = r.Deleted
	return err
}

// print prints the ids.
func (d *deletion) print() error {
	out := d.list()
	for _, id := range d.ids {
		if err := out.Print(name("id", string(id))); err != nil {
			return err
		}
	}
	d.say("would delete %s%s", terminal.Plural(len(d.ids), "document"), d.aboutAbsent())
	return end(out)
}

// report says what was deleted.
func (d *deletion) report() error {
	if d.JSON.Value {
		if err := d.rows().Print(col("deleted", d.deleted), col("absent", d.absent)); err != nil {
			return err
		}
	} else {
		d.say("deleted %s%s", terminal.Plural(d.deleted, "document"), d.aboutAbsent())
	}
	if d.deleted == 0 {
		return errNothing
	}
	return nil
}

func (d *deletion) aboutAbsent() string {
	if d.absent == 0 {
		return ""
	}
	return "; the index does not have " + terminal.Plural(d.absent, "id")
}
