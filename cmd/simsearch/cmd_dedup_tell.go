package main

import (
	"fmt"
	"path/filepath"

	"simsearch/dedup"
	"simsearch/internal/options"
	"simsearch/internal/terminal"
)

// A teller of removals tells what dedup has done: as a line for people, or as an object on standard output.
type removals struct {
	env     *environment
	common  options.Common
	out     string // the directory, or "" for standard output
	bad     int    // documents that cannot be read, as far as this run has read them
	skipBad bool
	// skipBinary says that files that are no texts may be left out.
	skipBinary bool
}

// tell prints what was done: columns as JSON, or else the summary. bad is how many documents cannot be read.
func (t *removals) tell(bad int, files *dedup.Files, warnings []string, summary string, columns []column) error {
	t.tellBad(bad)
	t.tellLeftOut(files)
	for _, warning := range warnings {
		fmt.Fprintln(t.env.stderr, "simsearch: "+warning)
	}
	if t.common.JSON {
		if warnings == nil {
			warnings = []string{}
		}
		columns = append(columns, col("bad", bad),
			col("files", files.Input), col("files_kept", files.Kept), col("files_removed", files.Removed), col("files_left_out", len(files.LeftOut)), col("files_damaged", len(files.Damaged)), col("warnings", warnings), name("out", t.out))
		if err := t.env.newRows(true).Print(columns...); err != nil {
			return err
		}
	} else if !t.common.Quiet {
		fmt.Fprintln(t.env.stderr, "simsearch: "+summary)
	}
	if (bad > 0 || len(files.Damaged) > 0) && !t.skipBad || len(files.LeftOut) > files.Unreadable() && !t.skipBinary {
		return errReported
	}
	return nil
}

// tellLeftOut says which files are in no output.
func (t *removals) tellLeftOut(files *dedup.Files) {
	for i, l := range files.Damaged {
		if i == mostTold {
			fmt.Fprintf(t.env.stderr, "simsearch: %s damaged, too\n", terminal.Plural(len(files.Damaged)-i, "more file"))
			break
		}
		fmt.Fprintf(t.env.stderr, "simsearch: %s is damaged: %s\n", terminal.Plain(l.Path), terminal.Plain(l.Why.Error()))
	}
	n := len(files.LeftOut)
	if n == 0 || t.skipBinary && t.common.Quiet {
		return
	}
	first := files.LeftOut[0]
	fmt.Fprintf(t.env.stderr, "simsearch: %s of %s left out, such as %s (%s): %s names each; --skip-binary says that this is right\n",
		terminal.Thousands(n), terminal.Plural(files.Input, "file"), terminal.Plain(first.Path), terminal.Plain(first.Why.Error()), terminal.Plain(filepath.Join(t.out, dedup.LeftOutName)))
}

// tellBad says how many records cannot be read, of which some were told of one by one. Those that an earlier run has
// read were told of then.
func (t *removals) tellBad(bad int) {
	switch told := min(t.bad, mostTold); {
	case bad > told && told > 0:
		fmt.Fprintf(t.env.stderr, "simsearch: %s cannot be read\n", terminal.Plural(bad-told, "more record"))
	case bad > 0 && told == 0:
		fmt.Fprintf(t.env.stderr, "simsearch: %s cannot be read\n", terminal.Plural(bad, "record"))
	}
}

// removed tells of documents that were removed.
func (t *removals) removed(r dedup.Result) error {
	return t.tell(max(t.bad, r.Bad), &r.Files, r.Warnings(), r.Summary(), withMode(r.Mode, []column{
		col("documents", r.Documents), col("kept", r.Documents-r.Removed), col("removed", r.Removed),
		col("exact", r.Exact), col("near", r.Removed-r.Exact), col("contained", r.Contained), col("empty", r.Empty),
		col("bytes", r.Bytes), col("kept_bytes", r.KeptBytes), col("groups", r.Groups), col("largest_group", r.Largest),
	}))
}

// cut tells of parts that were cut.
func (t *removals) cut(r *dedup.CutResult) error {
	return t.tell(max(t.bad, r.Bad), &r.Files, r.Warnings(), r.Summary(), withMode(r.Mode, []column{
		col("by", r.By.String()), col("documents", r.Documents), col("changed", r.Changed), col("removed", r.Removed),
		col("parts", r.Parts), col("short", r.Short), col("cut", r.Exact+r.Near), col("exact", r.Exact), col("near", r.Near),
		col("bytes", r.Bytes), col("cut_bytes", r.CutBytes),
	}))
}

// replayed tells of documents that a list has removed.
func (t *removals) replayed(r dedup.Replayed) error {
	kept := r.Documents - r.Removed
	summary := fmt.Sprintf("%s of %s removed; %s kept", terminal.Thousands(r.Removed), terminal.Plural(r.Documents, "document"), terminal.Thousands(kept))
	return t.tell(r.Bad, &r.Files, r.Warnings, summary, []column{col("documents", r.Documents), col("kept", kept), col("removed", r.Removed)})
}

// withMode returns columns with the mode, if documents are not removed, before them.
func withMode(m dedup.Mode, columns []column) []column {
	if m == dedup.Removing {
		return columns
	}
	return append([]column{col("mode", m)}, columns...)
}
