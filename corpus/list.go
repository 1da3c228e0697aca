package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"simsearch/internal/stream"
)

// maxList is the size in bytes of the longest list of inputs.
const maxList = 1 << 30

// findListed adds the inputs that the list in the file name has. A name in it that leads to nothing
// is a bad input, and is reported in its turn.
func (r *Reader) findListed(name string) error {
	list, err := r.readList(name)
	if err != nil {
		return err
	}
	end := []byte("\n")
	if bytes.IndexByte(list, 0) >= 0 {
		end = []byte{0}
	}
	n := 0
	for listed := range bytes.SplitSeq(list, end) {
		if err := r.interrupted(); err != nil {
			return err
		}
		n++
		if end[0] == '\n' {
			listed = bytes.TrimSuffix(listed, []byte("\r"))
		}
		if len(listed) == 0 {
			continue
		}
		first := len(r.inputs)
		err := r.findNamed(listed)
		for i := range r.inputs[first:] {
			r.inputs[first+i].listed = true
		}
		if err != nil {
			if interrupted := r.interrupted(); interrupted != nil {
				return interrupted
			}
			r.inputs = append(r.inputs, input{bad: &BadError{filepath.ToSlash(name), n, err}})
		}
	}
	return nil
}

// findNamed adds the input that a line of a list names.
func (r *Reader) findNamed(name []byte) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("a name of %d bytes, want at most %d", len(name), maxName)
	case string(name) == "-":
		return errors.New("- is standard input, which a list cannot name: ./- is a file of this name")
	}
	return r.find(string(name))
}

// readList reads a list of inputs.
func (r *Reader) readList(name string) (list []byte, err error) {
	from := r.o.Stdin
	if name == "-" {
		r.once = name
	} else {
		f, err := stream.OpenIrregular(r.o.Context, name)
		if err != nil {
			return nil, openError(err)
		}
		defer func() { _ = f.Close() }()
		if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
			r.once = filepath.ToSlash(name)
		}
		from = f
	}
	list, err = io.ReadAll(io.LimitReader(stream.Interruptibly(r.o.Context, from), maxList+1))
	switch {
	case err != nil:
		return nil, openError(err)
	case len(list) > maxList:
		return nil, fmt.Errorf("%s is longer than a list of inputs may be, which is %d MiB", name, maxList>>20)
	}
	return bytes.TrimPrefix(list, []byte(byteOrderMark)), nil
}
