package rewrite

import (
	"errors"
	"fmt"
	"io"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/values"
)

// An array is a file of fingerprints as an array of NumPy. It begins with its length, so that the numbers wait in
// a temporary file.
type array struct {
	lines
	numbers disk.File
	size    int64
	out     io.WriteCloser // of the copier
}

func newArray(parts lines) (sink, error) {
	fsys := parts.w.o.FS
	if fsys == nil {
		fsys = disk.OS
	}
	numbers, err := fsys.CreateTemp("")
	if err != nil {
		return nil, errors.Join(err, parts.close())
	}
	return &array{lines: parts, numbers: numbers, out: parts.out}, nil
}

func (a *array) keep(at corpus.Extent, doc *document.Document, d Decision) error {
	if d.Replace {
		return a.w.noText("it is a fingerprint")
	}
	return a.copy(at)
}

func (a *array) copy(at corpus.Extent) error {
	a.size += at.End - at.Start
	if err := a.skipTo(at.Start); err != nil {
		return err
	}
	return a.pass(at.End, a.numbers)
}

func (a *array) drop(at corpus.Extent) error { return a.skipTo(at.End) }

func (a *array) end(damaged bool) error {
	if damaged {
		return fmt.Errorf("rewrite: an array that ends early cannot be written again")
	}
	if _, err := a.out.Write(values.NPYHeader(a.size / 8)); err != nil {
		return err
	}
	if _, err := io.Copy(a.out, io.NewSectionReader(a.numbers, 0, a.size)); err != nil {
		return err
	}
	return a.out.Close()
}

func (a *array) close() error { return errors.Join(a.lines.close(), a.numbers.Close()) }
