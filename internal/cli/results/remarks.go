package results

import (
	"cmp"
	"fmt"
	"io"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/preprocess"
)

// Remarks are on what is printed as a whole: that many documents share one form, or that texts are so short
// that their similarity says little.
type Remarks struct {
	ix        *index.Snapshot
	ofWords   bool // the sets are of words
	known     map[uint32]bool
	documents int    // that are printed
	short     int    // of them, that have few words
	pairs     int    // that are printed, or that groups make
	crowd     int    // documents in the largest group, or near one
	centre    uint32 // one of them
	a         uint32 // of the last pair
	row       int    // pairs of a
}

const (
	fewWords   = 5   // A text with fewer says little.
	leastCrowd = 100 // A crowd has as many documents at least.
	// A crowd is worth a remark if its pairs are one of so many pairs, and short texts if they are one of
	// so many documents.
	crowdOf, shortOf = 100, 20
)

// NewRemarks returns remarks on documents of ix.
func NewRemarks(ix *index.Snapshot) *Remarks {
	s := ix.Settings()
	return &Remarks{ix: ix, ofWords: s.Sets() && s.SetFeatures == preprocess.FeatureSpec{}, known: map[uint32]bool{}}
}

// Document takes note of a document that is printed. It counts once.
func (r *Remarks) Document(doc uint32) error {
	if !r.ofWords || r.known[doc] {
		return nil
	}
	r.known[doc] = true
	r.documents++
	q, err := r.ix.Stored(doc)
	if err == nil && q.Features() < fewWords {
		r.short++
	}
	return err
}

// Pair takes note of a pair that is printed. The pairs of each document a come one after the other.
func (r *Remarks) Pair(a, b uint32) error {
	if a != r.a {
		r.a, r.row = a, 0
	}
	r.row++
	r.pairs++
	r.gather(r.row+1, a)
	return cmp.Or(r.Document(a), r.Document(b))
}

// Group takes note of a group that is printed.
func (r *Remarks) Group(g index.Group) error {
	n := len(g.Documents)
	r.pairs += n * (n - 1) / 2
	r.gather(n, g.Representative)
	for _, doc := range g.Documents {
		if err := r.Document(doc); err != nil {
			return err
		}
	}
	return nil
}

func (r *Remarks) gather(n int, centre uint32) {
	if n > r.crowd {
		r.crowd, r.centre = n, centre
	}
}

// Print prints the remarks, a line each.
func (r *Remarks) Print(w io.Writer) error {
	if n := r.crowd; n >= leastCrowd && crowdOf*(n*(n-1)/2) >= r.pairs {
		id, err := r.ix.ID(r.centre)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "simsearch: %s share one form with %s: copies, or a template\n", terminal.Plural(n-1, "document"), terminal.Plain(string(id)))
	}
	switch {
	case r.short > 0 && r.documents == 1:
		fmt.Fprintf(w, "simsearch: the document has fewer than %d different words; its similarity says little\n", fewWords)
	case r.short > 0 && shortOf*r.short >= r.documents:
		fmt.Fprintf(w, "simsearch: %s of the %s have fewer than %d different words; their similarity says little\n",
			terminal.Thousands(r.short), terminal.Plural(r.documents, "document"), fewWords)
	}
	return nil
}
