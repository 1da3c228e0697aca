package corpus

import (
	"errors"
	"fmt"
	"io"

	"simsearch/document"
	"simsearch/internal/jsontext"
)

// An elementSource is a file of JSON objects: the elements of an array, or one object after
// another. White space may stand between them. Only one object is in memory at a time.
type elementSource struct {
	jsonSource
	inArray bool
	begun   bool
	ended   int64 // where the element that was read last ends
}

// extent returns the place of the element that was read last.
func (e *elementSource) extent() (start, end int64) { return e.start, e.ended }

func (e *elementSource) next(doc *document.Document) error {
	element, err := e.read()
	if err != nil {
		return err
	}
	return e.record(doc, element)
}

// read returns the next object, which is valid until the next read.
func (e *elementSource) read() ([]byte, error) {
	more, err := e.advance()
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, io.EOF
	}
	e.line++
	element, err := e.element()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not JSON: it ends inside of element %d", e.line)
	}
	if err != nil {
		return nil, err
	}
	if int64(len(element)) > e.r.limits.document {
		return nil, bad(e.path, e.line, e.r.limits.tooLong())
	}
	if e.line == 1 && !e.inArray && !e.r.found.Inputs[e.r.next-1].Once() {
		if _, err := e.peek(); errors.Is(err, io.EOF) {
			e.line = 0 // the file is one record
		}
	}
	return element, nil
}

// advance moves to the beginning of the next element, and reports whether there is one.
func (e *elementSource) advance() (bool, error) {
	first := !e.begun
	e.begun = true
	c, err := e.peek()
	if errors.Is(err, io.EOF) && !e.inArray {
		return false, nil
	}
	if errors.Is(err, io.EOF) {
		return false, errors.New("not JSON: the array does not end")
	}
	if err != nil {
		return false, err
	}
	switch {
	case first && c == '[':
		e.inArray = true
		_, _ = e.s.Discard(1)
		if c, err = e.peek(); err == nil && c == ']' {
			return false, e.end()
		}
		return true, nil // an error is there again for the element
	case !e.inArray && c != '{':
		return false, fmt.Errorf("not JSON: %q where an object should begin", c)
	case !e.inArray:
		return true, nil
	case c == ']':
		return false, e.end()
	case c != ',':
		return false, fmt.Errorf("not JSON: %q behind element %d, want a comma or ]", c, e.line)
	}
	_, _ = e.s.Discard(1)
	return true, nil
}

// end reads the bracket that ends the array. It returns an error if more follows.
func (e *elementSource) end() error {
	_, _ = e.s.Discard(1)
	c, err := e.peek()
	switch {
	case err == nil:
		return fmt.Errorf("not JSON: %q behind the array", c)
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// peek returns the next byte that is not white space, without consuming it.
func (e *elementSource) peek() (byte, error) {
	for {
		head, err := e.s.Peek(max(1, e.s.Buffered()))
		if len(head) == 0 {
			return 0, err
		}
		rest := jsontext.SkipSpace(head)
		_, _ = e.s.Discard(len(head) - len(rest))
		if len(rest) > 0 {
			return rest[0], nil
		}
	}
}

// element reads a value. Of a value that is too long it returns only enough to show that.
func (e *elementSource) element() ([]byte, error) {
	if c, err := e.peek(); err != nil {
		return nil, err
	} else if c == ',' || c == ']' {
		return nil, fmt.Errorf("not JSON: %q where element %d should begin", c, e.line)
	}
	e.start = e.s.Offset()
	var scan jsontext.Scanner
	most := e.r.limits.document
	value := e.r.buf[:0]
	for {
		head, err := e.s.Peek(max(1, e.s.Buffered()))
		if len(head) == 0 {
			return nil, err
		}
		n, ended := scan.Scan(head)
		if int64(len(value)) <= most {
			value = append(value, head[:n]...)
		}
		_, _ = e.s.Discard(n)
		e.ended = e.s.Offset()
		if ended {
			e.r.buf, e.raw = value, value
			e.length = int64(len(value))
			return value, nil
		}
	}
}
