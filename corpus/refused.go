package corpus

import (
	"bytes"
	"errors"

	"simsearch/imagehash"
)

// ErrPDF marks a PDF, and ErrOffice a document of an office program or another archive of its kind. A converter has to
// find their texts.
var (
	ErrPDF    = errors.New("a PDF, and no text")
	ErrOffice = errors.New("an archive, or a document of an office program, and no text")
)

// ErrPicture marks a picture, of which Format Image makes fingerprints.
var ErrPicture = errors.New("a picture, and no text")

// isNoText reports whether a file cannot be read because it is binary.
func isNoText(err error) bool {
	return errors.Is(err, errBinary) || errors.Is(err, ErrPicture) || errors.Is(err, errOtherFile) || isConvertible(err)
}

// isConvertible reports whether a file cannot be read before its text has been found by a converter.
func isConvertible(err error) bool { return errors.Is(err, ErrPDF) || errors.Is(err, ErrOffice) }

// refusal returns an error for a file that is no text by its first bytes, though it may have no zero byte near them. Read as
// a text, it would be near others of its kind.
func refusal(format Format, head []byte) error {
	switch format {
	case Text, HTML, Lines:
	default:
		return nil
	}
	switch {
	case imagehash.Format(head) != "":
		return ErrPicture
	case bytes.HasPrefix(bytes.TrimPrefix(head, []byte(byteOrderMark)), []byte("%PDF-")):
		return ErrPDF
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return ErrOffice
	}
	return nil
}
