package eval

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/document"
	"simsearch/internal/spill"
)

// texts are the documents of a collection: all, or as many as fit into the memory and into manyTexts.
type texts struct {
	ids          map[string]uint32
	names        []string // the ids, in order
	texts        [][]byte
	fingerprints []uint64 // of documents that are ready-made fingerprints
	read         int      // documents that were read, of which the first with each id counts
	drawn        bool     // some are left out

	costs []int64 // what evaluating each takes
	cost  int64   // the sum of costs
	seed  uint64
	limit uint64 // documents whose number by drawNumber is larger are left out
}

// documentBytes is about how much memory a document takes beside its text: its id in a list and a map, its places in lists, and
// what it is in groups.
const documentBytes = 300

// manyTexts is the number of texts of which no more are evaluated.
const manyTexts = 300_000

// readTexts reads a collection. Of several documents with one id it takes the first. If they take more than three quarters of
// the memory, or texts are too many, it draws some by their ids and the seed: each document stays or goes whatever the others are.
func readTexts(documents iter.Seq2[*document.Document, error], o LoadOptions) (*texts, error) {
	t := &texts{ids: map[string]uint32{}, seed: o.Seed, limit: math.MaxUint64}
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
		if t.read++; t.drawNumber(string(d.ID)) > t.limit {
			continue
		}
		t.ids[string(d.ID)] = uint32(len(t.names))
		t.names, t.texts, t.fingerprints = append(t.names, string(d.ID)), append(t.texts, slices.Clone(d.Text)), append(t.fingerprints, d.Fingerprint)
		t.costs = append(t.costs, documentBytes+2*int64(len(d.ID))+int64(len(d.Text))+o.bytesOf(d.Text))
		for t.cost += t.costs[len(t.costs)-1]; (t.cost > most || len(t.names) > manyTexts && !o.Fingerprints) && t.thin(t.limit/8*7); {
		}
	}
	if len(t.names) == 0 {
		return nil, ErrEmpty
	}
	return t, nil
}

// drawNumber returns the number by which a document is drawn.
func (t *texts) drawNumber(id string) uint64 {
	return rand.NewPCG(t.seed, fingerprint.Murmur3.Sum([]byte(id))).Uint64()
}

// thin leaves out the documents above a limit. It returns false, and does nothing, if hardly any would be left.
func (t *texts) thin(limit uint64) bool {
	const least = 2
	left := 0
	for _, id := range t.names {
		if t.drawNumber(id) <= limit {
			left++
		}
	}
	if left < least {
		return false
	}
	t.limit, t.drawn = limit, true
	all := *t
	clear(t.ids)
	t.names, t.texts, t.fingerprints, t.costs, t.cost = nil, nil, nil, nil, 0
	for i, id := range all.names {
		if t.drawNumber(id) <= limit {
			t.ids[id] = uint32(len(t.names))
			t.names, t.texts, t.fingerprints = append(t.names, id), append(t.texts, all.texts[i]), append(t.fingerprints, all.fingerprints[i])
			t.costs, t.cost = append(t.costs, all.costs[i]), t.cost+all.costs[i]
		}
	}
	return true
}

// size returns the bytes of all texts.
func (t *texts) size() (bytes int) {
	for _, text := range t.texts {
		bytes += len(text)
	}
	return bytes
}

// documents yields all texts with their ids.
func (t *texts) documents(yield func(*document.Document, error) bool) {
	for i, text := range t.texts {
		if !yield(&document.Document{ID: []byte(t.names[i]), Text: text}, nil) {
			return
		}
	}
}
