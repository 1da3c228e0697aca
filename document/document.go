// Package document has the type that a collection is made of, wherever it comes from: readers
// of files yield documents, an index takes them in and answers them as queries.
package document

// A Document is a text, or a ready-made fingerprint, with its id.
//
// Slices belong to the function that yields a Document. They are valid until the next one is asked
// for, unless that function says otherwise; a receiver that keeps them copies them.
type Document struct {
	// ID names the document in its collection. A reader takes it from the record, else it is
	// the path of the file, else path#line.
	ID []byte
	// Text is the text as it stands in the source: it is not checked to be UTF-8.
	Text []byte
	// Fingerprint stands for the text if HasFingerprint is set. It has no bits at or above the
	// width of the collection's fingerprints.
	Fingerprint    uint64
	HasFingerprint bool
	// Source is the path of the file that the document was read from, or - for standard input; ""
	// if it is not from a file.
	Source string
	// Line is the number of the line in Source at which the document begins, from 1, or 0 if the
	// document is a whole file.
	Line int
}
