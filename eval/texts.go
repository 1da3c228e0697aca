package eval

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/spill"
)

// texts are the documents of a collection: all, or as many as fit into the memory and into manyTexts.
type texts struct {
	ids   map[string]uint32
	docs  []*document.Document
	read  int  // documents that were read, of which the first with each id counts
	drawn bool // some are left out

	o     LoadOptions
	bytes int    // of all
	cost  int64  // what evaluating all takes, in bytes of memory
	limit uint64 // documents whose number by drawNumber is larger are left out
}

// documentBytes is about how much memory a document takes beside its text: its id in a list and a map, its places in
// lists, and what it is in groups.
const documentBytes = 300

// manyTexts is the number of texts of which no more are evaluated.
const manyTexts = 300_000

// readTexts reads a collection. Of several documents with one id it takes the first. If they take more than three
// quarters of the memory, or texts are too many, it draws some by their ids and the seed: each document stays or goes
// whatever the others are.
func readTexts(documents iter.Seq2[*document.Document, error], o LoadOptions) (*texts, error) {
	t := &texts{ids: map[string]uint32{}, o: o, limit: math.MaxUint64}
	most := spill.MemoryOr(o.Memory) / 4 * 3
	for d, err := range documents {
		switch {
		case err != nil:
			return nil, err
		case o.Fingerprints && !d.HasFingerprint:
			return nil, ErrNotFingerprint
		}
		if _, known := t.ids[string(d.ID)]; known {
			continue
		}
		if t.read++; t.drawNumber(d.ID) > t.limit {
			continue
		}
		t.add(&document.Document{ID: slices.Clone(d.ID), Text: slices.Clone(d.Text), Fingerprint: d.Fingerprint})
		for (t.cost > most || len(t.docs) > manyTexts && !o.Fingerprints) && t.thin(t.limit/8*7) {
		}
	}
	if len(t.docs) == 0 {
		return nil, ErrEmpty
	}
	return t, nil
}

// add adds a document, which has an id of its own.
func (t *texts) add(d *document.Document) {
	t.ids[string(d.ID)] = uint32(len(t.docs))
	t.docs = append(t.docs, d)
	t.bytes += len(d.Text)
	t.cost += documentBytes + 2*int64(len(d.ID)) + int64(len(d.Text)) + t.o.bytesOf(d.Text)
}

// drawNumber returns the number by which a document is drawn.
func (t *texts) drawNumber(id []byte) uint64 {
	return rand.NewPCG(t.o.Seed, fingerprint.Murmur3.Sum(id)).Uint64()
}

// thin leaves out the documents above a limit. It returns false, and does nothing, if hardly any would be left.
func (t *texts) thin(limit uint64) bool {
	const least = 2
	var left []*document.Document
	for _, d := range t.docs {
		if t.drawNumber(d.ID) <= limit {
			left = append(left, d)
		}
	}
	if len(left) < least {
		return false
	}
	t.limit, t.drawn, t.docs, t.bytes, t.cost = limit, true, nil, 0, 0
	clear(t.ids)
	for _, d := range left {
		t.add(d)
	}
	return true
}

// documents yields all texts with their ids.
func (t *texts) documents(yield func(*document.Document, error) bool) {
	for _, d := range t.docs {
		if !yield(d, nil) {
			return
		}
	}
}
