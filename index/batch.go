package index

import (
	"encoding/binary"
	"iter"
	"sync"

	"github.com/spaolacci/murmur3"
)

// batchBytes ends a batch, so that a few of them take little memory.
const batchBytes = 1 << 20

// A batch holds copies of some documents, one behind the other, and later their
// fingerprints and sets.
type batch struct {
	bytes   []byte
	docs    []batchDocument
	scratch Scratch

	features   []uint64
	signatures []byte // of those that are not empty
}

type batchDocument struct {
	start, idEnd, end int // of id and text in bytes
	fp                uint64
	ok, ready         bool // has features; has a fingerprint without analysis

	features  [2]int // where its set is in features
	signature int    // where its signature is in signatures
	digest    digest
}

func (b *batch) reset() {
	b.bytes, b.docs, b.features, b.signatures = b.bytes[:0], b.docs[:0], b.features[:0], b.signatures[:0]
}

func (b *batch) add(d *Document) {
	bd := batchDocument{start: len(b.bytes), fp: d.Fingerprint, ok: d.HasFingerprint, ready: d.HasFingerprint}
	b.bytes = append(b.bytes, d.ID...)
	bd.idEnd = len(b.bytes)
	b.bytes = append(b.bytes, d.Text...)
	bd.end = len(b.bytes)
	b.docs = append(b.docs, bd)
}

func (b *batch) id(i int) []byte { return b.bytes[b.docs[i].start:b.docs[i].idEnd] }

// analyse analyses the documents. The error is that of Analysis.Fingerprint.
func (b *batch) analyse(a *Analysis) (err error) {
	for i := range b.docs {
		d := &b.docs[i]
		if d.ready {
			continue
		}
		a.analyzer.Analyze(&b.scratch.Document, b.bytes[d.idEnd:d.end])
		a.sum(&b.scratch)
		d.ok = len(b.scratch.hashes) > 0
		if a.sketcher != nil && d.ok {
			b.addSet(a, d)
		}
		if a.fingerprints {
			if d.fp, d.ok, err = a.fingerprint(&b.scratch); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSet adds the set of features of a document, which have been hashed.
func (b *batch) addSet(a *Analysis, d *batchDocument) {
	set := b.scratch.distinct()
	d.features[0] = len(b.features)
	b.features = append(b.features, set...)
	d.features[1] = len(b.features)
	d.signature = len(b.signatures)
	b.signatures = a.AppendSignature(b.signatures, &b.scratch, set)
	b.scratch.bytes = b.scratch.bytes[:0]
	for _, x := range set {
		b.scratch.bytes = binary.LittleEndian.AppendUint64(b.scratch.bytes, x)
	}
	d.digest[0], d.digest[1] = murmur3.Sum128(b.scratch.bytes)
}

// set returns the set of features of a document, and its signature, empty if it has none.
func (b *batch) set(d *batchDocument, positions int) (features []uint64, signature []byte) {
	if d.features[0] == d.features[1] {
		return nil, nil
	}
	return b.features[d.features[0]:d.features[1]], b.signatures[d.signature : d.signature+positions]
}

// batches gathers up to so many documents, or batchBytes, into each batch of pool.
func batches(documents iter.Seq2[*Document, error], together int, pool *sync.Pool) iter.Seq2[*batch, error] {
	return batchesOf(documents, func() int { return together }, pool)
}

// batchesOf is batches where the number of documents changes on the way.
func batchesOf(documents iter.Seq2[*Document, error], together func() int, pool *sync.Pool) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		b := pool.Get().(*batch)
		for d, err := range documents {
			if err != nil {
				if len(b.docs) == 0 || yield(b, nil) {
					yield(nil, err)
				}
				return
			}
			if b.add(d); len(b.docs) >= together() || len(b.bytes) >= batchBytes {
				if !yield(b, nil) {
					return
				}
				b = pool.Get().(*batch)
			}
		}
		if len(b.docs) > 0 {
			yield(b, nil)
		}
	}
}
