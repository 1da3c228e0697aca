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
		contained = ", " + terminal.Thousands(r.Contained) + " inside it"
	}
	equal := "text"
	switch {
	case r.pictures:
		equal = "file"
	case r.Bytes == 0 && r.Documents > 0:
		equal = "fingerprint"
	}
	stay := terminal.Thousands(r.Documents-r.Removed) + " kept"
	switch r.Mode {
	case Marking:
		stay = "all stay"
	case Rehearsal:
		stay = terminal.Thousands(r.Documents-r.Removed) + " would be kept"
	}
	if r.Empty > 0 && r.ofWords {
		stay += fmt.Sprintf(", %s of them without a fingerprint, since they have no words but stop words", terminal.Thousands(r.Empty))
	}
	return fmt.Sprintf("%s of %s %s: %s with the %s of the kept one, %s near it%s; %s",
		terminal.Thousands(r.Removed), terminal.Plural(r.Documents, "document"), r.Mode.done("removed"), terminal.Thousands(r.Exact), equal, terminal.Thousands(r.Removed-r.Exact-r.Contained), contained, stay)
}
