package index

import (
	"iter"
	"sync"
)

// batchBytes ends a batch, so that a few of them take little memory.
const batchBytes = 1 << 20

// A batch holds copies of some documents, one behind the other, and later their
// fingerprints.
type batch struct {
	bytes   []byte
	docs    []batchDocument
	scratch Scratch
}

type batchDocument struct {
	start, idEnd, end int // of id and text in bytes
	fp                uint64
	ok, ready         bool // has a fingerprint; has one without analysis
}

func (b *batch) reset() { b.bytes, b.docs = b.bytes[:0], b.docs[:0] }

func (b *batch) add(d *Document) {
	bd := batchDocument{start: len(b.bytes), fp: d.Fingerprint, ok: d.HasFingerprint, ready: d.HasFingerprint}
	b.bytes = append(b.bytes, d.ID...)
	bd.idEnd = len(b.bytes)
	b.bytes = append(b.bytes, d.Text...)
	bd.end = len(b.bytes)
	b.docs = append(b.docs, bd)
}

func (b *batch) id(i int) []byte { return b.bytes[b.docs[i].start:b.docs[i].idEnd] }

func (b *batch) analyse(a *Analysis) {
	for i := range b.docs {
		if d := &b.docs[i]; !d.ready {
			d.fp, d.ok = a.Fingerprint(&b.scratch, b.bytes[d.idEnd:d.end])
		}
	}
}

// batches gathers up to so many documents, or batchBytes, into each batch of pool.
func batches(documents iter.Seq2[*Document, error], together int, pool *sync.Pool) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		b := pool.Get().(*batch)
		for d, err := range documents {
			if err != nil {
				if len(b.docs) == 0 || yield(b, nil) {
					yield(nil, err)
				}
				return
			}
			if b.add(d); len(b.docs) >= together || len(b.bytes) >= batchBytes {
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
