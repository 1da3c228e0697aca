package corpus

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/ints"
)

// A Format says how a file holds documents.
type Format uint8

// The formats that others name. Their kinds stand in the same order in the table of init.
const (
	Auto         Format = iota // by the name and the content of each file
	Text                       // a file is a document
	Lines                      // a line is a document
	JSONL                      // a line is a JSON object with a text and perhaps an id
	JSON                       // an array of JSON objects, or one object after another
	CSV                        // a row of cells, behind a header that names them; commas, or what the header has, are between
	TSV                        // the same with tabs
	Parquet                    // a row of a table in columns
	Arrow                      // a row of a table in batches of columns
	WARC                       // a record of a crawl that holds a page or a text
	Mail                       // a message of a mailbox (mbox), or a file that is one message
	HTML                       // a file is a document in HTML
	Office                     // a file is a document of a word processor: Office Open XML or OpenDocument
	Notebook                   // a file is the code of a notebook
	Code                       // a function of a source is a document
	Sets                       // a line is ID<TAB>item item item
	Fingerprints               // a line is HEX or ID<TAB>HEX
	Image                      // a file is a picture, whose hash is a fingerprint
)

// kinds has one line for each format, which is all that registers it. A format that no code names needs no constant.
var kinds []*kind

func init() { // since kinds call functions that look at kinds
	kinds = []*kind{
		Auto:         {name: "auto", note: "by name and content", fields: anyField},
		Text:         &textKind,
		Lines:        &linesKind,
		JSONL:        &jsonlKind,
		JSON:         &jsonKind,
		CSV:          &csvKind,
		TSV:          &tsvKind,
		Parquet:      &parquetKind,
		Arrow:        &arrowKind,
		WARC:         &warcKind,
		Mail:         &mailKind,
		HTML:         &htmlKind,
		Office:       &officeKind,
		Notebook:     &notebookKind,
		Code:         &codeKind,
		Sets:         &setsKind,
		Fingerprints: &fingerprintsKind,
		Image:        &imageKind,
	}
}

// A kind is all that is particular to a format: how its files are found, read, read again and written again.
type kind struct {
	name       string   // which ParseFormat reads
	note       string   // said behind the name where formats are listed, or ""
	words      string   // what messages call a file; "" stands for the name
	extensions []string // of names of files, in lower case
	layout     Layout
	fields     fields // which of them Options can name
	charsets   charsets

	// begins reports whether a file begins as those of the format do, whatever its charset. nil stands for never.
	begins func(path string, head []byte) bool
	// looks returns the format that a stream in UTF-8 looks like, or Text. See sniffed.
	looks func(r *Reader, s *inputs.Stream, path string) Format
	// openFile, if not nil, opens a file that is not read as a stream of text. It returns no source for one that is.
	openFile opener
	// open returns the source of the documents of l.s.
	open opener
	// prepared says that documents are ready-made fingerprints, so that there are no texts to read again.
	prepared bool
}

type opener = func(l lineSource) (source, error)

// fields say which fields of documents Options can name.
type fields uint8

const (
	fieldless fields = iota
	onlyID           // that of the id alone
	anyField         // those of texts, too
)

// charsets say which charset a file may be in.
type charsets uint8

const (
	oneCharset  charsets = iota // any, which all of the file is in
	pageCharset                 // any, and the file may name it
	ownCharsets                 // each record says how it is written
	noCharset                   // ids may have any bytes, or the file is no text
)

// A Layout says how the documents of a file lie in it, and so how the file is written again.
type Layout uint8

// The layouts.
const (
	InFile     Layout = iota // the file is one document, of which no part is known
	InText                   // the file is one document, which is its text as it stands
	inParts                  // in parts of the file that do not depend on each other
	InLines                  // in lines, whose texts are what stands there
	InSets                   // in lines with an id, a tab and the text
	InRecords                // in lines with a JSON object
	InElements               // in JSON objects with something between them
	InRows                   // in rows of a text, behind a header
	InColumns                // in rows of a Parquet file
	InBatches                // in rows of an Arrow file or stream
	InMailbox                // in messages, some of which begin behind an empty line only
	InCrawl                  // in records, to some of which other records belong
	InArray                  // in numbers behind a header that counts them
)

// HasFields reports whether documents have fields, to which others can be added.
func (l Layout) HasFields() bool {
	return slices.Contains([]Layout{InRecords, InElements, InRows, InColumns, InBatches}, l)
}

// isWhole reports whether a file is one document.
func (l Layout) isWhole() bool { return l == InFile || l == InText }

// Formats returns all formats, Auto first.
func Formats() []Format {
	all := make([]Format, len(kinds))
	for i := range all {
		all[i] = Format(i)
	}
	return all
}

// ParseFormat returns the format called name. The error lists all names.
func ParseFormat(name string) (f Format, err error) {
	names := ints.Names{What: "format"}
	for _, k := range kinds {
		names.All = append(names.All, k.name)
	}
	err = ints.ParseName(&names, &f, []byte(name))
	return f, err
}

// FormatUsage lists the names of all formats for a help text, such as "auto (by name and content), text or lines".
func FormatUsage() string {
	var names []string
	for _, k := range kinds {
		name := k.name
		if k.note != "" {
			name += " (" + k.note + ")"
		}
		names = append(names, name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// String returns the name of f, which ParseFormat reads.
func (f Format) String() string { return kinds[f].name }

// Words returns what messages call a file in the format, such as "JSON Lines".
func (f Format) Words() string { return cmp.Or(kinds[f].words, kinds[f].name) }

// Extensions returns the extensions of files that are read in the format by their names, such as ".jsonl".
func (f Format) Extensions() []string { return slices.Clone(kinds[f].extensions) }

// Layout returns how documents lie in files of the format. That of a file may differ: see Reader.Layout.
func (f Format) Layout() Layout { return kinds[f].layout }

// HasFields reports whether documents in the format have fields that can be named. Those of Auto may have.
func (f Format) HasFields() bool { return kinds[f].fields != fieldless }

// canName reports whether Options can name fields of documents in the format, others than that of the id among them.
func (f Format) canName(others bool) bool {
	return kinds[f].fields == anyField || kinds[f].fields == onlyID && !others
}

// named returns the format that the name of a file says, or Auto.
func named(name string) Format {
	ext := extensionOf(name)
	return Format(max(0, slices.IndexFunc(kinds, func(k *kind) bool { return slices.Contains(k.extensions, ext) })))
}

// formatOf returns the format of a file. It goes by the file's name if o.Format is Auto, and returns
// Text if the name leaves it open.
func formatOf(o Options, name string) Format {
	return cmp.Or(o.Format, named(name), Text)
}

// extensionOf returns the extension of a file in lower case, without that of its compression.
func extensionOf(name string) string { return strings.ToLower(path.Ext(plainName(name))) }

// plainName returns name without the extension of a compression format.
func plainName(name string) string {
	if inputs.IsCompressed(name) {
		return name[:len(name)-len(path.Ext(name))]
	}
	return name
}
