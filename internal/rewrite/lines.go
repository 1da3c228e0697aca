package rewrite

import (
	"bytes"

	"simsearch/corpus"
	"simsearch/document"
)

// A lines is a file whose documents are parts of it that do not depend on each other, such as lines.
type lines struct {
	*copier
	w      *rewriting
	edit   edit
	edited []byte
}

// An edit appends a document, which stands in the file as raw, to dst, as a decision says that changes it.
type edit func(w *rewriting, dst, raw []byte, d Decision) ([]byte, error)

func (l *lines) keep(at corpus.Extent, _ *document.Document, d Decision) error {
	if !d.Replace && len(d.Values) == 0 {
		return l.copyTo(at.End)
	}
	if err := l.copyTo(at.Start); err != nil {
		return err
	}
	raw, err := l.take(at.End)
	if err != nil {
		return err
	}
	if l.edited, err = l.edit(l.w, l.edited[:0], raw, d); err != nil {
		return err
	}
	_, err = l.out.Write(l.edited)
	return err
}

func (l *lines) drop(at corpus.Extent) error {
	if err := l.copyTo(at.Start); err != nil {
		return err
	}
	return l.skipTo(at.End)
}

func (l *lines) copy(at corpus.Extent) error { return l.copyTo(at.End) }
func (l *lines) close() error                { return l.copier.close() }

// end copies what is left.
func (l *lines) end(damaged bool) error { return l.rest(damaged) }

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

// editSet is the edit of lines that are sets.
func editSet(w *rewriting, dst, raw []byte, d Decision) ([]byte, error) {
	if bytes.ContainsAny(d.Text, "\r\n") {
		return nil, w.noText("items with line ends are no set")
	}
	line, end := cutEnd(raw)
	id := line[:bytes.IndexByte(line, '\t')+1]
	return append(append(append(dst, id...), d.Text...), end...), nil
}

// editNothing is the edit of documents whose texts cannot be replaced.
func editNothing(w *rewriting, _, _ []byte, _ Decision) ([]byte, error) {
	return nil, w.noText("this format holds it in another form")
}
