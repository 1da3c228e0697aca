package rewrite

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"simsearch/internal/files/syntax"
)

// editJSON is the edit of records of JSON. Only the values of the text and of members with the names of fields
// change, and new members stand behind the others.
func editJSON(w *rewriting, dst, raw []byte, d Decision) ([]byte, error) {
	object := &w.object
	if err := object.ParseRecord(raw); err != nil || object.Value()[0] != '{' {
		return nil, fmt.Errorf("%w: %.40q is no object", ErrChanged, raw)
	}
	// A value is a part of raw.
	placeOf := func(value []byte) (from, to int) { from = cap(raw) - cap(value); return from, from + len(value) }
	from, to := -1, -1
	if d.Replace {
		name, err := w.textField()
		if err != nil {
			return nil, err
		}
		text := object.Field(name)
		if text == nil || text[0] != '"' {
			return nil, w.noText("a record has none")
		}
		from, to = placeOf(text)
	}
	at := 0
	set := make([]bool, len(d.Values))
	var u syntax.Unquoter
	for key, value := range syntax.Members(object.Value()) {
		start, end := placeOf(value)
		if i := w.fieldOf(string(u.Unquote(key))); i >= 0 && len(d.Values) > 0 {
			dst = appendJSON(append(dst, raw[at:start]...), d.Values[i])
			at, set[i] = end, true
		} else if start <= from && to <= end {
			dst = appendString(append(dst, raw[at:from]...), d.Text)
			at = to
		}
	}
	rest := raw[at:]
	if len(d.Values) == 0 {
		return append(dst, rest...), nil
	}
	end := bytes.LastIndexByte(rest, '}')
	members := bytes.TrimRight(rest[:end], " \t\r\n")
	dst = append(dst, members...)
	for i, v := range d.Values {
		if set[i] {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, []byte(w.o.Fields[i].Name)), ':')
		dst = appendJSON(dst, v)
	}
	return append(dst, rest[len(members):]...), nil
}

// textField returns the name of the field of the text.
func (w *rewriting) textField() (string, error) {
	name := w.o.Corpus.TextField
	if strings.Contains(name, ",") || strings.Contains(name, syntax.EachElement) {
		return "", w.noText("it is several fields")
	}
	return cmp.Or(name, "text"), nil
}
