package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spaolacci/murmur3"

	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/mailtext"
	"simsearch/internal/stream"
)

// emlExtension is that of files that are one message each.
const emlExtension = ".eml"

var mailKind = kind{
	name: "mail", words: "mail", extensions: []string{".mbox", ".mbx", emlExtension}, layout: InMailbox, fields: anyField, charsets: ownCharsets,
	looks: looksLikeMail, open: openMail, reread: rereadMail,
}

// openMail returns the source of a mailbox, or of a file that is one message.
func openMail(l lineSource, guessed bool) (source, error) {
	whole := extensionOf(l.path) == emlExtension
	if !whole {
		head := bytes.TrimLeft(l.s.Fill(), "\r\n")
		whole = len(head) > 0 && !bytes.HasPrefix(head, []byte("From "))
	}
	if whole {
		l.r.layout = InFile
		return openMessage(l, guessed)
	}
	return &mailboxSource{lineSource: l, messages: mailtext.NewMailbox(l.s, l.r.limits.document), ids: firsts{}, mailHeader: mailHeader{reader: l.r}}, nil
}

func openMessage(l lineSource, _ bool) (source, error) {
	return &messageSource{textSource{lineSource: l}, mailHeader{reader: l.r}}, nil
}

// A mailboxSource is a file of messages, one behind the other.
//
// The id of a document is its Message-ID, since that is what mail is looked for by, and since numbers change when a
// mailbox does. A mailbox may have a Message-ID twice. The second time, and where there is none, the id is path#n. As in
// a crawl, an id does not depend on the text or on other files. Options.IDField can name another field of the header.
type mailboxSource struct {
	lineSource // line is the number of the message
	messages   *mailtext.Mailbox
	end        int64 // of the message
	mailHeader
	ids firsts
}

func (b *mailboxSource) next(doc *document.Document) error {
	raw, place, err := b.messages.Next()
	b.line, b.start, b.length, b.end = place.Number, place.Start, int64(len(raw)), place.End
	switch {
	case errors.Is(err, mailtext.ErrTooLong):
		return bad(b.path, b.line, b.r.limits.tooLong())
	case err != nil:
		return err
	}
	m, err := mailtext.Parse(mailtext.Unmark(raw))
	if err != nil {
		return bad(b.path, b.line, err)
	}
	b.header = m.Header
	text, err := b.mailText(m)
	if err != nil {
		return err
	}
	id, err := b.id(doc.ID, m.Header)
	if err != nil {
		return err
	}
	*doc = document.Document{ID: id, Text: text, Line: b.line, Origin: b.origin()}
	return nil
}

// id writes the id of a message over buf.
func (b *mailboxSource) id(buf []byte, h mailtext.Header) ([]byte, error) {
	if b.r.o.IDField != "" {
		return b.mailID(buf, h)
	}
	if id := h.ID(); b.ids.is(id) {
		return append(buf[:0], id...), nil
	}
	return b.place(buf), nil
}

// extent returns the place of the message, with the empty lines behind it.
func (b *mailboxSource) extent() (start, end int64) { return b.start, b.end }

// A messageSource is a file that is one message. Its id is that of other files, its path: a Message-ID would be that of
// its copies in other files, too.
type messageSource struct {
	textSource
	mailHeader
}

func (s *messageSource) next(doc *document.Document) error {
	if err := s.textSource.next(doc); err != nil {
		return err
	}
	m, err := mailtext.Parse(bytes.TrimLeft(doc.Text, "\r\n"))
	if err != nil {
		return bad(s.path, 0, err)
	}
	s.header = m.Header
	if doc.Text, err = s.mailText(m); err != nil {
		return err
	}
	if s.r.o.IDField != "" {
		doc.ID, err = s.mailID(doc.ID, m.Header)
	}
	return err
}

// bodyField is the name of what a message says, among the fields of its header. The usual name of texts stands for it,
// too.
const bodyField = "body"

// mailText returns the text of the message that was read last: what it has of Options.TextField. The
// text is a part of the message, or new.
func (l *lineSource) mailText(m mailtext.Message) (text []byte, err error) {
	found := false
	for _, name := range l.r.textFields {
		var value []byte
		if strings.EqualFold(name, bodyField) || name == defaultTextField {
			if value, err = l.r.mail.Text(m); errors.Is(err, mailtext.ErrTooLong) {
				err = l.r.limits.tooLong()
			}
			if err != nil {
				return nil, bad(l.path, l.line, err)
			}
		} else {
			field, ok := m.Header.Field(name)
			if !ok {
				continue
			}
			value = []byte(field)
		}
		if text, found = joinField(text, value, found), true; int64(len(text)) > l.r.limits.document {
			return nil, bad(l.path, l.line, l.r.limits.tooLong())
		}
	}
	if !found {
		return nil, l.noMailField(m.Header, l.r.textFields, "TextField")
	}
	return text, nil
}

// joinField appends a field to those before it, if there are others. It changes neither.
func joinField(text, value []byte, others bool) []byte {
	if !others {
		return value
	}
	return bytes.Join([][]byte{text, value}, []byte("\n"))
}

// mailID writes the field of a header that Options.IDField names over buf.
func (l *lineSource) mailID(buf []byte, h mailtext.Header) ([]byte, error) {
	name := l.r.o.IDField
	value, ok := h.Field(name)
	switch {
	case !ok:
		return nil, l.noMailField(h, []string{name}, "IDField")
	case strings.EqualFold(name, "Message-ID"):
		value = string(h.ID())
	}
	if value == "" {
		return nil, bad(l.path, l.line, fmt.Errorf("the field %q is empty, or no id", name))
	}
	return append(buf[:0], value...), nil
}

// noMailField returns the error for a header that has none of some fields: a *FieldError if nothing has been read before,
// since the name is then likely to be wrong.
func (l *lineSource) noMailField(h mailtext.Header, wanted []string, option string) error {
	if l.r.read || l.r.o.Lenient {
		return bad(l.path, l.line, errors.New(noField(wanted)))
	}
	return &FieldError{Path: l.path, Line: l.line, Field: strings.Join(wanted, ","), Option: option, Fields: append(h.Names(), bodyField)}
}

// looksLikeMail returns Mail for a file that begins as a mailbox or a message does. Patches do, and are texts.
func looksLikeMail(_ *Reader, s *stream.Stream, path string) Format {
	switch ext := extensionOf(path); {
	case ext == ".patch", ext == ".diff":
		return Text
	case mailtext.LooksLikeMailbox(s.Fill()), mailtext.LooksLikeMessage(s.Fill()):
		return Mail
	}
	return Text
}

// MailWithout returns in one form what Options.MailWithout names, or an error that lists what it can be. "nothing" is "".
func MailWithout(names string) (string, error) {
	without, err := mailtext.ParseWithout(names)
	return without.String(), err
}

// rereadMail returns the text of a message.
func rereadMail(r *Rereader, from document.Origin, _ charset.Charset) ([]byte, error) {
	if from.Length == 0 {
		text, err := r.file(from.Path, openMessage, charset.UTF8)
		if errors.As(err, new(*BadError)) {
			err = brokenSince(err)
		}
		return text, err
	}
	raw, err := r.bytes(from, charset.UTF8)
	if err != nil {
		return nil, err
	}
	m, err := mailtext.Parse(mailtext.Unmark(raw))
	if err == nil {
		raw, err = (&lineSource{r: r.r, path: from.Path}).mailText(m)
	}
	return raw, brokenSince(err)
}

// brokenSince returns the error for a message that could be read earlier, and has the error err now.
func brokenSince(err error) error {
	if bad := (*BadError)(nil); errors.As(err, &bad) {
		err = bad.Err
	}
	if err != nil && !errors.Is(err, ErrTooLong) {
		err = fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return err
}

// A mailHeader is the header of the message that was read last.
type mailHeader struct {
	reader *Reader
	header mailtext.Header
}

func (h *mailHeader) recordHeader() []byte { return h.header }

func (h *mailHeader) fieldNames() []string { return h.header.Names() }

// keptField returns field i of Reader.keep. The date, and any date in Options.Field, is as mailtext.Date has it.
func (h *mailHeader) keptField(i int) (value []byte, ok bool) {
	name := h.reader.keep[i]
	text, ok := h.header.Field(name)
	if strings.EqualFold(name, "date") || i == len(h.reader.o.KeepFields) {
		text = mailtext.Date(text)
	}
	return []byte(text), ok && text != ""
}

// firsts are the hashes of ids that have been.
type firsts map[uint64]struct{}

// is reports whether an id is there, and for the first time.
func (f firsts) is(id []byte) bool {
	hash := murmur3.Sum64(id)
	_, again := f[hash]
	if len(id) > 0 {
		f[hash] = struct{}{}
	}
	return len(id) > 0 && !again
}
