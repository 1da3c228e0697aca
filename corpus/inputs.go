package corpus

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/stream"
)

// An input is one file to read.
type input struct {
	path  string // as shown and as used in ids; "-" is standard input
	size  int64
	named bool // given by the user, in a list, too, and not found in a directory

	irregular bool // a pipe or a device: opening or reading it may block

	listed bool // found by a list of inputs

	bad *BadError // what is wrong with the line of a list that should name it; nil if it names it
}

// once reports whether the input can be read only once.
func (in input) once() bool { return in.irregular || in.path == "-" }

// find adds the file called name, or the files of the directory called name.
func (r *Reader) find(name string) error {
	if name == "-" {
		if err := r.takeStdin(); err != nil {
			return err
		}
		r.inputs = append(r.inputs, input{path: "-", named: true})
		return nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return openError(err)
	}
	switch {
	case info.Mode().IsRegular():
		f, err := os.Open(name) // report an unreadable input now rather than at the end
		if err != nil {
			return openError(err)
		}
		r.add(input{path: name, size: info.Size(), named: true})
		return f.Close()
	case !info.IsDir():
		// Do not open a pipe to try it: its writer would take that for the reader, and see it
		// close.
		r.add(input{path: name, named: true, irregular: true})
		return nil
	case isIndex(name):
		return fmt.Errorf("%s is an index of simsearch, and no collection: name the documents", name)
	}
	return r.walk(name)
}

// takeStdin notes that standard input is used. It returns an error if it has been before.
func (r *Reader) takeStdin() error {
	if r.stdin {
		return errors.New("standard input (-) is named twice")
	}
	r.stdin = true
	return nil
}

func (r *Reader) add(in input) {
	if in.path = filepath.ToSlash(in.path); in.path == "-" {
		in.path = "./-" // a file in the directory .
	}
	r.inputs = append(r.inputs, in)
	r.total += in.size
}

func openError(err error) error {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		return fmt.Errorf("cannot read %s: %w", pe.Path, pe.Err)
	}
	return err
}

// ErrFormat marks a file in a format that this version does not read.
var ErrFormat = errors.New("is not read by this version")

// unread maps the usual extensions of formats that this version does not read. Reading a table as
// one long text would be a silent mistake.
var unread = map[string]string{
	".csv": "CSV", ".tsv": "TSV", ".parquet": "Parquet", ".warc": "WARC", ".wet": "WET",
}

// The extensions of JSON Lines and of HTML.
var (
	lineExtensions = []string{".jsonl", ".ndjson"}
	pageExtensions = []string{".html", ".htm", ".xhtml"}
)

// formatOf returns the format of a file. It goes by the file's name if o.Format is Auto, and returns
// Text if the name leaves it open.
func formatOf(o Options, name string) (Format, error) {
	if o.Format != Auto {
		return o.Format, nil
	}
	ext := extensionOf(name)
	switch {
	case slices.Contains(lineExtensions, ext):
		return JSONL, nil
	case slices.Contains(pageExtensions, ext):
		return HTML, nil
	}
	if what, ok := unread[ext]; ok {
		return 0, fmt.Errorf("%s %w", what, ErrFormat)
	}
	return Text, nil
}

// extensionOf returns the extension of a file in lower case, without that of its compression.
func extensionOf(name string) string { return strings.ToLower(path.Ext(plainName(name))) }

// plainName returns name without the extension of a compression format.
func plainName(name string) string {
	if stream.IsCompressed(name) {
		return name[:len(name)-len(path.Ext(name))]
	}
	return name
}
