package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"simsearch/internal/files/inputs"
	"simsearch/internal/files/syntax"
)

// A Decision says how an input is read if its name alone does not say it.
type Decision struct {
	Path   string // "-" is standard input
	Format Format // how the input is read
	// Looks is the format that the content looks like. It differs from Format if the name of the
	// file decides.
	Looks Format
	// Charset is the name of the charset of the input, if that is not UTF-8, or "". A decision about the charset
	// is one of its own, with Auto as its formats.
	Charset string
	// Oddity is what is odd about one document of the input, which is read in Charset. Path has its place, too.
	Oddity Oddity
	Named  string // the charset that Oddity is about, or ""
}

// An Oddity says what is odd about a document.
type Oddity uint8

// The oddities.
const (
	OtherCharset   Oddity = iota + 1 // it names another charset than its header, which counts
	UnknownCharset                   // its charset has a name that is not known
	NoCharset                        // it names no charset, and is not in UTF-8
	NoType                           // it may be a text by its header, and is none by its bytes: it is left out
	WrongCharset                     // its header or it itself names a charset, and it is in another one
)

// ErrNames marks standard input that is a list of files. It is most likely not the text that it
// would be taken for.
var ErrNames = errors.New("its lines are names of files")

// ErrFields marks a format without records, where Options name the fields of records.
var ErrFields = errors.New("fields of records are named, but it has none")

// decide returns the format of an input, by its content if Options and its name leave that open.
func (r *Reader) decide(in inputs.Input, s *inputs.Stream, format Format) (Format, error) {
	looks := format
	// No fingerprint of more than 64 bits is made of a text, so that lines of them are what they look like.
	if r.bits > 64 && r.o.Format == Auto && !r.fields {
		if head := s.Beginning(sniffSize, in.Once()); looksLikeFingerprints(r, head, len(head) < sniffSize) {
			return Fingerprints, nil
		}
	}
	if r.o.Format == Auto && format == Text {
		var err error
		if format, looks, err = r.decideByContent(in, s); err != nil {
			return format, err
		}
	}
	// A field of texts is asked of records, and other files are read without. A fingerprint cannot be had without.
	if r.fields && r.o.FingerprintField != "" && !format.canName(true) {
		err := fmt.Errorf("%w: it is read as %s", ErrFields, format)
		if in.Named && !in.Listed {
			return format, wrongInput(in.Path, err)
		}
		return format, err
	}
	if r.o.Format == Auto && (format != looks || r.isTelling(in, s, format)) {
		r.decided(in, format, looks)
	}
	return format, nil
}

// decided tells how an input is read.
func (r *Reader) decided(in inputs.Input, format, looks Format) {
	r.o.Decided(Decision{Path: in.Path, Format: format, Looks: looks})
}

// sniffed are the formats that the content of a file may show, in the order in which they are tried. The first one
// awaits no more of a pipe than it must.
var sniffed = []Format{JSONL, Mail, CSV} // JSONL finds JSON, and CSV finds TSV

// decideByContent returns how an input is read, and what it looks like.
func (r *Reader) decideByContent(in inputs.Input, s *inputs.Stream) (format, looks Format, err error) {
	looks = Text
	for _, f := range sniffed {
		if looks == Text {
			looks = kinds[f].looks(r, s, in.Path)
		}
	}
	if in.Path == "-" && looks == Text && inputs.NamesFiles(s.Fill()) {
		return Text, looks, wrongInput(in.Path, ErrNames)
	}
	ext := extensionOf(in.Path)
	switch {
	case in.Once():
		return looks, looks, nil
	case slices.Contains(textExtensions, ext):
		return Text, looks, nil
	case ext == ".json" && in.Named && looks == Text:
		return JSON, JSON, nil // and what is wrong with it is reported
	case ext == ".json" && in.Named:
		return looks, looks, nil
	}
	// A directory may have any JSON, such as settings of programs. It has records if the first one
	// has a text.
	if (looks == JSON || looks == JSONL) && !in.Named && !r.fields && !r.o.AllTexts && !hasText(r.textFields, s, looks) {
		return Text, Text, nil
	}
	if looks == JSON && ext != ".json" && syntax.SkipSpace(s.Fill())[0] == '{' {
		return Text, Text, nil // one object that is spread over lines, in a file that is not named JSON
	}
	return looks, looks, nil
}

// textExtensions are those of files that are texts, whatever they look like.
var textExtensions = []string{".txt", ".text", ".md", ".markdown", ".rst", ".tex", ".log"}

// isTextName reports whether the name of a file says that it is a text.
func isTextName(name string) bool {
	ext, format := extensionOf(name), named(name)
	is := kinds[format].charsets
	return format != Auto && (is == oneCharset || is == pageCharset) || ext == ".json" || slices.Contains(textExtensions, ext)
}

// isTelling reports whether a user should be told how an input is read.
func (r *Reader) isTelling(in inputs.Input, s *inputs.Stream, format Format) bool {
	switch format {
	case JSON:
		return true
	case Text:
		return extensionOf(in.Path) == ".json" || in.Path == "-" && bytes.IndexByte(bytes.TrimSpace(s.Fill()), '\n') >= 0
	}
	return formatOf(r.o, in.Path) != format
}
