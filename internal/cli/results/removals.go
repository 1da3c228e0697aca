package results

import (
	"errors"
	"fmt"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/terminal"
)

// A Done is what dedup has done: in a line for people, or as the columns of an object.
type Done struct {
	Summary  string
	Columns  []terminal.Column
	Bad      int // documents that cannot be read
	Warnings []string
	*dedup.Files
}

// mostDamaged is how many damaged files are told of one by one.
const mostDamaged = 20

// Removed tells of documents that were removed. So many were bad, as far as this run has read them.
func Removed(r *dedup.Report, bad int) Done {
	d := Done{r.Summary(), ofMode(r.Mode), max(bad, r.Bad), r.Warnings, &r.Files}
	d.Columns = append(d.Columns, terminal.Keyed("documents", r.Documents, "kept", r.Kept, "removed", r.Removed,
		"exact", r.Exact, "words", r.Words, "near", r.Near, "differs", r.Differs, "contained", r.Contained,
		"would_lose", r.WouldLose, "empty", r.Empty,
		"bytes", r.Bytes, "kept_bytes", r.KeptBytes, "groups", r.Groups, "largest_group", r.LargestGroup)...)
	if r.Review != nil {
		d.Summary += "; " + r.Review.String()
		d.Columns = append(d.Columns, col("review", r.Review))
	}
	return d
}

// Cut is Removed for parts that were cut.
func Cut(r *dedup.Cuts, bad int) Done {
	return Done{r.Summary(), append(ofMode(r.Mode), terminal.Keyed("by", r.By, "documents", r.Documents, "changed", r.Changed,
		"removed", r.Removed, "parts", r.Parts, "short", r.Short, "cut", r.Exact+r.Near, "exact", r.Exact, "near", r.Near,
		"bytes", r.Bytes, "cut_bytes", r.CutBytes)...), max(bad, r.Bad), r.Warnings, &r.Files}
}

// Replayed is Removed for documents that a list has removed.
func Replayed(r *dedup.Replayed) Done {
	return Done{fmt.Sprintf("%s of %s removed; %s kept", terminal.Thousands(r.Removed), terminal.Plural(r.Documents, "document"), terminal.Thousands(r.Kept)),
		terminal.Keyed("documents", r.Documents, "kept", r.Kept, "removed", r.Removed), r.Bad, r.Warnings, &r.Files}
}

// ofMode returns the column of a mode, if documents are not removed.
func ofMode(m string) []terminal.Column {
	return with(nil, m != dedup.Removing, "mode", m)
}

// Object returns all columns. out is the directory of the result.
func (d *Done) Object(out string) []terminal.Column {
	return append(d.Columns, terminal.Keyed("bad", d.Bad, "files", d.Input, "files_kept", d.Kept, "files_removed", d.Removed,
		"files_left_out", d.LeftOut, "files_damaged", d.Damaged, "files_unread", len(d.Unread),
		"warnings", append([]string{}, d.Warnings...), "out", terminal.ID(out))...)
}

// Lines returns what is wrong, a line each: documents that cannot be read, beside those that were told of one by one;
// files that are in no output, unless all is quiet about what binary says is right; and warnings. out is the directory
// of the result.
func (d *Done) Lines(told int, out string, quiet, binary bool) (lines []string) {
	add := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	list := terminal.If(out != "", ": %s names each", terminal.Plain(objects.Join(out, run.LeftOutName)))
	switch { // an earlier run has told of those that it has read
	case d.Bad > told && told > 0:
		add("%s cannot be read", terminal.Plural(d.Bad-told, "more record"))
	case d.Bad > 0 && told == 0:
		add("%s cannot be read", terminal.Plural(d.Bad, "record"))
	}
	for i, l := range d.AllDamaged {
		if i == mostDamaged {
			add("%s damaged, too", terminal.Plural(d.Damaged-i, "more file"))
			break
		}
		add("%s is damaged: %s", terminal.Plain(l.Path), terminal.Plain(l.Why.Error()))
	}
	unread := func(files []corpus.LeftOut, what string) {
		if n := len(files); n > 0 && !quiet {
			add("%s of %s, such as %s%s", terminal.Plural(n, "file"), what, terminal.Plain(files[0].Path), list)
		}
	}
	unread(d.Unread[:d.Copied], "the input could not be compared, and kept as before")
	unread(d.Unread[d.Copied:], "the reference could not be compared")
	if n := d.LeftOut; n > 0 && (!binary || !quiet) {
		first := d.AllLeftOut[0]
		hint := terminal.If(errors.Is(first.Why, corpus.ErrPicture), "; --format image reads pictures") +
			terminal.If(!binary, "; --skip binary says that this is right")
		add("%s of %s left out, such as %s (%s)%s%s",
			terminal.Thousands(n), terminal.Plural(d.Input, "file"), terminal.Plain(first.Path), terminal.Plain(first.Why.Error()), list, hint)
	}
	return append(lines, d.Warnings...)
}
