package rewrite

import (
	"bytes"
	"errors"
	"io"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/prints"
	"simsearch/internal/files/syntax"
	"simsearch/internal/ground/disk"
)

// A parts is a file whose documents are parts of it that do not depend on each other, such as lines.
type parts struct {
	*copier
	w      *rewriting
	edit   edit
	edited []byte
}

// An edit appends a document, which stands in the file as raw, to dst, as a decision says that changes it.
type edit func(w *rewriting, dst, raw []byte, d Decision) ([]byte, error)

// edits are those of the documents of layouts. Texts of others cannot be replaced.
var edits = map[corpus.Layout]edit{
	corpus.InLines: editLine, corpus.InSets: editSet, corpus.InRecords: editJSON, corpus.InElements: editJSON,
}

func (p *parts) put(at corpus.Extent, d Decision) error {
	switch {
	case d.Replace && p.edit == nil:
		return p.w.noText("this format holds it in another form")
	case !d.Drop && !d.Replace && len(d.Values) == 0:
		return p.copyTo(at.End)
	}
	if err := p.copyTo(at.Start); err != nil || d.Drop {
		return errors.Join(err, p.skipTo(at.End))
	}
	raw, err := p.take(at.End)
	if err == nil {
		p.edited, err = p.edit(p.w, p.edited[:0], raw, d)
	}
	if err != nil {
		return err
	}
	return write(p.out, p.edited)
}

// end copies what is left.
func (p *parts) end(damaged bool) (err error) {
	p.w.result.Lost, err = p.rest(damaged)
	return err
}

func (p *parts) close() error { return p.copier.close() }

// cutEnd parts a line from its end.
func cutEnd(line []byte) (text, end []byte) {
	text = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	return text, line[len(text):]
}

// editLine is the edit of lines that are documents.
func editLine(w *rewriting, dst, raw []byte, d Decision) ([]byte, error) {
	if bytes.ContainsAny(d.Text, "\r\n") {
		return nil, w.noText("a text with line ends is no line")
	}
	_, end := cutEnd(raw)
	return append(append(dst, d.Text...), end...), nil
}

// editSet is the edit of lines that are sets, which stand behind their ids.
func editSet(w *rewriting, dst, raw []byte, d Decision) ([]byte, error) {
	id := raw[:bytes.IndexByte(raw, '\t')+1]
	return editLine(w, append(dst, id...), raw[len(id):], d)
}

// An elements is a file of JSON objects: the elements of an array, or one object after another. What is between two of
// them goes with the latter, unless that is the first one to be written.
type elements struct {
	parts
	began, written bool
}

func (e *elements) put(at corpus.Extent, d Decision) error {
	pass := e.skipTo
	if !e.began || e.written && !d.Drop { // the bracket of the array, or a comma
		pass = e.copyTo
	}
	e.began, e.written = true, e.written || !d.Drop
	if err := pass(at.Start); err != nil {
		return err
	}
	return e.parts.put(at, d)
}

// A mailbox is a file of messages. Some begin with a line that does not tell that they do, but for an empty line
// before it. Where that line was dropped with another message, it is written again.
type mailbox struct {
	parts
	tail    *tail
	dropped bool // the last message was dropped
}

// longestEnvelope is how much of a message is looked at to see whether its first line tells that it begins there.
const longestEnvelope = 4 << 10

func (m *mailbox) put(at corpus.Extent, d Decision) error {
	needsLine := m.dropped && !d.Drop && !d.Replace && m.tail.inText()
	m.dropped = d.Drop
	if needsLine {
		head, err := m.take(min(at.End, at.Start+longestEnvelope))
		if err != nil {
			return err
		}
		if !syntax.IsEnvelope(head) {
			head = append([]byte("\n"), head...)
		}
		if err := write(m.out, head); err != nil {
			return err
		}
	}
	return m.parts.put(at, d)
}

// A tail remembers the last bytes that are written.
type tail struct {
	io.WriteCloser
	last []byte // three of them at most
}

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.WriteCloser.Write(p)
	t.last = append(t.last, p[max(0, n-3):n]...)
	t.last = append(t.last[:0], t.last[max(0, len(t.last)-3):]...)
	return n, err
}

// inText reports whether something is written, and the last line is not empty.
func (t *tail) inText() bool {
	return len(t.last) > 0 && !bytes.HasSuffix(t.last, []byte("\n\n")) && !bytes.HasSuffix(t.last, []byte("\n\r\n"))
}

// An array is a file of fingerprints as an array of NumPy. It begins with its length, so that the numbers wait in
// a temporary file.
type array struct {
	parts
	numbers disk.File
	size    int64 // of numbers
	layout  prints.Layout
	to      io.WriteCloser
}

func newArray(fingerprints parts, layout prints.Layout) (sink, error) {
	numbers, err := fingerprints.w.o.FS.CreateTemp("")
	if err != nil {
		return nil, errors.Join(err, fingerprints.close())
	}
	a := &array{parts: fingerprints, numbers: numbers, layout: layout, to: fingerprints.out}
	a.out = numbers
	return a, nil
}

func (a *array) put(at corpus.Extent, d Decision) error {
	if err := a.skipTo(at.Start); err != nil { // the header
		return err
	}
	if !d.Drop {
		a.size += at.End - at.Start
	}
	return a.parts.put(at, d)
}

// damagedArray is an ErrDamaged.
type damagedArray struct{}

func (damagedArray) Error() string {
	return "its array is not as long as it says, or has no fingerprints"
}

func (damagedArray) Is(class error) bool { return class == ErrDamaged }

func (a *array) end(damaged bool) error {
	if damaged {
		return damagedArray{}
	}
	_, err := a.to.Write(prints.NPYHeader(a.size/int64(a.layout.Bytes), a.layout))
	if err == nil {
		_, err = io.Copy(a.to, io.NewSectionReader(a.numbers, 0, a.size))
	}
	return errors.Join(err, a.to.Close())
}

func (a *array) close() error { return errors.Join(a.parts.close(), a.numbers.Close()) }
