package results

import (
	"fmt"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/review"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
)

// A Removals tells what dedup has done: as a line for people, or as an object. Its methods report whether everything was read and is in
// the output, as far as the flags ask for it.
type Removals struct {
	Warn, Tell func(format string, values ...any) // Tell says nothing with --quiet
	Rows       *terminal.Rows                     // with --json, else nil
	Out        string                             // the directory, or ""
	Bad        int                                // documents that were told of as bad one by one
	// SkipBad, SkipBinary and Quiet are the flags.
	SkipBad, SkipBinary, Quiet bool
}

// MostBad is how many bad documents are told of one by one.
const MostBad = 20

// ReviewColumn returns what marks say as a column, or none if there are no marks.
func ReviewColumn(r *review.Result) []terminal.Column {
	if r == nil {
		return nil
	}
	return []terminal.Column{col("review", r)}
}

// print prints what was done: columns as JSON, or else the summary. bad is how many documents cannot be read. sound reports whether
// everything was read and is in the output, as far as the flags ask for it.
func (d *Removals) print(bad int, files *dedup.Files, warnings []string, summary string, columns []terminal.Column) (sound bool, err error) {
	d.tellBad(bad)
	d.tellLeftOut(files)
	for _, warning := range warnings {
		d.Warn("%s", warning)
	}
	if d.Rows != nil {
		if warnings == nil {
			warnings = []string{}
		}
		columns = append(columns, col("bad", bad),
			col("files", files.Input), col("files_kept", files.Kept), col("files_removed", files.Removed), col("files_left_out", len(files.LeftOut)), col("files_damaged", len(files.Damaged)), col("files_unread", len(files.Unread)),
			col("warnings", warnings), col("out", terminal.ID(d.Out)))
		if err := d.Rows.Print(columns...); err != nil {
			return false, err
		}
	} else {
		d.Tell("%s", summary)
	}
	sound = (bad == 0 && len(files.Damaged) == 0 || d.SkipBad) && (len(files.LeftOut) <= files.Unreadable() || d.SkipBinary)
	return sound, nil
}

// tellLeftOut says which files are in no output.
func (d *Removals) tellLeftOut(files *dedup.Files) {
	for i, l := range files.Damaged {
		if i == MostBad {
			d.Warn("%s damaged, too", terminal.Plural(len(files.Damaged)-i, "more file"))
			break
		}
		d.Warn("%s is damaged: %s", terminal.Plain(l.Path), terminal.Plain(l.Why.Error()))
	}
	d.tellUnread(files.Unread[:files.Copied], "the input could not be compared, and kept as before")
	d.tellUnread(files.Unread[files.Copied:], "the reference could not be compared")
	n := len(files.LeftOut)
	if n == 0 || d.SkipBinary && d.Quiet {
		return
	}
	first := files.LeftOut[0]
	d.Warn("%s of %s left out, such as %s (%s): %s names each; --skip binary says that this is right",
		terminal.Thousands(n), terminal.Plural(files.Input, "file"), terminal.Plain(first.Path), terminal.Plain(first.Why.Error()), terminal.Plain(objects.Join(d.Out, run.LeftOutName)))
}

// tellUnread says which files nothing was compared with.
func (d *Removals) tellUnread(files []corpus.LeftOut, what string) {
	if n := len(files); n > 0 && !d.Quiet {
		d.Warn("%s of %s, such as %s: %s names each", terminal.Plural(n, "file"), what, terminal.Plain(files[0].Path),
			terminal.Plain(objects.Join(d.Out, run.LeftOutName)))
	}
}

// tellBad says how many records cannot be read, of which some were told of one by one. Those that an earlier run has
// read were told of then.
func (d *Removals) tellBad(bad int) {
	switch told := min(d.Bad, MostBad); {
	case bad > told && told > 0:
		d.Warn("%s cannot be read", terminal.Plural(bad-told, "more record"))
	case bad > 0 && told == 0:
		d.Warn("%s cannot be read", terminal.Plural(bad, "record"))
	}
}

// Removed tells of documents that were removed.
func (d *Removals) Removed(r *dedup.Result) (sound bool, err error) {
	summary := r.Summary()
	if r.Review != nil {
		summary += "; " + r.Review.String()
	}
	return d.print(max(d.Bad, r.Bad), &r.Files, r.Warnings, summary, withMode(r.Mode, append([]terminal.Column{
		col("documents", r.Documents), col("kept", r.Kept), col("removed", r.Removed),
		col("exact", r.Exact), col("near", r.Near), col("differs", r.Differs), col("contained", r.Contained), col("empty", r.Empty),
		col("bytes", r.Bytes), col("kept_bytes", r.KeptBytes), col("groups", r.Groups), col("largest_group", r.LargestGroup),
	}, ReviewColumn(r.Review)...)))
}

// Cut tells of parts that were cut.
func (d *Removals) Cut(r *dedup.CutResult) (sound bool, err error) {
	return d.print(max(d.Bad, r.Bad), &r.Files, r.Warnings, r.Summary(), withMode(r.Mode, []terminal.Column{
		col("by", r.By), col("documents", r.Documents), col("changed", r.Changed), col("removed", r.Removed),
		col("parts", r.Parts), col("short", r.Short), col("cut", r.Exact+r.Near), col("exact", r.Exact), col("near", r.Near),
		col("bytes", r.Bytes), col("cut_bytes", r.CutBytes),
	}))
}

// Replayed tells of documents that a list has removed.
func (d *Removals) Replayed(r *dedup.Replayed) (sound bool, err error) {
	summary := fmt.Sprintf("%s of %s removed; %s kept", terminal.Thousands(r.Removed), terminal.Plural(r.Documents, "document"), terminal.Thousands(r.Kept))
	return d.print(r.Bad, &r.Files, r.Warnings, summary, []terminal.Column{col("documents", r.Documents), col("kept", r.Kept), col("removed", r.Removed)})
}

// withMode returns columns with the mode, if documents are not removed, before them.
func withMode(m string, columns []terminal.Column) []terminal.Column {
	if m == dedup.Removing {
		return columns
	}
	return append([]terminal.Column{col("mode", m)}, columns...)
}
