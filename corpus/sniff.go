package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/csvtext"
	"simsearch/internal/inputs"
	"simsearch/internal/jsontext"
	"simsearch/internal/stream"
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
}

// ErrNames marks standard input that is a list of files. It is most likely not the text that it
// would be taken for.
var ErrNames = errors.New("its lines are names of files")

// ErrFields marks an input without records, where Options name the fields of records.
var ErrFields = errors.New("fields of records are named, but it has none")

// decide returns the format of an input, by its content if Options and its name leave that open.
func (r *Reader) decide(in inputs.Input, s *stream.Stream, format Format) (Format, error) {
	looks := format
	if r.o.Format == Auto && format == Text {
		var err error
		if format, looks, err = r.decideByContent(in, s); err != nil {
			return format, err
		}
	}
	if r.fields && !r.canName(format) {
		err := fmt.Errorf("%w: it is read as %s", ErrFields, format)
		if in.Named && !in.Listed {
			return format, &InputError{in.Path, err}
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
	if r.o.Decided != nil {
		r.o.Decided(Decision{Path: in.Path, Format: format, Looks: looks})
	}
}

// canName reports whether the fields that Options name can be those of documents in a format.
func (r *Reader) canName(format Format) bool {
	return format.hasFields() || format == WARC && !r.otherThanID
}

// decideByContent returns how an input is read, and what it looks like.
func (r *Reader) decideByContent(in inputs.Input, s *stream.Stream) (format, looks Format, err error) {
	if looks = looksOf(s); looks == Text && looksLikeMail(s.Fill(), in.Path) {
		looks = Mail
	}
	if looks == Text {
		looks = r.looksLikeTable(s)
	}
	if in.Path == "-" && looks == Text && inputs.NamesFiles(s.Fill()) {
		return Text, looks, &InputError{in.Path, ErrNames}
	}
	ext := extensionOf(in.Path)
	switch {
	case in.Once():
		return looks, looks, nil
	case slices.Contains(textExtensions, ext):
		return Text, looks, nil
	case ext == ".json" && in.Named:
		if looks == Text {
			return JSON, JSON, nil // and what is wrong with it is reported
		}
		return looks, looks, nil
	}
	// A directory may have any JSON, such as settings of programs. It has records if the first one
	// has a text.
	if (looks == JSON || looks == JSONL) && !in.Named && !r.fields && !r.hasText(s, looks) {
		return Text, Text, nil
	}
	if looks == JSON && ext != ".json" && jsontext.SkipSpace(s.Fill())[0] == '{' {
		return Text, Text, nil // one object that is spread over lines, in a file that is not named JSON
	}
	return looks, looks, nil
}

// textExtensions are those of files that are texts, whatever they look like.
var textExtensions = []string{".txt", ".text", ".md", ".markdown", ".rst", ".tex", ".log"}

// isTextName reports whether the name of a file says that it is a text.
func isTextName(name string) bool {
	ext := extensionOf(name)
	format, ok := formats[ext]
	return ok && format.hasCharset() || ext == ".json" || slices.Contains(textExtensions, ext)
}

// isTelling reports whether a user should be told how an input is read.
func (r *Reader) isTelling(in inputs.Input, s *stream.Stream, format Format) bool {
	switch format {
	case JSON:
		return true
	case JSONL, CSV, TSV, WARC, Mail:
		return formatOf(r.o, in.Path) != format
	case Text:
		return extensionOf(in.Path) == ".json" || in.Path == "-" && bytes.IndexByte(bytes.TrimSpace(s.Fill()), '\n') >= 0
	}
	return false
}

// hasText reports whether the first record has one of the text fields. A record that is longer than
// the buffer has one if the buffer has the name of one, as of a field.
func (r *Reader) hasText(s *stream.Stream, format Format) bool {
	head := s.Fill()
	full := len(head) == bufferSize
	head = jsontext.SkipSpace(head)
	if head[0] == '[' {
		head = jsontext.SkipSpace(head[1:])
	}
	var scan jsontext.Scanner
	n, ended := scan.Scan(head)
	if !ended {
		return full && slices.ContainsFunc(r.textFields, func(name string) bool { return namesField(head, name) })
	}
	record := head[:n]
	if n == 0 || record[0] != '{' || jsontext.Validate(record) != nil {
		return format == JSONL // an error to report
	}
	var u jsontext.Unquoter
	return slices.ContainsFunc(r.textFields, func(name string) bool { return u.Field(record, name) != nil })
}

// namesField reports whether name stands in JSON as that of a field: in quotes, before a colon. Of a
// path through nested objects, the last name is looked for.
func namesField(json []byte, name string) bool {
	quoted := []byte(`"` + name[strings.LastIndexByte(name, '.')+1:] + `"`)
	for {
		at := bytes.Index(json, quoted)
		if at < 0 {
			return false
		}
		json = json[at+len(quoted):]
		if rest := bytes.TrimLeft(json, " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
			return true
		}
	}
}

// looksOf returns JSONL, JSON or, for all else, Text: what the stream looks like. It reads ahead as
// far as it must.
func looksOf(s *stream.Stream) Format {
	for {
		head, whole := s.Arrived()
		if shape, enough := jsontext.LooksLike(head, whole || len(head) == bufferSize); enough {
			return [...]Format{jsontext.Other: Text, jsontext.Lines: JSONL, jsontext.Values: JSON}[shape]
		}
		s.AwaitMore()
	}
}

// looksLikeTable returns CSV or TSV if the stream begins with a header that has a column of texts, and Text
// otherwise.
func (r *Reader) looksLikeTable(s *stream.Stream) Format {
	head := s.Fill()
	comma, ok := csvtext.LooksLike(head, len(head) < bufferSize, r.textFields)
	switch {
	case !ok:
		return Text
	case comma == '\t':
		return TSV
	}
	return CSV
}
