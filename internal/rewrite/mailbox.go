package rewrite

import (
	"io"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/mailtext"
)

// A mailbox is a file of messages. Some begin with a line that does not tell that they do, but for an empty line before it.
// Where that line was dropped with another message, it is written again.
type mailbox struct {
	lines
	tail    *tail
	dropped bool // the last message was dropped
}

// newMailbox returns the sink for a mailbox.
func newMailbox(messages lines) *mailbox {
	t := &tail{WriteCloser: messages.out}
	messages.out = t
	return &mailbox{lines: messages, tail: t}
}

func (m *mailbox) keep(at corpus.Extent, doc *document.Document, d Decision) error {
	if d.Replace || !m.needsLine() {
		m.dropped = false
		return m.lines.keep(at, doc, d)
	}
	raw, err := m.take(at.End)
	if err != nil {
		return err
	}
	if !mailtext.IsEnvelope(raw) {
		if err := m.emptyLine(); err != nil {
			return err
		}
	}
	m.dropped = false
	return write(m.out, raw)
}

func (m *mailbox) drop(at corpus.Extent) error {
	m.dropped = true
	return m.lines.drop(at)
}

func (m *mailbox) copy(at corpus.Extent) error {
	if m.needsLine() {
		if err := m.emptyLine(); err != nil {
			return err
		}
	}
	m.dropped = false
	return m.lines.copy(at)
}

// needsLine reports whether the next message stands behind one that was dropped, and behind no empty line.
func (m *mailbox) needsLine() bool { return m.dropped && m.tail.n > 0 && !m.tail.isBlank() }

func (m *mailbox) emptyLine() error {
	_, err := io.WriteString(m.out, "\n")
	return err
}

// A tail remembers the last bytes that are written.
type tail struct {
	io.WriteCloser
	last [len("\n\r\n")]byte
	n    int64
}

func (t *tail) Write(p []byte) (int, error) {
	n, err := t.WriteCloser.Write(p)
	t.n += int64(n)
	for _, c := range p[max(0, n-len(t.last)):n] {
		copy(t.last[:], t.last[1:])
		t.last[len(t.last)-1] = c
	}
	return n, err
}

// isBlank reports whether the last line is empty.
func (t *tail) isBlank() bool {
	return t.last[2] == '\n' && (t.last[1] == '\n' || t.last[1] == '\r' && t.last[0] == '\n')
}
