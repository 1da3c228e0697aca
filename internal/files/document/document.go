// Package document defines the document, the type that a collection is made of. Readers of files
// yield documents; an index stores them and answers them as queries.
package document

import (
	"errors"
	"iter"
	"slices"
)

// A Document is a text, or a ready-made fingerprint, with its id.
//
// The slices belong to the function that yields the Document. They are valid until the next
// document is asked for, unless that function says otherwise. A receiver that keeps a slice must
// copy it.
type Document struct {
	// ID names the document in its collection. It is the id in the record if there is one, else the
	// path of the file (as corpus.Reader.Documents says), else path#line.
	ID []byte
	// Text is the text as it stands in the source. It need not be UTF-8.
	Text []byte
	// Fingerprint stands for the text if HasFingerprint is set. Bits at or above the width of the collection's
	// fingerprints are 0. If they have more than 64 bits, it has the first ones, and More those that follow.
	Fingerprint    uint64
	More           [3]uint64
	HasFingerprint bool
	// Rows, if not empty, says that the Document stands for several fingerprints of 64 bits that follow each other in
	// a file. Fingerprint, ID and Line are those of the first. The ids of the others have the numbers that follow.
	Rows []uint64
	// Picture is what is known of the file of a picture, of which Fingerprint is a hash. It is zero for others.
	Picture Picture
	// Turned are the other hashes that imagehash.Kind.Positions returns of the picture: when it is turned by quarters,
	// mirrored, or without its border, if they were asked for. They are not used again by whoever yields the document.
	Turned []uint64
	// Raw is the line or row, with its end, or the element of a JSON array that the document was read
	// from. It is nil if the document is a whole file, not a text, or from a crawl or a Parquet file, or if
	// Raw was not asked for.
	Raw []byte
	// Fields are the values of the fields that are kept with the document, which Field returns. It is empty if
	// none are.
	Fields []byte
	// Source is the path of the file that the document was read from. It is - for standard input,
	// and "" if the document is not from a file.
	Source string
	// Line is the number, from 1, of the line in Source at which the document begins, or of the element in a file
	// that is not made of lines, such as a JSON array, a Parquet file or a crawl. It is 0 if the document is a whole
	// file.
	Line int
	// Note is what a caller wants to know of the document when it has been analysed.
	Note any
	// Origin says where Text lies, so that it can be read again. It is zero if that is not possible:
	// the document was read from standard input or a pipe, or it has no text.
	Origin Origin
}

// Long returns the fingerprint as a whole.
func (d *Document) Long() Long { return NewLong(d.Fingerprint, d.More) }

// A Long is a fingerprint of up to 256 bits. Its first word has the first bits, which are the most significant ones
// of a number and the first digits in hexadecimal. Words behind its width are 0.
type Long [4]uint64

// NewLong returns the fingerprint that begins with first, and goes on with more.
func NewLong(first uint64, more [3]uint64) Long { return Long{first, more[0], more[1], more[2]} }

// Parts returns the first word and the others.
func (l *Long) Parts() (first uint64, more [3]uint64) { return l[0], [3]uint64(l[1:]) }

// Clone returns a copy of d whose slices are its own.
func (d *Document) Clone() *Document {
	c := *d
	for _, p := range []*[]byte{&c.ID, &c.Text, &c.Raw, &c.Fields} {
		*p = slices.Clone(*p)
	}
	return &c
}

// A Seq yields documents, or an error.
type Seq = iter.Seq2[*Document, error]

// Map yields what of returns of each of some documents. It ends behind the first error.
func Map[In, Out any](documents iter.Seq2[In, error], of func(In) (Out, error)) iter.Seq2[Out, error] {
	return func(yield func(Out, error) bool) {
		for doc, err := range documents {
			var is Out
			if err == nil {
				is, err = of(doc)
			}
			if !yield(is, err) || err != nil {
				return
			}
		}
	}
}

// A Picture is what is known of the file of a picture.
type Picture struct {
	Bytes  int64  // of the file; 0 if the document is no picture
	Digest uint64 // of the file, which tells whether two are equal byte for byte
	// Flat is set if the picture is of one colour, so that it has no fingerprint and is near nothing.
	Flat bool
	// Inside is its hash inside its border, if Bordered says so: it has one, and the field was asked for.
	Inside   uint64
	Bordered bool
}

// Given reports whether the document came without a text: as a fingerprint, or as a picture that has none.
func (d *Document) Given() bool { return d.HasFingerprint || d.Picture != (Picture{}) }

// An Origin is a place in a file from which a text was read. corpus.Rereader reads it again. Origins
// can be compared with ==.
type Origin struct {
	// Path is the absolute path of the file.
	Path string
	// Format is the name of the format (a corpus.Format) by which the text was read. Behind it are a semicolon and the
	// charset of the file, unless that is UTF-8.
	Format string
	// Offset and Length are of the line or record that has the text: bytes of the decompressed file in UTF-8, or
	// the number of a row, from 0, and 1 in a Parquet file. They are 0 if the text is the whole file.
	Offset, Length int64
}

// ErrChanged marks an Origin whose file has another text by now, or none at that place.
var ErrChanged = errors.New("the source has changed")
