package corpus

import (
	"slices"

	"simsearch/internal/files/inputs"
)

// A File is one file of the inputs of a Reader.
type File = inputs.Input

// Stdin is standard input as a File.
var Stdin = File{Path: "-", Named: true}

// Files returns the files that are read, in order. A line of a list that names none is left out.
func (r *Reader) Files() []File {
	return slices.DeleteFunc(slices.Clone(r.found.Inputs), func(in File) bool { return in.Bad != nil })
}

// Unread yields the lines of lists that name no file that is there, as Documents yields them.
func (r *Reader) Unread() (lines []*BadError) {
	for _, in := range r.found.Inputs {
		if in.Bad != nil {
			lines = append(lines, bad(in.Path, in.BadLine, in.Bad))
		}
	}
	return lines
}

// OpenFile returns a Reader of one file. It yields what the Reader that has found the file yields of it, if the
// options are the same and the file is. It never yields a *FieldError: a missing field makes a bad document.
func OpenFile(f File, o Options) (*Reader, error) {
	o.Lenient = true
	r, err := newReader(o)
	if err != nil {
		return nil, err
	}
	r.found.Inputs, r.found.Total = []File{f}, f.Size
	return r, nil
}

// Skip passes over the next n files of Files, and over what stands between them, as if they had been read: a missing
// field in what follows makes a bad document. It must be called between two files.
func (r *Reader) Skip(n int) {
	for ; n > 0 && r.next < len(r.found.Inputs); r.next++ {
		if in := r.found.Inputs[r.next]; in.Bad == nil {
			n--
			r.done.Add(in.Size)
			r.read = true
		}
	}
}

// Stop makes Documents end before file n of those that have not been read yet, counted as by Files. It must be called
// between two files.
func (r *Reader) Stop(n int) {
	for i := r.next; i < len(r.found.Inputs); i++ {
		if r.found.Inputs[i].Bad == nil {
			if n == 0 {
				r.found.Inputs = r.found.Inputs[:i]
				return
			}
			n--
		}
	}
}

// Private returns the first file of the inputs that not everybody can read, by its mode, or "". It is "-" for
// standard input from such a file.
func (r *Reader) Private() string { return r.found.Private }

// Dirs returns the directories among the inputs.
func (r *Reader) Dirs() []string { return r.found.Dirs }

// Empty returns the directories among the inputs in which no file was found. What a list of inputs names, and is not
// there, is among them, since it may have been a directory.
func (r *Reader) Empty() []string { return r.found.Empty }

// Rewind makes Documents begin again with the first file. What is no file is left out then: a line of a list that names
// none. It must be called between two files.
func (r *Reader) Rewind() {
	r.found.Inputs, r.next, r.leftOut = r.Files(), 0, nil
}

// Format returns how the file is read that Documents has come to. It is Auto if there has been none, or if the
// file could not be opened.
func (r *Reader) Format() Format { return r.format }

// Layout returns how documents lie in the file that Documents has come to. It is InFile if Format is Auto.
func (r *Reader) Layout() Layout { return r.layout }

// A Dialect is how a table in CSV or TSV is written.
type Dialect struct {
	Comma  byte     // between cells
	Header Extent   // of the row with the names of the columns
	Raw    []byte   // that row with its line end, as it stands in the file
	Names  []string // of the columns
	Texts  []int    // the numbers of the columns of texts, from 0
}

// Dialect returns the dialect of the table that Documents has come to. ok is false if it is no table in CSV or
// TSV, or has no header.
func (r *Reader) Dialect() (d Dialect, ok bool) { return r.dialect, len(r.dialect.Names) > 0 }

// CheckPatterns returns an error if one of Options.Include or Exclude is no pattern.
func CheckPatterns(patterns []string) error {
	_, err := inputs.Select(patterns, nil)
	return err
}

// RecordHeader returns the header of the record of a crawl, or of the message, that Documents has yielded last, valid
// until the next one. It is nil for a document of another format.
func (r *Reader) RecordHeader() []byte {
	if source, ok := r.src.(interface{ recordHeader() []byte }); ok {
		return source.recordHeader()
	}
	return nil
}

// Charset returns the charset in which the file is read that Documents has come to. It is UTF-8 as long as nothing
// but ASCII has been read. Places (Extent, document.Origin) in a file that is not in UTF-8 are those in the text that
// it has in UTF-8.
func (r *Reader) Charset() inputs.Charset { return r.charset }

// LeftOut returns all of which nothing is read, as far as Documents has come: first what is no file, then files in
// their order. Each file of Files is opened and read, or left out.
func (r *Reader) LeftOut() []LeftOut { return slices.Concat(r.found.Passed, r.leftOut) }

// OfPictures reports whether nine of ten files, or more, have the name of a picture.
func (r *Reader) OfPictures() bool {
	n := 0
	for _, in := range r.found.Inputs {
		if slices.Contains(pictureExtensions, extensionOf(in.Path)) {
			n++
		}
	}
	return n > 0 && 10*n >= 9*len(r.found.Inputs)
}

// HasMail reports whether a file has the name of mail.
func (r *Reader) HasMail() bool {
	return slices.ContainsFunc(r.found.Inputs, func(in inputs.Input) bool { return slices.Contains(mailKind.extensions, extensionOf(in.Path)) })
}
