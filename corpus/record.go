package corpus

import (
	"fmt"

	"simsearch/internal/jsontext"
)

// recordTexts finds the texts of JSON records.
type recordTexts struct {
	fields     []string
	limits     limits
	nullIsNone bool // a record whose text is null has none; else that is an error
	numbers    bool // a text may be a number
	jsontext.Unquoter
	joined []byte
}

func (r *Reader) recordTexts() recordTexts {
	return recordTexts{fields: r.textFields, limits: r.limits, nullIsNone: r.o.FingerprintField != "", numbers: r.o.Pairs}
}

// parseObject sets record to the JSON object that is all of line, but for white space. line must have more
// than that.
func parseObject(record *jsontext.Record, line []byte) error {
	// A record that other parsers refuse must not enter an index unnoticed.
	if err := record.Parse(line); err != nil {
		return err
	}
	if value := record.Value(); value[0] != '{' {
		return fmt.Errorf("a JSON %s, want an object", jsontext.KindOf(value))
	}
	return nil
}

// text returns the text of a valid record. found is false if the record has none of the fields. The
// text is valid as long as the record, until the next call.
func (t *recordTexts) text(record *jsontext.Record) (text []byte, found bool, err error) {
	if len(t.fields) > 1 {
		return t.join(record)
	}
	value := record.Field(t.fields[0])
	switch {
	case value == nil, value[0] == 'n' && t.nullIsNone:
		return nil, false, nil
	case t.numbers && jsontext.KindOf(value) == "number":
		return value, true, nil
	case value[0] != '"':
		return nil, false, notText(t.fields[0], value)
	}
	return t.Unquote(value), true, nil
}

// join is text for several fields. A field that is null counts as missing.
func (t *recordTexts) join(record *jsontext.Record) (text []byte, found bool, err error) {
	joined := t.joined[:0]
	for _, name := range t.fields {
		value := record.Field(name)
		if value == nil || value[0] == 'n' {
			continue
		}
		if value[0] != '"' {
			return nil, false, notText(name, value)
		}
		if found {
			joined = append(joined, '\n')
		}
		joined, found = append(joined, t.Unquote(value)...), true
	}
	t.joined = joined
	if int64(len(joined)) > t.limits.document { // a field may be named twice
		return nil, false, t.limits.tooLong()
	}
	return joined, found, nil
}

// notText returns the error for a text field with a value that is no string.
func notText(name string, value []byte) error {
	return fmt.Errorf("field %q is a %s, want a string", name, jsontext.KindOf(value))
}
