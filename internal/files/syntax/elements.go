package syntax

import (
	"errors"
	"fmt"
	"io"
)

// Elements reads the values of a file one after the other: the elements of an array, or values with or
// without white space between them, which begin with the bracket of an object. Only one is in memory at a
// time.
type Elements struct {
	// Number is that of the value that was read last, from 1.
	Number int
	// Start and End are where it begins and ends in the file.
	Start, End int64
	// InArray says that the values are elements of an array.
	InArray bool

	from Source
}

// NewElements returns the values of from.
func NewElements(from Source) *Elements { return &Elements{from: from} }

// Next appends the next value, which need not be valid, to dst. Of a value of more than most bytes it appends
// only enough to show that. At the end the error is io.EOF. After any other error nothing more can be read.
func (e *Elements) Next(dst []byte, most int64) ([]byte, error) {
	if err := e.advance(); err != nil {
		return nil, err
	}
	e.Number++
	value, err := e.read(dst, most)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("not JSON: it ends inside of element %d", e.Number)
	}
	return value, err
}

// AtEnd reports whether nothing but white space follows. It may wait for what follows.
func (e *Elements) AtEnd() bool {
	_, err := e.peek()
	return errors.Is(err, io.EOF)
}

// advance moves to the beginning of the next element. The error is io.EOF if there is none.
func (e *Elements) advance() error {
	c, err := e.peek()
	switch {
	case errors.Is(err, io.EOF) && e.InArray:
		return errors.New("not JSON: the array does not end")
	case err != nil:
		return err
	case !e.InArray && e.Number == 0 && c == '[':
		e.InArray = true
		_, _ = e.from.Discard(1)
		if c, err = e.peek(); err == nil && c == ']' {
			return e.end()
		}
		return nil // an error is there again for the element
	case !e.InArray && c != '{':
		return fmt.Errorf("not JSON: %q where an object should begin", c)
	case !e.InArray:
		return nil
	case c == ']':
		return e.end()
	case c != ',':
		return fmt.Errorf("not JSON: %q behind element %d, want a comma or ]", c, e.Number)
	}
	_, _ = e.from.Discard(1)
	return nil
}

// end reads the bracket that ends the array, and returns io.EOF, or another error if more follows.
func (e *Elements) end() error {
	_, _ = e.from.Discard(1)
	c, err := e.peek()
	if err == nil {
		err = fmt.Errorf("not JSON: %q behind the array", c)
	}
	return err
}

// peek returns the next byte that is not white space, without consuming it.
func (e *Elements) peek() (byte, error) {
	for {
		head, err := e.from.Peek(max(1, e.from.Buffered()))
		if len(head) == 0 {
			return 0, err
		}
		rest := SkipSpace(head)
		_, _ = e.from.Discard(len(head) - len(rest))
		if len(rest) > 0 {
			return rest[0], nil
		}
	}
}

// read appends a value to dst.
func (e *Elements) read(dst []byte, most int64) ([]byte, error) {
	if c, err := e.peek(); err != nil {
		return nil, err
	} else if c == ',' || c == ']' {
		return nil, fmt.Errorf("not JSON: %q where element %d should begin", c, e.Number)
	}
	e.Start = e.from.Offset()
	var scan Scanner
	for begin := len(dst); ; {
		head, err := e.from.Peek(max(1, e.from.Buffered()))
		if len(head) == 0 {
			return nil, err
		}
		n, ended := scan.Scan(head)
		if int64(len(dst)-begin) <= most {
			dst = append(dst, head[:n]...)
		}
		_, _ = e.from.Discard(n)
		if ended {
			e.End = e.from.Offset()
			return dst, nil
		}
	}
}
