package index

import (
	"fmt"

	"simsearch/analysis"
	"simsearch/document"
)

// A Query is what Near finds the neighbours of. Text, Fingerprint and Set make one.
type Query struct {
	d   document.Document
	set []uint64
	of  kind
}

type kind uint8

const (
	ofText kind = iota
	ofFingerprint
	ofSet
)

// Text is the query for documents near a text, which is analysed as those of the collection were.
// The text is not copied.
func Text(text []byte) Query { return Query{d: document.Document{Text: text}} }

// Fingerprint is the query for documents near a fingerprint.
func Fingerprint(fp uint64) Query {
	return Query{d: document.Document{Fingerprint: fp, HasFingerprint: true}, of: ofFingerprint}
}

// Set is the query for documents near a set of features: their hashes, strictly ascending, as
// analysis.Analysis.Set returns them. The set is not copied.
func Set(set []uint64) Query { return Query{set: set, of: ofSet} }

// Options say what a search finds, and how it works.
type Options struct {
	Predicate
	// Limit is how many matches a query has at most, the nearest; of those that are equally near,
	// the ones whose ids come first. 0 is no limit.
	Limit int
	// Stats, if not nil, has the work of the search added to it.
	Stats *Stats

	// Of NearAll: the number of goroutines, at least one, and the number of documents that are
	// searched for together at most. 0 is DefaultBatch. Many together are fast; one alone is
	// answered at once.
	Threads, Batch int
}

// DefaultBatch is how many documents NearAll searches for together at most, if nothing else is said.
const DefaultBatch = 1 << 14

// An Answer is what a search finds for one query.
type Answer struct {
	ID      []byte  // of the query's document; empty where it has none
	Empty   bool    // the query has no features, and so is near nothing
	Matches []Match // the nearest first; of those equally near, by id
}

// Stats count the work of searches.
type Stats struct {
	Queries    int64 // that have features
	LookUps    int64 // headers or bands looked up
	Compared   int64 // fingerprints or signatures compared with that of the query
	Candidates int64 // sets that bands led to; all sets where bands find too little
	Verified   int64 // sets compared with that of the query
	Scans      int64 // queries that all fingerprints of a segment were compared with
}

// Add adds the counts of other.
func (s *Stats) Add(other Stats) {
	s.Queries += other.Queries
	s.LookUps += other.LookUps
	s.Compared += other.Compared
	s.Candidates += other.Candidates
	s.Verified += other.Verified
	s.Scans += other.Scans
}

// analyse makes of a query what is searched for.
func (q *Query) analyse(a *analysis.Analysis) (r analysis.Result, err error) {
	switch q.of {
	case ofText:
		return a.Analyse(&q.d)
	case ofFingerprint:
		return analysis.Result{Given: true, Fingerprint: q.d.Fingerprint}, nil
	}
	if !a.Settings().Sets() {
		return r, fmt.Errorf("%w: a set of features has no fingerprint", ErrNoSearch)
	}
	r.Set, r.Empty = q.set, len(q.set) == 0
	if !r.Empty {
		r.Signature = a.AppendSignature(nil, new(analysis.Scratch), q.set)
	}
	return r, nil
}
