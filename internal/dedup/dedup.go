// Package dedup removes near duplicates from a collection of files. The files are written again without the
// documents that are near another one, which is kept in their place.
//
//	c, err := dedup.Read(ctx, nil, []string{crawl}, dedup.Options{Settings: dedup.DefaultSettings(), Threshold: 0.8, Threads: 2})
//	defer func() { _ = c.Close() }()
//	d, err := c.Decide(ctx)
//	err = d.Write(ctx, clean)
//
// Read reads all documents once and remembers a set of features of each. Decide finds the near ones, without a
// miss, and decides which are kept. Write reads the files again and writes what is kept. With Options.State, the same
// run goes on after it was interrupted. Again and Replay begin with what another run has left.
package dedup

import "simsearch/internal/join"

// distanceOf returns the distance that a similarity stands for, or nil if near goes by the similarity of sets.
func distanceOf(o *Options, similarity float64) *int {
	if !o.byDistance() {
		return nil
	}
	distance := join.DistanceAt(similarity)
	return &distance
}

// A Mode says what becomes of documents that are near others. Its JSON form is a string.
type Mode string

// The modes.
const (
	Removing  Mode = ""         // they are removed
	Marking   Mode = "annotate" // they stay, with fields that say so
	Rehearsal Mode = "dry-run"  // nothing is written of documents
)

// mode returns what becomes of documents.
func mode(o *Options) Mode {
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
