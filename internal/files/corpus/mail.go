package corpus

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
	"simsearch/internal/files/syntax"
)

// emlExtension is that of files that are one message each.
const emlExtension = ".eml"

var mailKind = kind{
	name: "mail", words: "mail", extensions: []string{".mbox", ".mbx", emlExtension}, layout: InMailbox, fields: anyField, charsets: ownCharsets,
	looks: looksLikeMail, open: openMail,
}

// openMail returns the source of a mailbox, or of a file that is one message.
func openMail(l lineSource) (source, error) {
	m := mailSource{fieldSource: fieldSource{lineSource: l, thing: "field", body: bodyField}}
	head := bytes.TrimLeft(l.s.Fill(), "\r\n")
	if extensionOf(l.in.Path) == emlExtension || len(head) > 0 && !bytes.HasPrefix(head, []byte("From ")) {
		l.r.layout = InFile
		return &messageSource{m, textSource{lineSource: l}}, nil
	}
	m.ids = firsts{}
	return &mailboxSource{mailSource: m, messages: syntax.NewMailbox(l.s, l.r.limits.document)}, nil
}

// A mailSource has what mailboxes and messages have in common.
type mailSource struct {
	fieldSource
	message syntax.Message // the last one
	ids     firsts         // nil if Message-IDs do not count
}

// bodyField is the name of what a message says, among the fields of its header. The usual name of texts stands for it,
// too.
const bodyField = "body"

// value returns a field of the header, or the body. The date, and any date in Options.Field, is as syntax.MessageDate
// has it.
func (m *mailSource) value(i int) (value []byte, is valueKind, err error) {
	name, h, r := m.r.wanted[i], m.message.Header, m.r
	if i < len(r.textFields) && (strings.EqualFold(name, bodyField) || name == defaultTextField || i == 0 && !m.asksMail()) {
		r.mail.Told = m.tell
		value, err = r.mail.Text(m.message)
		return value, isText, err
	}
	if i == r.idAt() && r.o.IDField == "" {
		if id := h.ID(); m.ids != nil && m.ids.is(id) {
			return id, isText, nil
		}
		return nil, isMissing, nil
	}
	text, ok := h.Field(name)
	switch {
	case !ok:
		return nil, isMissing, nil
	case i == r.idAt() && strings.EqualFold(name, "Message-ID"):
		return h.ID(), isText, nil
	case i >= r.keepAt() && (strings.EqualFold(name, "date") || i == r.keepAt()+len(r.o.KeepFields)):
		text = syntax.MessageDate(text)
	}
	if text == "" && i >= len(r.textFields) {
		return nil, isEmpty, nil
	}
	return []byte(text), isText, nil
}

// mailFields are fields of messages that one may want as a text.
var mailFields = []string{bodyField, defaultTextField, "subject", "from", "to", "cc", "bcc", "date", "sender", "comments", "keywords", "references"}

// asksMail reports whether a text field that is named is one of messages, by its name or since the last one has it.
// Otherwise the names are those of fields of other inputs, and a message is the text that it is without them.
func (m *mailSource) asksMail() bool {
	return slices.ContainsFunc(m.r.textFields, func(name string) bool {
		_, has := m.message.Header.Field(name)
		return has || strings.Contains(name, "-") || slices.Contains(mailFields, strings.ToLower(name))
	})
}

func (m *mailSource) recordHeader() []byte { return m.message.Header }

func (m *mailSource) fieldNames() []string { return m.message.Header.Names() }

// parse fills doc with a message.
func (m *mailSource) parse(doc *document.Document, raw []byte) (err error) {
	if m.message, err = syntax.ParseMessage(raw); err != nil {
		return m.bad(err)
	}
	return m.fill(doc, m)
}

// A mailboxSource is a file of messages, one behind the other.
//
// The id of a document is its Message-ID, since that is what mail is looked for by, and since numbers change when a
// mailbox does. A mailbox may have a Message-ID twice. The second time, and where there is none, the id is path#n. As
// in a crawl, an id does not depend on the text or on other files. Options.IDField can name another field of the
// header.
type mailboxSource struct {
	mailSource // line is the number of the message
	messages   *syntax.Mailbox
}

func (b *mailboxSource) next(doc *document.Document) error {
	raw, place, err := b.messages.Next()
	b.line, b.start, b.length, b.end = place.Number, place.Start, int64(len(raw)), place.End
	switch {
	case errors.Is(err, syntax.ErrTooLong):
		return b.bad(err)
	case err != nil:
		return err
	}
	return b.parse(doc, syntax.Unmark(raw))
}

// A messageSource is a file that is one message. Its id is that of other files, its path: a Message-ID would be that of
// its copies in other files, too.
type messageSource struct {
	mailSource
	file textSource
}

func (s *messageSource) next(doc *document.Document) error {
	if err := s.file.next(doc); err != nil {
		return err
	}
	return s.parse(doc, bytes.TrimLeft(doc.Text, "\r\n"))
}

// looksLikeMail returns Mail for a file that begins as a mailbox or a message does. Patches do, and are texts.
func looksLikeMail(_ *Reader, s *inputs.Stream, path string) Format {
	switch ext := extensionOf(path); {
	case ext == ".patch", ext == ".diff":
		return Text
	case syntax.LooksLikeMailbox(s.Fill()), syntax.LooksLikeMessage(s.Fill()):
		return Mail
	}
	return Text
}

// MailWithout returns in one form what Options.MailWithout names, or an error that lists what it can be. "nothing" is
// "".
func MailWithout(names string) (string, error) {
	without, err := syntax.ParseWithout(names)
	return without.String(), err
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
