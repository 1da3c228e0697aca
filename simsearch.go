// Package simsearch finds near-duplicate documents: what is near a text, which documents of a collection are near each
// other, and which are left without near duplicates. It misses no near pair, and verifies each one exactly.
//
//	ix, err := simsearch.Memory()
//	defer ix.Close()
//	err = ix.Add(ctx,
//		simsearch.Document{ID: "hours", Text: "The library opens at nine and closes at noon."},
//		simsearch.Document{ID: "tour", Text: "A walk along the river, with a guide."},
//	)
//	matches, err := ix.Near(ctx, "The library opens at nine, and closes at six.", simsearch.Options{Near: simsearch.Jaccard(0.7)})
//
// Open keeps an index in a directory, and Dedup decides on documents without an index. Zero options are the defaults
// of the command of that name. Two texts are then near if one was made from the other with a probability of 0.6 or
// more, as Copy says. Dedup takes those whose sets of words have a Jaccard similarity of 0.8 or more: the number of
// words that both have, divided by the number that either has.
//
// # Compatibility
//
// The promise is about this package and the packages fingerprint, hamming, minhash, preprocess, tables and eval.
// Packages below internal may change at any time, and so may the few functions of public packages whose parameters
// are of internal types.
//
// Before version 1.0, a new minor version, such as 0.8 after 0.7, may change or remove exported names. CHANGELOG.md
// names each change, and what to write instead. A patch version, such as 0.7.2, changes none.
//
// From version 1.0 on, a program that compiles with a version compiles with all later ones of the same major version,
// if it names the fields of structs that it writes. Structs may get more fields, whose zero values change nothing.
//
// In either case, an index that a version has written can be read by all later ones of the same major version, or is
// refused with ErrVersion. Fingerprints and signatures of a text stay the same as long as preprocess.Version does.
// What is near by a given criterion never changes without a new preprocess.Version. Texts of errors may change: use
// errors.Is.
package simsearch

import (
	"errors"
	"fmt"

	"simsearch/internal/index"
)

// A Document is a text and the id that names it in its collection.
type Document struct {
	// ID is 1 to 65,536 bytes, none of which is zero.
	ID string
	// Text need not be UTF-8; other bytes separate words.
	Text string
	// Fields are values that an index keeps beside the text, by their names, which are among Settings.Fields. nil is
	// none.
	Fields map[string]string
}

// A Criterion says what is near. The zero value stands for what the index was made for, by default Jaccard(0.8).
type Criterion struct{ near index.Predicate }

// Jaccard makes texts near whose sets of features have a similarity of at least t, in (0, 1]. The answer is exact. An
// index finds it fast from the similarity on that it was made for, 0.8, and compares all sets below.
func Jaccard(t float64) Criterion { return Criterion{index.Similar(t)} }

// Hamming makes texts near whose SimHash fingerprints of 64 bits differ in at most k bits, in [0, 64]. The answer is
// exact.
func Hamming(k int) Criterion { return Criterion{index.Within(k)} }

// Contained makes texts near if the longer one has at least the share c, in (0, 1], of the features of the shorter
// one, as a book has of an excerpt. The answer is exact. Long texts have most single words of short ones by chance,
// so that Settings.Features "word:3" suits it. It is for searches of an index; Dedup removes what is contained by
// DedupOptions.Contained.
func Contained(c float64) Criterion { return Criterion{index.Contained.Predicate(c, 0)} }

// Copy makes texts near if one was made from the other with a probability of at least p, in (0, 1], by five measures
// of the pair. Texts are judged that have 45 % of their words in common, and among their first 64 words three in a
// row; or that have 80 % of their words in common. It is for searches of an index that keeps texts.
func Copy(p float64) Criterion { return Criterion{index.Copy.Predicate(p, 0)} }

// check returns an ErrInvalid if the criterion is out of its range.
func (c Criterion) check() error {
	switch p := c.near; {
	case p.Kind == nil:
	case p.Kind == index.Distance && (p.Distance < 0 || p.Distance > 64):
		return fmt.Errorf("%w: a Hamming distance of %d bits: want 0 to 64", ErrInvalid, p.Distance)
	case p.Kind != index.Distance && !(p.Threshold > 0 && p.Threshold <= 1):
		return fmt.Errorf("%w: %s of %v: want more than 0 and at most 1", ErrInvalid, p.Kind.Name, p.Threshold)
	}
	return nil
}

// The errors of opening an index.
var (
	// ErrSettings is returned by Settings.Open if the index in the directory has other settings.
	ErrSettings = index.ErrSettings
	// ErrNotIndex is returned for a directory that has something else in it.
	ErrNotIndex = index.ErrNoIndex
	// ErrLocked is returned while another process, or another Index of this one, has the index open.
	ErrLocked = index.ErrLocked
	// ErrVersion is returned for an index that another version of this module has written, and that this one cannot
	// read.
	ErrVersion = index.ErrVersion
	// ErrCorrupt is returned for an index whose files are damaged, as soon as the damage is met. The message names
	// the file.
	ErrCorrupt = index.ErrCorrupt
)

// The errors of what is asked of an index.
var (
	// ErrInvalid is returned for parameters out of their range, and for ids and fields that the index cannot take.
	// Nothing has changed.
	ErrInvalid = errors.New("invalid")
	// ErrNoSearch is returned for a criterion by which the index cannot be searched, such as Jaccard in an index for
	// a Hamming distance.
	ErrNoSearch = index.ErrNoSearch
	// ErrNotFound is returned if an index has no document of an id.
	ErrNotFound = errors.New("there is no such document")
	// ErrConflict is returned by Add if two documents of a call have one id and other texts. All but the second are
	// added.
	ErrConflict = errors.New("documents with one id and different texts")
	// ErrClosed is returned by the methods of an Index that has been closed.
	ErrClosed = index.ErrClosed
)
