package corpus

import (
	"strings"

	"simsearch/document"
	"simsearch/internal/jsontext"
	"simsearch/internal/mailtext"
)

// keptFields is a source whose records have fields that can be kept.
type keptFields interface {
	// keptField returns the value of field i of Options.KeepFields in the record of the last document, valid
	// until the next call. ok is false if the record has none.
	keptField(i int) (value []byte, ok bool)
}

// keepFields sets the kept fields of doc, which has just been read.
func (r *Reader) keepFields(doc *document.Document) {
	if len(r.o.KeepFields) == 0 {
		return
	}
	src, ok := r.src.(keptFields)
	r.kept = r.kept[:0]
	for i := range r.o.KeepFields {
		var value []byte
		has := ok
		if ok {
			value, has = src.keptField(i)
		}
		r.kept = document.AppendField(r.kept, value, has)
	}
	doc.Fields = r.kept
}

// keptField returns a string as its text, and any other value as it stands. null is no value.
func (j *jsonSource) keptField(i int) (value []byte, ok bool) {
	v := j.last.Field(j.r.o.KeepFields[i])
	switch {
	case v == nil, jsontext.KindOf(v) == "null":
		return nil, false
	case v[0] == '"':
		return j.others.Unquote(v), true
	}
	return v, true
}

// keptField returns the text of a cell. An empty one is no value.
func (t *tableSource) keptField(i int) (value []byte, ok bool) {
	if t.kept[i] < 0 {
		return nil, false
	}
	t.value = t.last.AppendCell(t.value[:0], t.kept[i])
	return t.value, len(t.value) > 0
}

// keptField returns the value of a column that is not null.
func (p *parquetSource) keptField(i int) (value []byte, ok bool) {
	at := p.columns.kept[i]
	if at < 0 || p.last[at].IsNull() {
		return nil, false
	}
	p.value = p.columns.all[at].Append(p.value[:0], p.last[at])
	return p.value, true
}

// keptField returns a field of the header of the record.
func (w *warcSource) keptField(i int) (value []byte, ok bool) {
	value = w.record.Field(w.r.o.KeepFields[i])
	return value, len(value) > 0
}

// keptField returns a field of the header of the message.
func (b *mailboxSource) keptField(i int) (value []byte, ok bool) {
	return mailField(b.header, b.r.o.KeepFields[i])
}

// keptField returns a field of the header of the message.
func (s *messageSource) keptField(i int) (value []byte, ok bool) {
	return mailField(s.header, s.r.o.KeepFields[i])
}

// mailField returns a field of a header, its date as mailtext.Date does.
func mailField(h mailtext.Header, name string) (value []byte, ok bool) {
	text, ok := h.Field(name)
	if strings.EqualFold(name, "date") {
		text = mailtext.Date(text)
	}
	return []byte(text), ok && text != ""
}
