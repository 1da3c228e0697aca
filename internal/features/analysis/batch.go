package analysis

import (
	"encoding/binary"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/files/document"
)

// A Digest identifies a set of features by 128 bits of MurmurHash3. Sets with equal digests count
// as equal. Two of a billion sets share a digest by chance in one of 10^20 collections.
type Digest [2]uint64

// A Batch holds copies of some documents, one after the other, and the results of their analysis.
type Batch struct {
	// turn is held by a batch with a large document until the batch is analysed. It is nil in all
	// others.
	turn  turn
	large bool

	bytes   []byte
	results []result
	scratch Scratch

	features   []uint64
	signatures []byte // of the sets that are not empty
	rows       []uint64
}

// A result is what is known of a document of a batch, whose slices are made when it is asked for.
type result struct {
	Result
	start, idEnd, end int // where the id starts, the id ends and the text ends, in bytes
	fieldsEnd         int // where the kept fields end, which begin at end

	features  [2]int // where its set begins and ends in features
	signature [2]int // where its signature begins and ends in signatures
	rows      [2]int // where its Rows begin and end in rows
}

// A Result is the analysis of one document. Its slices are parts of the Batch and valid as long as
// the Batch is.
type Result struct {
	document.Document      // without Raw; HasFingerprint is false if the settings have none, or for a picture of one colour
	Given             bool // the document came as a fingerprint, not as a text
	Set               []uint64
	Signature         []byte // one byte per position; empty if Set is, or without Settings.Signatures
	Digest            Digest // of Set
}

// Len returns the number of documents.
func (b *Batch) Len() int { return len(b.results) }

// Result returns the analysis of document i, i < Len().
func (b *Batch) Result(i int) Result {
	r := b.results[i]
	r.ID, r.Text, r.Fields = b.bytes[r.start:r.idEnd], b.bytes[r.idEnd:r.end], b.bytes[r.end:r.fieldsEnd]
	if r.features[1] > r.features[0] {
		r.Set, r.Signature = b.features[r.features[0]:r.features[1]], b.signatures[r.signature[0]:r.signature[1]]
	}
	if r.rows[1] > r.rows[0] {
		r.Rows = b.rows[r.rows[0]:r.rows[1]]
	}
	return r.Result
}

func (b *Batch) reset() {
	if b.large {
		*b = Batch{}
		return
	}
	b.bytes, b.results, b.features, b.signatures = b.bytes[:0], b.results[:0], b.features[:0], b.signatures[:0]
	b.rows = b.rows[:0]
}

func (b *Batch) add(d *document.Document) {
	r := result{Result: Result{Document: *d, Given: d.Given()}, start: len(b.bytes)}
	r.ID, r.Text, r.Fields, r.Rows, r.Raw = nil, nil, nil, nil, nil // which are the caller's
	b.bytes = append(b.bytes, d.ID...)
	r.idEnd = len(b.bytes)
	b.bytes = append(b.bytes, d.Text...)
	r.end = len(b.bytes)
	b.bytes = append(b.bytes, d.Fields...)
	r.fieldsEnd = len(b.bytes)
	r.rows[0] = len(b.rows)
	b.rows = append(b.rows, d.Rows...)
	r.rows[1] = len(b.rows)
	b.results = append(b.results, r)
	b.large = b.large || len(d.Text) > largeBytes
}

// done ends the analysis of a batch. Another batch with a large document may then begin and reuse
// the memory of this one.
func (b *Batch) done() {
	if b.large {
		b.scratch = Scratch{}
	}
	if b.turn != nil {
		<-b.turn
		b.turn = nil
	}
}

// analyse analyses the documents that came as texts. The error is that of Analysis.Fingerprint.
func (b *Batch) analyse(a *Analysis) (err error) {
	defer b.done()
	for i := range b.results {
		r := &b.results[i]
		if r.Given {
			continue
		}
		text := b.bytes[r.idEnd:r.end]
		if a.sets == nil {
			a.hash(&b.scratch, text)
		} else {
			b.addSet(a, r, a.Set(&b.scratch, text))
			a.hashRest(&b.scratch, text)
		}
		if a.settings.Fingerprints() {
			if r.Fingerprint, r.HasFingerprint, err = a.fingerprint(&b.scratch); err != nil {
				return err
			}
		}
	}
	return nil
}

// Analyse returns the analysis of one document. The caller owns the result. The error is that of
// Fingerprint.
func (a *Analysis) Analyse(d *document.Document) (Result, error) {
	var b Batch
	b.add(d)
	if err := b.analyse(a); err != nil {
		return Result{}, err
	}
	return b.Result(0), nil
}

// AnalyseAll returns the analyses of documents together. The caller owns them. The error is that of Fingerprint.
func (a *Analysis) AnalyseAll(documents []document.Document) (*Batch, error) {
	b := &Batch{}
	for i := range documents {
		b.add(&documents[i])
	}
	return b, b.analyse(a)
}

// addSet adds the set of the features of a document. The features have been hashed.
func (b *Batch) addSet(a *Analysis, r *result, set []uint64) {
	r.features[0] = len(b.features)
	b.features = append(b.features, set...)
	r.features[1] = len(b.features)
	r.signature[0] = len(b.signatures)
	if a.sketcher != nil {
		b.signatures = a.AppendSignature(b.signatures, &b.scratch, set)
	}
	r.signature[1] = len(b.signatures)
	b.scratch.bytes = b.scratch.bytes[:0]
	for _, x := range set {
		b.scratch.bytes = binary.LittleEndian.AppendUint64(b.scratch.bytes, x)
	}
	r.Digest[0], r.Digest[1] = murmur3.Sum128(b.scratch.bytes)
}
