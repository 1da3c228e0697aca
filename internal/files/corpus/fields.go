package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/files/syntax"
	"simsearch/internal/ground/terminal"
)

const (
	defaultIDField   = "id"
	defaultTextField = "text"

	defaultUserField = "user" // of Options.Pairs
	defaultItemField = "item"
)

// wantedFields returns the fields that are looked for in each record: first those of its text, then those at idAt,
// fingerprintAt and keepAt of a Reader.
func wantedFields(o Options) (texts, wanted []string, err error) {
	id, text := defaultIDField, defaultTextField
	if o.Pairs {
		id, text = defaultUserField, defaultItemField
	}
	texts = strings.Split(cmp.Or(o.TextField, text), ",")
	if slices.Contains(texts, "") {
		return nil, nil, fmt.Errorf("text fields %q: want names with a comma between two of them", o.TextField)
	}
	wanted = slices.Concat(texts, []string{cmp.Or(o.IDField, id), o.FingerprintField}, o.KeepFields)
	if o.Field != "" {
		wanted = append(wanted, o.Field)
	}
	return texts, wanted, nil
}

func (r *Reader) idAt() int          { return len(r.textFields) }
func (r *Reader) fingerprintAt() int { return len(r.textFields) + 1 }
func (r *Reader) keepAt() int        { return len(r.textFields) + 2 }

// placesOf returns where the wanted fields are among the names of columns, -1 for those that are not.
func (r *Reader) placesOf(names []string) []int {
	places := make([]int, len(r.wanted))
	for i, name := range r.wanted {
		places[i] = -1
		if name != "" {
			places[i] = slices.Index(names, name)
		}
	}
	return places
}

// A fielded is a source of records that have fields with names: what it has read last.
type fielded interface {
	// value returns the value of the field Reader.wanted[i], and what it is. A text is valid until the next record,
	// and another value until the next call. The error is about a text.
	value(i int) (value []byte, is valueKind, err error)
	// fieldNames returns the names of all fields, or of the first ones.
	fieldNames() []string
}

// A valueKind says what the value of a field is.
type valueKind uint8

const (
	isMissing valueKind = iota // the record has no such field
	isNull
	isEmpty // a cell with nothing in it, which stands for null or for a text
	isText
	isNumber
	isOther // of JSON
)

// A fieldSource is what sources of records with fields have in common.
type fieldSource struct {
	lineSource
	thing  string // what a field is called
	body   string // what a text can be besides the fields, or ""
	joined []byte
}

// fill fills doc with a record.
func (f *fieldSource) fill(doc *document.Document, rec fielded) error {
	if all, ok := rec.(texted); ok && f.r.o.AllTexts {
		return f.fillAll(doc, rec, all)
	}
	text, found, err := f.text(rec)
	if err != nil {
		return f.bad(err)
	}
	if found != isText && f.r.o.FingerprintField != "" {
		if _, is, _ := rec.value(f.r.fingerprintAt()); is != isMissing {
			return f.prepared(doc, rec)
		}
	}
	switch {
	case found == isNull && (len(f.r.textFields) == 1 || f.thing == "column"):
		return f.bad(fmt.Errorf("%s %q is null, want a string", f.thing, f.r.textFields[0]))
	case found < isEmpty:
		return f.missing(rec.fieldNames(), "TextField", f.textFields()...)
	}
	return f.named(doc, rec, text)
}

// named fills doc with the text of a record.
func (f *fieldSource) named(doc *document.Document, rec fielded, text []byte) error {
	id, err := f.id(doc.ID, rec)
	if err == nil {
		*doc = document.Document{ID: id, Text: text, Line: f.line, Origin: f.origin()}
	}
	return err
}

// text returns the text of a record: what it has of several fields, with line feeds between. found is isText, or says
// what the fields are that have none: isEmpty if one of them is, else isNull or isMissing.
func (f *fieldSource) text(rec fielded) (text []byte, found valueKind, err error) {
	fields, joined := f.r.textFields, f.joined[:0]
	for i, name := range fields {
		value, is, err := rec.value(i)
		switch {
		case err != nil:
			return nil, 0, err
		case is < isText:
			found = max(found, is)
			continue
		case is != isText && (is != isNumber || !f.r.o.Pairs):
			var paths []string
			if j, ok := rec.(*jsonSource); ok && is == isOther {
				paths = j.others.TextPaths(nil, value, name)
			}
			advice := terminal.If(len(paths) > 0, ", such as %s", strings.Join(paths, " or "))
			return nil, 0, fmt.Errorf("%s %q is %s, want a string%s", f.thing, name, syntax.AJSONKind(value), advice)
		}
		if text = value; len(fields) > 1 {
			if found == isText {
				joined = append(joined, '\n')
			}
			joined = append(joined, value...)
			f.joined, text = joined, joined
		}
		if found = isText; int64(len(text)) > f.r.limits.document {
			return nil, 0, f.r.limits.tooLong()
		}
	}
	return text, found, nil
}

// id writes the id of a record over buf.
func (f *fieldSource) id(buf []byte, rec fielded) ([]byte, error) {
	if f.r.again {
		return buf, nil
	}
	value, is, _ := rec.value(f.r.idAt())
	name := f.r.wanted[f.r.idAt()]
	switch {
	case is == isMissing && f.r.o.IDField == "" && !f.r.o.Pairs:
		return f.place(buf), nil
	case is == isMissing:
		return nil, f.missing(rec.fieldNames(), "IDField", name)
	case is == isNull || is == isOther:
		return nil, f.neither(name, syntax.Shorten(value))
	case len(value) == 0:
		return nil, f.neither(name, "empty")
	}
	return append(buf[:0], value...), nil
}

// neither returns the error for a value that is no text and no number.
func (f *fieldSource) neither(name, is string) error {
	return f.bad(fmt.Errorf("%s %q is %s, want a string or a number", f.thing, name, is))
}

// prepared fills doc with a record that has no text, but a ready-made fingerprint.
func (f *fieldSource) prepared(doc *document.Document, rec fielded) error {
	id, err := f.id(doc.ID, rec)
	if err != nil {
		return err
	}
	value, is, _ := rec.value(f.r.fingerprintAt())
	switch {
	case is == isNull || is == isOther:
		return f.neither(f.r.o.FingerprintField, syntax.Shorten(value))
	case is == isNumber && value[0] != '-': // a number is decimal, whatever its length
		value = append([]byte("+"), value...)
	}
	fp, _, err := prints.Parse(value, f.r.bits)
	if err != nil {
		return f.bad(err)
	}
	f.given(doc, id, fp)
	return nil
}

// missing returns the error for a record that has none of some fields.
func (f *fieldSource) missing(fields []string, option string, wanted ...string) *FieldError {
	if f.body != "" {
		fields = append(fields, f.body)
	}
	return &FieldError{
		Path: f.in.Path, Line: f.line, Field: strings.Join(wanted, ","), Option: option, Fields: fields, Guessed: f.guessed,
	}
}

// textFields returns the fields that make a document of a record, each alone.
func (f *fieldSource) textFields() []string {
	if name := f.r.o.FingerprintField; name != "" {
		return append(slices.Clone(f.r.textFields), name)
	}
	return f.r.textFields
}

// checkColumns returns an error if a table lacks the columns that Options name. at are the places of the wanted
// fields among names.
func (f *fieldSource) checkColumns(names []string, at []int) error {
	r, missing := f.r, (*FieldError)(nil)
	has := func(from, to int) bool { return slices.ContainsFunc(at[from:to], func(i int) bool { return i >= 0 }) }
	switch id := r.idAt(); {
	case r.o.AllTexts:
		return nil
	case !has(0, id) && (r.again || !has(r.fingerprintAt(), r.keepAt())):
		missing = f.missing(names, "TextField", f.textFields()...)
	case !r.again && !has(id, id+1) && (r.o.IDField != "" || r.o.Pairs):
		missing = f.missing(names, "IDField", r.wanted[id])
	default:
		return nil
	}
	const most = 20
	if missing.Table = true; len(names) > most {
		missing.Fields = append(slices.Clone(names[:most]), "…")
	}
	return missing
}

// orBad returns err, or an error about one file or record in place of a *FieldError that is not likely to be about a
// wrong name.
func (r *Reader) orBad(err error) error {
	missing, is := errors.AsType[*FieldError](err)
	if !is {
		return err
	}
	in, alone := r.found.Inputs[r.next-1], r.read || r.o.Lenient || len(missing.Fields) == 0
	switch {
	// A directory may have any table. The names are wrong only if they or the file were given.
	case missing.Table && (alone || !r.fields && (!in.Named || in.Listed)):
		return errors.New(missing.what())
	case alone:
		return bad(missing.Path, missing.Line, &LackError{errors.New(missing.lacks()), missing.Fields})
	}
	return missing
}

// Field returns the value of Options.Field in the record of the document that Documents has yielded last, valid until
// the next call. A string has no quotes. ok is false if the record has none.
func (r *Reader) Field() (value []byte, ok bool) {
	if r.o.Field == "" {
		return nil, false
	}
	return r.keptValue(len(r.wanted) - 1)
}

// keptValue returns the value of the field wanted[i] as it is kept. ok is false if there is none.
func (r *Reader) keptValue(i int) (value []byte, ok bool) {
	rec, has := r.src.(fielded)
	if !has {
		return nil, false
	}
	value, is, _ := rec.value(i)
	return value, is > isEmpty
}

// FieldNames returns the names of the fields of that record, or of the columns of its table. Documents of other
// formats have none.
func (r *Reader) FieldNames() []string {
	if rec, has := r.src.(fielded); has {
		return rec.fieldNames()
	}
	return nil
}

// keepFields sets the kept fields of doc, which has just been read.
func (r *Reader) keepFields(doc *document.Document) {
	if len(r.o.KeepFields) == 0 || r.format == Image {
		return
	}
	r.kept = r.kept[:0]
	for i := range r.o.KeepFields {
		value, has := r.keptValue(r.keepAt() + i)
		r.kept = document.AppendField(r.kept, value, has)
	}
	doc.Fields = r.kept
}
