package index

import (
	"encoding/binary"
	"iter"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/document"
)

// batchBytes ends a batch, so that a few of them take little memory.
const batchBytes = 1 << 20

// largeBytes is from where on a document is large: its analysis takes up to seventy times as much
// memory. Those of a run are analysed one at a time, and their memory is not kept.
const largeBytes = 1 << 20

// A turn lets one of several in at a time.
type turn chan struct{}

// A batch holds copies of some documents, one behind the other, and later their
// fingerprints and sets.
type batch struct {
	// turn is held by a batch with a large document until it is analysed; nil in all others.
	turn  turn
	large bool

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
	if b.large {
		*b = batch{}
		return
	}
	b.bytes, b.docs, b.features, b.signatures = b.bytes[:0], b.docs[:0], b.features[:0], b.signatures[:0]
}

func (b *batch) add(d *document.Document) {
	bd := batchDocument{start: len(b.bytes), fp: d.Fingerprint, ok: d.HasFingerprint, ready: d.HasFingerprint}
	b.bytes = append(b.bytes, d.ID...)
	bd.idEnd = len(b.bytes)
	b.bytes = append(b.bytes, d.Text...)
	bd.end = len(b.bytes)
	b.docs = append(b.docs, bd)
	b.large = b.large || len(d.Text) > largeBytes
}

// analysed ends the analysis of a batch, whoever has done it: another one with a large document
// may begin, with the memory that this one gives back.
func (b *batch) analysed() {
	if b.large {
		b.scratch = Scratch{}
	}
	if b.turn != nil {
		<-b.turn
		b.turn = nil
	}
}

func (b *batch) id(i int) []byte { return b.bytes[b.docs[i].start:b.docs[i].idEnd] }

// analyse analyses the documents. The error is that of Analysis.Fingerprint.
func (b *batch) analyse(a *Analysis) (err error) {
	defer b.analysed()
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

// batches gathers up to so many documents, or batchBytes, into each batch of pool. A batch with a
// large document comes when the one before has been analysed: waiting for that here, in order,
// keeps results from piling up behind it.
func batches(documents iter.Seq2[*document.Document, error], together int, pool *sync.Pool) iter.Seq2[*batch, error] {
	return batchesOf(documents, func() int { return together }, pool)
}

// batchesOf is batches where the number of documents changes on the way.
func batchesOf(documents iter.Seq2[*document.Document, error], together func() int, pool *sync.Pool) iter.Seq2[*batch, error] {
	return func(yieldBatch func(*batch, error) bool) {
		large := make(turn, 1)
		yield := func(b *batch) bool {
			if b.large {
				large <- struct{}{}
				b.turn = large
			}
			return yieldBatch(b, nil)
		}
		b := pool.Get().(*batch)
		for d, err := range documents {
			if err != nil {
				if len(b.docs) == 0 || yield(b) {
					yieldBatch(nil, err)
				}
				return
			}
			if b.add(d); len(b.docs) >= together() || len(b.bytes) >= batchBytes {
				if !yield(b) {
					return
				}
				b = pool.Get().(*batch)
			}
		}
		if len(b.docs) > 0 {
			yield(b)
		}
	}
}
