package index

import (
	"fmt"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/internal/gather"
	"simsearch/internal/join"
	"simsearch/internal/segment"
)

// A Query is what Near finds the neighbours of. Text, Fingerprint, Set and Snapshot.Stored return one.
type Query struct {
	text  []byte
	fp    uint64
	hasFP bool
	set   []uint64
	doc   uint32 // of ofStored
	of    origin
}

// An origin is where a query comes from.
type origin uint8

const (
	ofText origin = iota
	ofFingerprint
	ofSet
	ofStored
)

// Text returns the query for documents near text. The text is analysed as the documents of the
// collection were. It is not copied.
func Text(text []byte) Query { return Query{text: text} }

// Fingerprint returns the query for documents near a fingerprint.
func Fingerprint(fp uint64) Query {
	return Query{fp: fp, of: ofFingerprint}
}

// Set returns the query for documents near a set of features. The set is the hashes of the
// features, strictly ascending, as analysis.Analysis.Set returns them. It is not copied.
func Set(set []uint64) Query { return Query{set: set, of: ofSet} }

// Stored returns the query for documents near document doc, doc < Len(), which is one of them. The query
// is valid until Close.
func (ix *Snapshot) Stored(doc uint32) (Query, error) {
	q := Query{of: ofStored, doc: doc}
	err := ix.readDocument(doc, func(s *segment.Segment, local uint32) (err error) {
		if s.Tables() != nil {
			if q.fp, q.hasFP, err = s.Fingerprint(local); err != nil {
				return err
			}
		}
		if s.Sets() == nil {
			return nil
		}
		set, ok, err := s.Sets().Of(local)
		if err == nil && ok {
			q.set, err = s.Sets().AppendSet(nil, set)
		}
		return err
	})
	return q, err
}

// Features returns the number of features of a query that Set or Stored has returned.
func (q Query) Features() int { return len(q.set) }

// Options say what a search finds and how it works.
type Options struct {
	Predicate
	// Limit is the maximum number of matches of a query: the nearest, and of equally near ones
	// those whose ids come first. 0 is no limit.
	Limit int
	// Nearest, if not 0, asks for that many documents, however far they are: the nearest by distance,
	// or the most similar of those that share a feature with the query, as the kind of the predicate
	// says. Of equally near ones those come first whose ids do. The search is exact. The values of
	// the predicate do not matter, and Limit may ask for less.
	Nearest int
	// Stats, if not nil, counts the work of the search in addition to what it has counted before.
	Stats *Stats
	// Where are conditions on kept fields. Only documents that meet all of them are matches.
	Where []Where
	// Sources reads texts again that a search by the cosine compares, if the index keeps sources. nil makes
	// estimates of them.
	Sources SourceReader

	// Threads is the number of goroutines of NearAll, at least one. Batch is the maximum number of
	// documents that NearAll searches for together; 0 is DefaultBatch. A large batch is fast as a
	// whole. A batch of one is answered at once.
	Threads, Batch int
}

// DefaultBatch is the Batch of Options that name none.
const DefaultBatch = 1 << 14

// A Match is a document near a query: its number Document, its ID, which is valid until the index is
// closed, and its Measures.
type Match = gather.Match

// Measures say how near two documents are: their Distance in bits, or NoDistance if one of the two has no fingerprint; their
// Jaccard similarity, in [0, 1], of a search by similarity; and their Cosine, of a search by that, with CosineEstimated
// if it follows from the distance. Compare is their order.
type Measures = join.Measures

// NoDistance is the distance where there is no fingerprint.
const NoDistance = join.NoDistance

// An Answer is what a search finds for one query.
type Answer struct {
	ID      []byte  // the id of the query's document; empty if it has none
	Empty   bool    // the query has no features, and so is near nothing
	Matches []Match // nearest first; equally near ones by id
	// Result is what the search has compared. NearAll alone sets it. It is valid during the call.
	Result *analysis.Result
}

// Stats counts the work of searches.
type Stats = gather.Stats

// analyse returns what a search needs to know of the query.
func (q *Query) analyse(a *analysis.Analysis) (r analysis.Result, err error) {
	switch q.of {
	case ofText:
		return a.Analyse(&document.Document{Text: q.text})
	case ofFingerprint:
		return analysis.Result{Given: true, HasFingerprint: true, Fingerprint: q.fp}, nil
	}
	r.Fingerprint, r.HasFingerprint = q.fp, q.hasFP
	if q.of == ofSet && !a.Settings().Sets() {
		return r, fmt.Errorf("%w: a set of features has no fingerprint", ErrNoSearch)
	}
	if r.Set = q.set; len(q.set) > 0 {
		if a.Settings().Signatures() {
			r.Signature = a.AppendSignature(nil, new(analysis.Scratch), q.set)
		}
	}
	return r, nil
}
