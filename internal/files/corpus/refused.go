package corpus

import (
	"bytes"
	"errors"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/inputs"
)

// ErrPDF marks a PDF, and ErrOffice a document that Format Office does not read: a converter has to find their texts.
// errArchive marks an archive, which has to be unpacked, or a file in a compression that is not read, and ErrPicture
// a picture, of which Format Image makes a fingerprint.
var (
	ErrPDF     = errors.New("a PDF, and no text")
	ErrOffice  = errors.New("a document, and no text")
	errArchive = errors.New("an archive, and no text")
	ErrPicture = errors.New("a picture, and no text")
)

// errBinary marks a file that is no text by its first bytes, errNoPicture one that is no picture, where pictures are
// read, and ErrNoCode one of no known language, where sources are.
var (
	errBinary    = errors.New("not text: it has a zero byte near its beginning")
	errNoPicture = errors.New("it is no picture by its first bytes")
	ErrNoCode    = errors.New("it is in no language that is known by the end of its name")
)

// errCharset marks a file, or a page, in a charset that is not read, such as KOI8-R, GBK or Shift JIS, by its letters.
var errCharset = inputs.ErrForeign

// ErrIrregular marks a pipe, a socket or a device in a directory, and ErrLink a symbolic link. They are read only if
// they are named.
var (
	ErrIrregular = inputs.ErrIrregular
	ErrLink      = inputs.ErrLink
)

// IsNoText reports whether a file is left out because it is not text: it has a zero byte near its beginning, or is a PDF,
// an archive or a picture. With Format Image it is no picture, and with Format Code no source.
func IsNoText(err error) bool {
	return errors.Is(err, errBinary) || errors.Is(err, ErrPicture) || errors.Is(err, errNoPicture) || errors.Is(err, ErrNoCode) || IsConvertible(err)
}

// IsConvertible reports whether a file cannot be read before its text has been found by a converter, or in an archive.
func IsConvertible(err error) bool {
	return errors.Is(err, ErrPDF) || errors.Is(err, ErrOffice) || errors.Is(err, errArchive)
}

// A LeftOut is a file among the inputs of which nothing is read. Why is errBinary, ErrPDF, ErrOffice, errArchive,
// ErrPicture, errNoPicture or ErrNoCode for a file that is no text, no picture or no source. Any other error of a file
// says why it could not be opened. Reported says that Documents has yielded it as a *BadError.
type LeftOut = inputs.LeftOut

// A foreign is a file that is no text by its first bytes.
type foreign struct {
	class error
	what  string // it is
	open  string // how it can be read, or ""
}

func (f *foreign) Error() string { return f.what + ", and no text" + f.open }

func (f *foreign) Unwrap() error { return f.class }

// foreigners are files that are no texts, by what stands at an offset. Those in zip archives are told by what is in
// these.
var foreigners = []struct {
	at    int
	magic string
	foreign
}{
	{257, "ustar", foreign{errArchive, "a tar archive", ": unpack it first, by tar -xf"}},
	{0, "7z\xbc\xaf\x27\x1c", foreign{errArchive, "a 7z archive", ": unpack it first, by 7z x"}},
	{0, "Rar!\x1a\x07", foreign{errArchive, "a RAR archive", ": unpack it first, by unrar x"}},
	{0, "PK\x05\x06", foreign{errArchive, "an empty zip archive", ""}},
	{0, "]\x00\x00", foreign{errArchive, "a file in LZMA, which is not read", ": decompress it first, by xz --format=lzma -dc"}},
	{0, "\x1f\x9d", foreign{errArchive, "a file by compress, which is not read", ": decompress it first, by gzip -dc"}},
	{0, "LZIP\x01", foreign{errArchive, "a file in lzip, which is not read", ": decompress it first, by lzip -dc"}},
	{0, "\x89LZO\x00\r\n\x1a\n", foreign{errArchive, "a file by lzop, which is not read", ": decompress it first, by lzop -dc"}},
	{0, "filedesc://", foreign{errArchive, "a crawl in ARC, which is not read", ": make it a WARC first, such as by arc2warc"}},
	{0, "%PDF-", foreign{ErrPDF, "a PDF", ""}},
	{0, "{\\rtf", foreign{ErrOffice, "a document in RTF", ""}},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", foreign{ErrOffice, "a document of Microsoft Office before 2007", ""}},
	{0, "%!PS", foreign{ErrOffice, "PostScript", ""}},
	{0, "SQLite format 3\x00", foreign{errBinary, "an SQLite database", ": write its rows as JSON or CSV first"}},
	{0, "\x89HDF\r\n\x1a\n", foreign{errBinary, "a file in HDF5", ": write its rows as Parquet or JSON first"}},
	{0, "Obj\x01", foreign{errBinary, "a file in Avro", ": write its rows as Parquet or JSON first"}},
	{0, "ORC\n", foreign{errBinary, "a file in ORC", ": write its rows as Parquet or JSON first"}},
}

const zipMagic = "PK\x03\x04"

// inZip are documents in zip archives, by the name of a file that is in them.
var inZip = []struct {
	name string
	foreign
}{
	{"mimetypeapplication/epub+zip", foreign{ErrOffice, "a book in EPUB", ""}},
	{"xl/", foreign{ErrOffice, "a workbook of Excel", ""}},
	{"ppt/", foreign{ErrOffice, "slides of PowerPoint", ""}},
	{"mimetypeapplication/vnd.oasis.opendocument", foreign{ErrOffice, "a document of OpenDocument", ""}},
	{"word/", foreign{ErrOffice, "a document of Word", ""}},
	{"", foreign{errArchive, "a zip archive", ": unpack it first, by unzip"}},
}

// isOffice reports whether a file begins as those of Format Office do.
func isOffice(head []byte) bool {
	const openDocument = "mimetypeapplication/vnd.oasis.opendocument.text"
	return bytes.HasPrefix(head, []byte(zipMagic)) && (bytes.Contains(head, []byte("word/document.xml")) || bytes.Contains(head, []byte(openDocument)))
}

// refusal returns an error for a file that is no text by its first bytes, though it may have no zero byte near them.
// Read as a text, it would be near others of its kind.
func refusal(format Format, head []byte) error {
	picture := imagehash.Format(head)
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	switch {
	case kinds[format].charsets == noCharset:
		return nil // ids may have any bytes
	case imagehash.IsRead(picture):
		return ErrPicture
	case picture != "":
		return &foreign{errBinary, "a picture in " + picture, ""}
	case bytes.HasPrefix(head, []byte(zipMagic)):
		for _, f := range inZip {
			if format != Office && bytes.Contains(head, []byte(f.name)) {
				return &f.foreign
			}
		}
		return nil
	}
	for _, f := range foreigners {
		if len(head) >= f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			return &f.foreign
		}
	}
	return nil
}
