package inputs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"simsearch/internal/ground/objects"
)

// maxList is the size in bytes of the longest list of inputs.
const maxList = 1 << 30

// findListed adds the inputs that the list in the file name has. A name in it that leads to nothing
// is a bad input, and is reported in its turn.
func (f *Finder) findListed(name string) error {
	list, err := f.readList(name)
	if err != nil {
		return err
	}
	n, end := 0, endOfNames(list)
	for listed := range bytes.SplitSeq(list, end) {
		if err := f.interrupted(); err != nil {
			return err
		}
		n++
		if end[0] == '\n' {
			listed = bytes.TrimSuffix(listed, []byte("\r"))
		}
		if len(listed) == 0 {
			continue
		}
		first := len(f.Inputs)
		err := f.findNamed(listed)
		for i := range f.Inputs[first:] {
			f.Inputs[first+i].Listed = true
		}
		if err != nil {
			if interrupted := f.interrupted(); interrupted != nil {
				return interrupted
			}
			f.Inputs = append(f.Inputs, Input{Path: filepath.ToSlash(name), Bad: err, BadLine: n})
			f.Empty = append(f.Empty, string(listed))
		}
	}
	return nil
}

// endOfNames returns what ends each name of a list: a NUL if there is one.
func endOfNames(list []byte) []byte {
	if bytes.IndexByte(list, 0) >= 0 {
		return []byte{0}
	}
	return []byte{'\n'}
}

// findNamed adds the input that a line of a list names.
func (f *Finder) findNamed(name []byte) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("a name of %d bytes, want at most %d", len(name), maxName)
	case string(name) == "-":
		return errors.New("- is standard input, which a list cannot name: ./- is a file of this name")
	}
	return f.find(string(name))
}

// readList reads a list of inputs.
func (f *Finder) readList(name string) (list []byte, err error) {
	from := f.o.Stdin
	if name == "-" {
		f.Once = name
	} else {
		opened, err := f.openList(name)
		if err != nil {
			return nil, openError(err)
		}
		defer func() { _ = opened.Close() }()
		if info, err := opened.Stat(); err == nil && !info.Mode().IsRegular() {
			f.Once = filepath.ToSlash(name)
		}
		from = opened
	}
	list, err = io.ReadAll(io.LimitReader(Interruptibly(f.o.Context, from), maxList+1))
	switch {
	case err != nil:
		return nil, openError(err)
	case len(list) > maxList:
		return nil, fmt.Errorf("%s is longer than a list of inputs may be, which is %d MiB", name, maxList>>20)
	}
	return bytes.TrimPrefix(list, []byte("\ufeff")), nil
}

// openList opens a list of inputs, which may be a pipe, or an object.
func (f *Finder) openList(name string) (objects.File, error) {
	if objects.Is(name) {
		return objects.Open(f.o.Context, name)
	}
	return OpenIrregular(f.o.Context, name)
}

// maxNamed is the number of lines that NamesFiles looks at.
const maxNamed = 20

// NamesFiles reports whether head has lines, or parts that NUL ends, and all of them are names of
// files. Of a long list it looks at the first ones.
func NamesFiles(head []byte) bool {
	names, end := 0, endOfNames(head)
	for line := range bytes.SplitAfterSeq(head, end) {
		name, complete := bytes.CutSuffix(line, end)
		name = bytes.TrimSuffix(name, []byte("\r"))
		if len(name) == 0 || !complete && len(head) == BufferSize {
			continue
		}
		if len(name) > maxName {
			return false
		}
		if _, err := os.Stat(string(name)); err != nil && !objects.Is(string(name)) {
			return false
		}
		if names++; names == maxNamed {
			break
		}
	}
	return names > 0
}

// maxName is the length in bytes of the longest path that systems allow.
const maxName = 4096
