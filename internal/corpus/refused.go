package corpus

import (
	"bytes"
	"errors"

	"simsearch/internal/imagehash"
	"simsearch/internal/inputs"
)

// ErrPDF marks a PDF, and ErrOffice a document of an office program that Format Office does not read, or another archive. A
// converter has to find their texts.
var (
	ErrPDF    = errors.New("a PDF, and no text")
	ErrOffice = errors.New("an archive, or a document of an office program, and no text")
)

// ErrPicture marks a picture, of which Format Image makes fingerprints.
var ErrPicture = errors.New("a picture, and no text")

// ErrBinary marks a file that is no text by its first bytes, and ErrNoPicture one that is no picture by its name, where
// pictures are read.
var (
	ErrBinary    = errors.New("not text: it has a zero byte near its beginning")
	ErrNoPicture = errors.New("it is no picture by its name")
)

// ErrCharset marks a file, or a page, in a charset that is not read, such as KOI8-R, GBK or Shift JIS, by its letters.
var ErrCharset = inputs.ErrForeign

// ErrIrregular marks a pipe, a socket or a device in a directory, and ErrLink a symbolic link. They are read only if they are
// named.
var (
	ErrIrregular = inputs.ErrIrregular
	ErrLink      = inputs.ErrLink
)

// isNoText reports whether a file cannot be read because it is binary.
func isNoText(err error) bool {
	return errors.Is(err, ErrBinary) || errors.Is(err, ErrPicture) || errors.Is(err, ErrNoPicture) || isConvertible(err)
}

// isConvertible reports whether a file cannot be read before its text has been found by a converter.
func isConvertible(err error) bool { return errors.Is(err, ErrPDF) || errors.Is(err, ErrOffice) }

// A LeftOut is a file among the inputs of which nothing is read.
type LeftOut struct {
	Path string
	// Why is ErrBinary, ErrPDF, ErrOffice, ErrPicture or ErrNoPicture for a file that is no text, or no picture. It is
	// ErrIrregular or ErrLink for what a directory has that is no file, and that is not among Files. Any other error says
	// why the file could not be opened.
	Why error
	// Reported says that Documents has yielded the file as a *BadError. Others are passed over.
	Reported bool
}

// refusal returns an error for a file that is no text by its first bytes, though it may have no zero byte near them. Read as
// a text, it would be near others of its kind.
func refusal(format Format, head []byte) error {
	const zip = "PK\x03\x04"
	switch layout := kinds[format].layout; {
	case !layout.isWhole() && layout != InLines: // its syntax will tell
	case imagehash.Format(head) != "":
		return ErrPicture
	case bytes.HasPrefix(bytes.TrimPrefix(head, []byte(byteOrderMark)), []byte("%PDF-")):
		return ErrPDF
	case bytes.HasPrefix(head, []byte(zip)) && format != Office, bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return ErrOffice
	}
	return nil
}
