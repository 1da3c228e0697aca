package corpus

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"simsearch/internal/document"
)

// A texted is a source of records that can tell all of their texts.
type texted interface {
	// eachText calls do with the name and the value of each field that is a text, in the order of the record. Both are valid until do
	// returns.
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
			var in any
			if json.Unmarshal(value, &in) != nil { // it is nested deeper than the library allows
				return
			}
			if lines := appendTexts(nil, in); len(lines) > 0 {
				do(j.others.Unquote(key), []byte(strings.Join(lines, "\n")))
			}
		}
	})
}

// appendTexts appends the texts in a value of JSON. Those of an object are in the order of their names.
func appendTexts(dst []string, in any) []string {
	switch in := in.(type) {
	case string:
		dst = append(dst, in)
	case []any:
		for _, x := range in {
			dst = appendTexts(dst, x)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(in)) {
			dst = appendTexts(dst, in[name])
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
