package index

import (
	"bytes"
	"slices"

	"simsearch/internal/radix"
)

// pending are the documents added and not yet committed, in their order.
type pending struct {
	idBytes      []byte
	idEnds       []uint64
	fingerprints []uint64 // 0 for an empty document
	empty        []uint32 // numbers of the empty documents, ascending
	sets         pendingSets

	// What sortedIDs has found, for as many documents as it has entries.
	hashes []uint64
	order  []uint32
}

func (p *pending) len() int { return len(p.idEnds) }

func (p *pending) id(i uint32) []byte {
	var lo uint64
	if i > 0 {
		lo = p.idEnds[i-1]
	}
	return p.idBytes[lo:p.idEnds[i]]
}

// add appends a document; id is copied.
func (p *pending) add(id []byte, fp uint64, ok bool) {
	if !ok {
		p.empty = append(p.empty, uint32(p.len()))
		fp = 0
	}
	p.idBytes = append(p.idBytes, id...)
	p.idEnds = append(p.idEnds, uint64(len(p.idBytes)))
	p.fingerprints = append(p.fingerprints, fp)
}

// emptySet returns which documents are empty.
func (p *pending) emptySet() []bool {
	set := make([]bool, p.len())
	for _, i := range p.empty {
		set[i] = true
	}
	return set
}

// sortedIDs returns the hashes of all ids in ascending order and the document of
// each; documents of one hash are in their order. The caller must not change them.
func (p *pending) sortedIDs() (hashes []uint64, order []uint32) {
	if len(p.hashes) != p.len() {
		p.hashes, p.order = make([]uint64, p.len()), make([]uint32, p.len())
		for i := range p.hashes {
			p.hashes[i], p.order[i] = idHash(p.id(uint32(i))), uint32(i)
		}
		radix.SortPairs(p.hashes, p.order)
	}
	return p.hashes, p.order
}

// without returns the documents of p that are not marked; p stays as it is.
func (p *pending) without(drop []bool) *pending {
	kept, empty := &pending{sets: p.sets.without(drop)}, p.emptySet()
	for i := range p.idEnds {
		if !drop[i] {
			kept.add(p.id(uint32(i)), p.fingerprints[i], !empty[i])
		}
	}
	return kept
}

// identity returns what tells the text of a document from others'.
func (p *pending) identity(i uint32, empty []bool) identity {
	return identity{p.fingerprints[i], p.sets.digest(i), !empty[i]}
}

// unknown returns the pending documents without those whose id is taken, by the index or by an
// earlier one of them, which it counts in r.
func (w *Writer) unknown(old *Index, r *Result) (p *pending, err error) {
	drop, err := w.findKnown(old, r)
	if err != nil || !slices.Contains(drop, true) {
		return &w.pending, err
	}
	return w.pending.without(drop), nil
}

// findKnown returns which of the pending documents unknown leaves out.
func (w *Writer) findKnown(old *Index, r *Result) (drop []bool, err error) {
	p := &w.pending
	empty := p.emptySet()
	drop = make([]bool, p.len())
	known := func(i uint32, other identity) {
		drop[i] = true
		if p.identity(i, empty) == other {
			r.Unchanged++
			return
		}
		r.Refused++
		if w.o.Refused != nil {
			w.o.Refused(p.id(i), "the id stands for another text already; an id names one document")
		}
	}
	hashes, order := p.sortedIDs()
	var firsts []uint32
	return drop, old.reading(func() error {
		for lo := 0; lo < len(hashes); {
			hi := lo + 1
			for hi < len(hashes) && hashes[hi] == hashes[lo] {
				hi++
			}
			firsts = firsts[:0] // the documents of this hash that stay
		next:
			for _, i := range order[lo:hi] {
				doc, found, err := old.find(p.id(i))
				if err != nil {
					return err
				}
				if found {
					other, err := old.identity(doc)
					if err != nil {
						return err
					}
					known(i, other)
					continue
				}
				for _, e := range firsts {
					if bytes.Equal(p.id(e), p.id(i)) {
						known(i, p.identity(e, empty))
						continue next
					}
				}
				firsts = append(firsts, i)
			}
			lo = hi
		}
		return nil
	})
}
