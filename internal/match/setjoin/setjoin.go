// Package setjoin finds all pairs of sets whose Jaccard similarity is at least a threshold, and divides sets into
// stars by it, without a miss. The sets are those of package prefix, which says why first features suffice.
//
//	sets, err := prefix.Collect(ctx, source, prefix.Options{})
//	err = setjoin.Pairs(ctx, sets, 0.8, setjoin.Options{Threads: 2}, yield)
//
// Pairs lists the sets that have each first feature, and compares sketches of those of one list (group.go). The
// rarest features come first, and leave the sketches when the pairs that share them are found (joinpasses.go). So
// sketches tell most where lists are long. Keyed lists the sets that have a key of another kind in common (keyed.go).
// NearPairs leaves out pairs of sets in crowds where near pairs are very many (listing.go). Rows finds what is near
// one set (rows.go). Stars looks up what is near centers: in that list, among the sketches of crowds, or by lists of
// contained sets (stars.go). Contained finds pairs by the share of the smaller set that the larger one has
// (contained.go).
package setjoin

import "errors"

// lookEvery is the number of sets between two checks whether the context is done.
const lookEvery = 1 << 10

// defaultMemory is that of Options.Memory.
const defaultMemory = 256 << 20

// errStopped ends a join that has found enough.
var errStopped = errors.New("stopped")
