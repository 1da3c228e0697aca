package dedup

import (
	"fmt"

	"simsearch/internal/terminal"
)

// A Mode says what becomes of documents that are near others. Its JSON form is a string.
type Mode string

// The modes.
const (
	Removing  Mode = ""         // they are removed
	Marking   Mode = "annotate" // they stay, with fields that say so
	Rehearsal Mode = "dry-run"  // nothing is written of documents
)

// mode returns what becomes of documents.
func (o *Options) mode() Mode {
	switch {
	case o.Annotate:
		return Marking
	case o.DryRun:
		return Rehearsal
	}
	return Removing
}

// done returns what is said of documents, and of other things, that a verb is about: "removed", or "would be removed".
// Of those that are marked, it returns "marked".
func (m Mode) done(verb string) string {
	switch m {
	case Marking:
		return "marked"
	case Rehearsal:
		return "would be " + verb
	}
	return verb
}

// loses returns the verb for files.
func (m Mode) loses() string {
	if m == Removing {
		return "loses"
	}
	return "would lose"
}

// Summary returns what was removed, on one line.
func (r *Result) Summary() string {
	contained := ""
	if r.withContained {
		contained = fmt.Sprintf(", %d inside it", r.Contained)
	}
	stay := fmt.Sprintf("%d kept", r.Documents-r.Removed)
	switch r.Mode {
	case Marking:
		stay = "all stay"
	case Rehearsal:
		stay = fmt.Sprintf("%d would be kept", r.Documents-r.Removed)
	}
	return fmt.Sprintf("%d of %s %s: %d with the text of the kept one, %d near it%s; %s",
		r.Removed, terminal.Plural(r.Documents, "document"), r.Mode.done("removed"), r.Exact, r.Removed-r.Exact-r.Contained, contained, stay)
}
