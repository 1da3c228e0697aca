package dedup

import (
	"fmt"
	"slices"
	"strings"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/jsontext"
	"simsearch/internal/terminal"
)

// A FieldError says that no document has a value that Options.Keep can compare. The name of the field is then likely to
// be wrong.
type FieldError struct {
	Keep      Keep
	Documents int      // that have been read
	More      bool     // there may be more documents
	Value     string   // of the first document that has the field, or "" if none has
	Fields    []string // those of the first document
}

// Error says what the field has, or which fields there are.
func (e *FieldError) Error() string {
	of := "no document"
	if e.More {
		of = fmt.Sprintf("none of the first %d documents", e.Documents)
	}
	if e.Value != "" {
		return fmt.Sprintf("%s has a %s in the field %q: the first has %q", of, e.Keep.Way.what(), e.Keep.Field, e.Value)
	}
	return fmt.Sprintf("%s has the field %q; the first has %s", of, e.Keep.Field, strings.Join(e.Fields, ", "))
}

// what returns what w compares.
func (w Way) what() string {
	if w.IsTime() {
		return "date or time"
	}
	return "number"
}

// fieldless is how many documents without a value are read before that is an error.
const fieldless = 1000

// Keys are those of the documents of a Collection, by the field of Options.Keep.
type keys struct {
	keep    Keep
	lenient bool               // documents may lack the field as long as one has it
	of      []key              // of each document
	inexact map[uint32]decimal // the numbers of those whose keys do not tell them
	unread  int
	first   string // the place of the first document that is unread, or ""
	any     bool   // one is not unread
	example string // a value that cannot be read
	fields  []string

	path string // of the current file
}

// newKeys returns the keys for keep, or nil if it compares no field. Those of the first documents are unread.
func newKeys(keep Keep, lenient bool) *keys {
	if !keep.Way.HasField() {
		return nil
	}
	return &keys{keep: keep, lenient: lenient, inexact: map[uint32]decimal{}}
}

// skip takes the documents before number n, which are those of the reference and have no keys.
func (k *keys) skip(n int) {
	if k != nil && len(k.of) < n {
		k.of = append(k.of, slices.Repeat([]key{noKey}, n-len(k.of))...)
	}
}

// see takes the next document of r.
func (k *keys) see(r *corpus.Reader, doc *document.Document) error {
	if k == nil {
		return nil
	}
	value, found, err := k.value(r, doc)
	if err != nil {
		return err
	}
	if k.add(value, found) {
		k.any = true
		return nil
	}
	if k.unread++; k.first == "" {
		k.first = doc.Source
		if doc.Line > 0 {
			k.first = fmt.Sprintf("%s:%d", doc.Source, doc.Line)
		}
	}
	if k.example == "" && value != "" {
		k.example = jsontext.Shorten([]byte(value))
	}
	if !k.any && !k.lenient && k.unread == fieldless {
		return k.missing(true)
	}
	return nil
}

// add takes the value of the next document, if one is found. It returns false if that has no key.
func (k *keys) add(value string, found bool) bool {
	is := noKey
	if found {
		is = k.keep.Way.keyOf(value)
	}
	if is != noKey {
		if d, ok := k.keep.Way.inexact(value, is); ok {
			k.inexact[uint32(len(k.of))] = d
		}
	}
	k.of = append(k.of, is)
	return is != noKey
}

// end ends the reading, which has the error err. It is an error if no document has a value.
func (k *keys) end(err error) error {
	if k == nil {
		return err
	}
	if err == nil && !k.any && k.unread > 0 {
		return k.missing(false)
	}
	return err
}

func (k *keys) missing(more bool) error {
	return &FieldError{Keep: k.keep, Documents: k.unread, More: more, Value: k.example, Fields: k.fields}
}

// value returns the value of the field of a document.
func (k *keys) value(r *corpus.Reader, doc *document.Document) (value string, found bool, err error) {
	if doc.Source != k.path {
		k.path = doc.Source
		if err := checkFields(doc.Source, r.Format()); err != nil {
			return "", false, err
		}
	}
	if k.fields == nil {
		k.name(r.FieldNames())
	}
	v, found := r.Field()
	return string(v), found, nil
}

// name sets the names of fields that an error lists.
func (k *keys) name(names []string) {
	if k.fields = names; len(names) > mostNames {
		k.fields = append(slices.Clone(names[:mostNames]), "…")
	}
}

// mostNames is how many fields an error lists, and perhaps an ellipsis behind them.
const mostNames = 21

// warning says how many documents have no value that can be read, or returns "".
func (k *keys) warning(documents int) string {
	if k == nil || k.unread == 0 {
		return ""
	}
	have := "have"
	if k.unread == 1 {
		have = "has"
	}
	return fmt.Sprintf("%s of %s %s no %s in the field %q, so that others are kept rather; the first is %s.", terminal.Thousands(k.unread), terminal.Plural(documents, "document"), have, k.keep.Way.what(), k.keep.Field, k.first)
}
