// Package dedup removes near duplicates from a collection of files. The files are written again without the
// documents that are near another one, which is kept in their place.
//
//	c, err := dedup.Read(ctx, nil, []string{crawl}, dedup.Options{Options: run.Options{Threads: 2}, Settings: dedup.DefaultSettings(), Threshold: 0.8})
//	defer func() { _ = c.Close() }()
//	d, err := dedup.Decide(ctx, c)
//	err = d.Write(ctx, clean)
//
// Read reads all documents once, and keeps what decisions need of them: ids, lengths, and a set of features of each
// document or part of one. With Options.State, the same run goes on after it was interrupted, and after From it
// begins with what another run has left. Decide finds the near ones, without a miss, and decides which are kept.
// Write reads the files again and writes what is kept. Replay begins with a list that another run has left.
package dedup

import (
	"simsearch/internal/match/join"
)

// distanceOf returns the distance that a similarity stands for, or nil if near goes by the similarity of sets.
func distanceOf(o *Options, similarity float64) *int {
	if !o.ByDistance() {
		return nil
	}
	distance := join.DistanceAt(similarity, o.Settings.Bits)
	return &distance
}

// The modes of a report say what becomes of documents that are near others.
const (
	Removing  = ""         // they are removed
	marking   = "annotate" // they stay, with fields that say so
	rehearsal = "dry-run"  // nothing is written of documents
)

// mode returns what becomes of documents.
func mode(o *Options) string {
	switch {
	case o.Annotate:
		return marking
	case o.DryRun:
		return rehearsal
	}
	return Removing
}

// done returns what is said of documents, and of other things, that a verb is about: "removed", or "would be removed".
// Of those that are marked, it returns "marked".
func done(mode, verb string) string {
	switch mode {
	case marking:
		return "marked"
	case rehearsal:
		return "would be " + verb
	}
	return verb
}

// loses returns the verb for files.
func loses(mode string) string {
	if mode == Removing {
		return "loses"
	}
	return "would lose"
}
