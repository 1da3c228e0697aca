package corpus

import (
	"maps"
	"slices"
	"strings"

	"simsearch/internal/files/document"
	"simsearch/internal/files/syntax"
)

// A texted is a source of records that can tell all of their texts.
type texted interface {
	// eachText calls do with the name and the value of each field that is a text, in the order of the record. Both
	// are valid until do returns.
	eachText(do func(name, text []byte))
}

// fillAll fills doc with all texts of a record, as Options.AllTexts says.
func (f *fieldSource) fillAll(doc *document.Document, rec fielded, all texted) error {
	text, fields, id := f.joined[:0], f.r.kept[:0], f.r.wanted[f.r.idAt()]
	all.eachText(func(name, value []byte) {
		if string(name) == id {
			return
		}
		if len(fields) > 0 {
			text = append(text, '\n')
		}
		text = append(text, value...)
		fields = document.AppendField(document.AppendField(fields, name, true), value, true)
	})
	f.joined, f.r.kept = text, fields
	if err := f.named(doc, rec, text); err != nil {
		return err
	}
	doc.Fields = fields
	return nil
}

func (j *jsonSource) eachText(do func(name, text []byte)) {
	j.last.Each(func(key, value []byte) {
		switch value[0] {
		case '"':
			do(j.others.Unquote(key), j.texts.Unquote(value))
		case '[', '{':
			if lines := j.appendTexts(nil, value, 0); len(lines) > 0 {
				do(j.others.Unquote(key), []byte(strings.Join(lines, "\n")))
			}
		}
	})
}

// appendTexts appends the texts in a value of JSON, inside of so many others. Those of an object are in the order of
// their names; of several with one name, the last counts.
func (j *jsonSource) appendTexts(dst []string, value []byte, depth int) []string {
	if depth == syntax.MaxDepth {
		return dst
	}
	switch value[0] {
	case '"':
		dst = append(dst, string(j.others.Unquote(value)))
	case '[':
		for item := range syntax.Items(value) {
			dst = j.appendTexts(dst, item, depth+1)
		}
	case '{':
		members := map[string][]byte{}
		for key, member := range syntax.Members(value) {
			members[string(j.others.Unquote(key))] = member
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			dst = j.appendTexts(dst, members[name], depth+1)
		}
	}
	return dst
}

func (t *tableSource) eachText(do func(name, text []byte)) {
	for i, name := range t.names {
		if t.cell = t.last.AppendCell(t.cell[:0], i); len(t.cell) > 0 {
			do([]byte(name), t.cell)
		}
	}
}
