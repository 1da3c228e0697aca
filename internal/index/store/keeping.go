package store

import (
	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/sequences"
)

// A Packed is what an index keeps of some documents: their texts and the values of their fields, nil if none
// are kept, and the codes of their sets, nil if they are not coded yet.
type Packed struct {
	texts, fields *segment.Packed
	words         segment.Codes // of each document
	segment.Codes
}

// A Keeping says what an index keeps of its documents.
type Keeping struct {
	keep             Keep
	fields, passages bool
}

// Keeping returns what the index keeps of its documents.
func (m *Manifest) Keeping() Keeping { return Keeping{m.Kept(), m.Input.KeepFields != "", m.Passages} }

// Pack compresses what is to be kept of n results.
func (g Keeping) Pack(n int, result func(i int) analysis.Result) (k Packed) {
	if g.keep != KeepNothing {
		k.texts = segment.Pack(n, g.passages, func(i int) segment.Kept { return g.of(result(i)) })
	}
	if g.fields {
		k.fields = segment.Pack(n, false, func(i int) (k segment.Kept) {
			if fields := result(i).Fields; len(fields) > 0 {
				k.Text = fields
			}
			return k
		})
	}
	if g.passages {
		var text sequences.Text
		k.words = make(segment.Codes, n)
		for i := range k.words {
			text.Read(result(i).Text)
			k.words[i] = sequences.AppendCodes(nil, text.Words)
		}
	}
	return k
}

// of returns what is to be kept of the text of a result.
func (g Keeping) of(r analysis.Result) (k segment.Kept) {
	from := r.Origin
	switch {
	case r.Given:
	case g.keep == KeepSource && from != document.Origin{}:
		k.Source = &segment.Source{Path: from.Path, Format: from.Format, Offset: from.Offset, Length: from.Length, Digest: fingerprint.Murmur3.Sum(r.Text)}
	default:
		k.Text = append([]byte{}, r.Text...)
	}
	return k
}

// Document returns a document of a segment, of which number i of k is kept. Its slices are those of r.
func (g Keeping) Document(r *analysis.Result, k Packed, i int) segment.Document {
	return segment.Document{
		ID: r.ID, HasFingerprint: r.HasFingerprint, Fingerprint: r.Fingerprint, More: r.More,
		Set: r.Set, Signature: r.Signature, Digest: r.Digest, Coded: k.At(i), Words: k.words.At(i),
		Texts: k.texts, Fields: k.fields, Number: i,
	}
}
