package segment

import (
	"bytes"
	"math/bits"

	"simsearch/fingerprint"
	"simsearch/section"
)

// Names of the sections of the ids.
const (
	secIDEnds   = "ids.ends"
	secIDBytes  = "ids.bytes"
	secIDHashes = "ids.hashes"
	secIDOrder  = "ids.order"
)

// ids holds the ids of the documents and the order in which they are looked up.
type ids struct {
	ends   section.Array[uint64] // where the id of each document ends, in bytes
	bytes  section.Array[byte]
	hashes section.Array[uint64] // ascending
	order  section.Array[uint32] // the document of each hash
}

// HashID is the hash of 64 bits by which segments look up an id. A collision costs a comparison and causes no error.
func HashID(id []byte) uint64 { return fingerprint.Murmur3.Sum(id) }

// writeIDs writes the ids of the documents of b.
func (b *Builder) writeIDs(w *section.Writer) {
	w.Begin(secIDEnds)
	w.Uint64s(b.idEnds)
	w.Begin(secIDBytes)
	_, _ = w.Write(b.idBytes) // w keeps the error
	hashes, order := b.sortedIDs()
	w.Begin(secIDHashes)
	w.Uint64s(hashes)
	w.Begin(secIDOrder)
	w.Uint32s(order)
}

func (x *ids) load(f *section.File, documents uint64) (err error) {
	if x.ends, err = section.Integers[uint64](f, secIDEnds, documents); err != nil {
		return err
	}
	if x.hashes, err = section.Integers[uint64](f, secIDHashes, documents); err != nil {
		return err
	}
	if x.order, err = section.Integers[uint32](f, secIDOrder, documents); err != nil {
		return err
	}
	size, err := f.Size(secIDBytes)
	if err != nil {
		return err
	}
	x.bytes, err = section.Integers[byte](f, secIDBytes, size)
	return err
}

// ID returns the id of a document.
func (s *Segment) ID(doc uint32) ([]byte, error) { return s.storedID(s.deleted.At(doc)) }

// storedID returns the id of document doc of the file.
func (s *Segment) storedID(doc uint32) ([]byte, error) {
	lo, hi, err := span(&s.ids.ends, doc)
	if err != nil {
		return nil, s.InFile(err)
	}
	if lo >= hi || hi > uint64(s.ids.bytes.Len()) {
		return nil, corruptf(s.path, &s.ids.ends, uint64(doc), "the id of document %d spans [%d, %d) of %d bytes", doc, lo, hi, s.ids.bytes.Len())
	}
	id, err := s.ids.bytes.Range(lo, hi)
	return id, s.InFile(err)
}

// Find returns the live document called id. ok is false if there is none.
func (s *Segment) Find(id []byte) (doc uint32, ok bool, err error) {
	doc, ok, err = s.FindStored(id, HashID(id))
	if ok {
		doc, ok = s.deleted.Live(doc)
	}
	return doc, ok, err
}

// FindStored returns the number in the file of the document called id, live or not. ok is false if there is none. h is
// HashID(id).
func (s *Segment) FindStored(id []byte, h uint64) (doc uint32, ok bool, err error) {
	i, err := searchHashes(&s.ids.hashes, h)
	for ; err == nil && i < s.documents; i++ {
		var hash uint64
		if hash, err = s.ids.hashes.At(i); err != nil || hash != h {
			break
		}
		if doc, err = s.ids.order.At(i); err != nil {
			break
		}
		if uint64(doc) >= s.documents {
			return 0, false, corruptf(s.path, &s.ids.order, i, "document %d of %d", doc, s.documents)
		}
		other, err := s.storedID(doc)
		if err != nil {
			return 0, false, err
		}
		if bytes.Equal(other, id) {
			return doc, true, nil
		}
	}
	return 0, false, s.InFile(err)
}

// EachStored calls found with the number in the file of each document whose id is that of a document of b, live or not.
// It goes through them in the order of their hashes, so that it is faster than finding them in the order of b.
func (s *Segment) EachStored(b *Builder, found func(doc uint32) error) error {
	hashes, order := b.sortedIDs()
	for i, h := range hashes {
		doc, ok, err := s.FindStored(b.ID(order[i]), h)
		if ok && err == nil {
			err = found(doc)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// searchHashes is search for hashes, which are spread evenly: it begins where x lies on average, and doubles its steps
// from there until it has passed x. So it reads half as many elements as search, which lie close together. Its result
// does not depend on how the hashes are spread.
func searchHashes(a *section.Array[uint64], x uint64) (uint64, error) {
	n := uint64(a.Len())
	lo, hi := uint64(0), n // all before lo are less than x, and none from hi on are
	at, _ := bits.Mul64(x, n)
	for step := uint64(1) << max(0, bits.Len64(n)/2-1); lo < hi; step *= 2 {
		y, err := a.At(at)
		if err != nil {
			return 0, err
		}
		if y < x {
			if lo = at + 1; hi < n || hi-lo <= step {
				break
			}
			at = lo + step
			continue
		}
		if hi = at; lo > 0 || hi-lo <= step {
			break
		}
		at = hi - step
	}
	return searchBetween(a, lo, hi, x)
}
