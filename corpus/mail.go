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
	return &mailboxSource{lineSource: l, messages: mailtext.NewMailbox(l.s, l.r.limits.document), seen: map[uint64]struct{}{}}, nil
}

func openMessage(l lineSource, _ bool) (source, error) {
	return &messageSource{textSource: l.whole()}, nil
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
	header     mailtext.Header
	seen       map[uint64]struct{} // hashes of Message-IDs
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
	text, err := mailText(b.r, m, b.path, b.line)
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
		return mailID(b.r, buf, h, b.path, b.line)
	}
	if id := h.ID(); len(id) > 0 {
		hash := murmur3.Sum64(id)
		if _, again := b.seen[hash]; !again {
			b.seen[hash] = struct{}{}
			return append(buf[:0], id...), nil
		}
	}
	return b.place(buf), nil
}

// extent returns the place of the message, with the empty lines behind it.
func (b *mailboxSource) extent() (start, end int64) { return b.start, b.end }

// asRead returns nil: a message is no line.
func (b *mailboxSource) asRead() []byte { return nil }

func (b *mailboxSource) recordHeader() []byte { return b.header }

// A messageSource is a file that is one message. Its id is that of other files, its path: a Message-ID would be that of
// its copies in other files, too.
type messageSource struct {
	textSource
	header mailtext.Header
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
	if doc.Text, err = mailText(s.r, m, s.path, 0); err != nil {
		return err
	}
	if s.r.o.IDField != "" {
		doc.ID, err = mailID(s.r, doc.ID, m.Header, s.path, 0)
	}
	return err
}

func (s *messageSource) recordHeader() []byte { return s.header }

// bodyField is the name of what a message says, among the fields of its header. The usual name of texts stands for it,
// too.
const bodyField = "body"

// mailText returns the text of message number line of the file at path: what it has of Options.TextField. The
// text is a part of the message, or new.
func mailText(r *Reader, m mailtext.Message, path string, line int) (text []byte, err error) {
	found := false
	for _, name := range r.textFields {
		var value []byte
		if strings.EqualFold(name, bodyField) || name == defaultTextField {
			if value, err = r.mail.Text(m); errors.Is(err, mailtext.ErrTooLong) {
				err = r.limits.tooLong()
			}
			if err != nil {
				return nil, bad(path, line, err)
			}
		} else {
			field, ok := m.Header.Field(name)
			if !ok {
				continue
			}
			value = []byte(field)
		}
		if text, found = joinField(text, value, found), true; int64(len(text)) > r.limits.document {
			return nil, bad(path, line, r.limits.tooLong())
		}
	}
	if !found {
		return nil, noMailField(r, m.Header, r.textFields, "TextField", path, line)
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
func mailID(r *Reader, buf []byte, h mailtext.Header, path string, line int) ([]byte, error) {
	name := r.o.IDField
	value, ok := h.Field(name)
	switch {
	case !ok:
		return nil, noMailField(r, h, []string{name}, "IDField", path, line)
	case strings.EqualFold(name, "Message-ID"):
		value = string(h.ID())
	}
	if value == "" {
		return nil, bad(path, line, fmt.Errorf("the field %q is empty, or no id", name))
	}
	return append(buf[:0], value...), nil
}

// noMailField returns the error for a header that has none of some fields: a *FieldError if nothing has been read before,
// since the name is then likely to be wrong.
func noMailField(r *Reader, h mailtext.Header, wanted []string, option, path string, line int) error {
	if r.read || r.o.Lenient {
		return bad(path, line, errors.New(noField(wanted)))
	}
	return &FieldError{Path: path, Line: line, Field: strings.Join(wanted, ","), Option: option, Fields: append(h.Names(), bodyField)}
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
		raw, err = mailText(r.r, m, from.Path, 0)
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

// keptField returns a field of the header of the message.
func (b *mailboxSource) keptField(i int) (value []byte, ok bool) {
	return mailField(b.r, b.header, i)
}

// keptField returns a field of the header of the message.
func (s *messageSource) keptField(i int) (value []byte, ok bool) {
	return mailField(s.r, s.header, i)
}

func (b *mailboxSource) fieldNames() []string { return b.header.Names() }

func (s *messageSource) fieldNames() []string { return s.header.Names() }

// mailField returns field i of Reader.keep of a header. Its date, and any date in Options.Field, is as mailtext.Date has it.
func mailField(r *Reader, h mailtext.Header, i int) (value []byte, ok bool) {
	name := r.keep[i]
	text, ok := h.Field(name)
	if strings.EqualFold(name, "date") || i == len(r.o.KeepFields) {
		text = mailtext.Date(text)
	}
	return []byte(text), ok && text != ""
}
