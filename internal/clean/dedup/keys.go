package dedup

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/syntax"
)

// A key orders documents by their field: those with higher Keys are kept. Whole numbers beyond 2⁵³, such as ids, are
// not all floating-point numbers, so that whole tells those apart that are read as the same one.
type key struct{ of, whole int64 }

// noKey is the key of a document whose field cannot be read, or that has none.
var noKey = key{of: math.MinInt64}

// IsKey reports whether one of Keys.Values is that of a document that has a key.
func IsKey(value uint64) bool { return int64(value) != noKey.of }

// keyOf returns the key of a value as it stands in a record. It is noKey if that cannot be read.
func (w Way) keyOf(value string) (k key) {
	value = strings.TrimSpace(value)
	if w.isTime() {
		at, err := corpus.ParseDate(value)
		if err != nil {
			return noKey
		}
		k.of = at
	} else {
		f, err := strconv.ParseFloat(value, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
			return noKey
		}
		k.of = int64(math.Float64bits(math.Abs(f)))
		if math.Abs(f) >= 1<<53 {
			if n, err := strconv.ParseUint(strings.TrimLeft(value, "+-"), 10, 64); err == nil {
				k.whole = int64(n - 1<<63) // in the order of n
			}
		}
		if f < 0 {
			k.of, k.whole = -k.of, -k.whole
		}
	}
	if w == Oldest || w == Lowest {
		k.of, k.whole = -k.of, -k.whole
	}
	return k
}

// keyOf is Way.keyOf, also for Listed.
func (k Keep) keyOf(value string) key {
	if k.Way != Listed {
		return k.Way.keyOf(value)
	}
	host := "." + syntax.Host(value)
	for i, name := range strings.Split(k.Among, ",") {
		if name == value || strings.HasSuffix(host, "."+strings.ToLower(name)) {
			return key{of: -int64(i)}
		}
	}
	return noKey
}

// compare returns 1 if a document with key k is kept rather than one with other, -1 if it is the other way round, and
// 0 if their values are equal.
func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.of, other.of), cmp.Compare(k.whole, other.whole))
}

// Reads reports whether value, as it stands in a record, can be compared by w, which compares a field: whether it is a
// date or a time, or a number.
func (w Way) Reads(value string) bool { return w.keyOf(value) != noKey }

// Compare returns 1 if a document whose field has value a is kept rather than one with b, -1 if it is the other way
// round, and 0 if the values are equal. w compares a field. A value that Reads refuses comes last.
func (w Way) Compare(a, b string) int { return w.keyOf(a).compare(w.keyOf(b)) }

// What returns what w compares: "date or time", "number" or "listed value".
func (w Way) What() string {
	switch {
	case w.isTime():
		return "date or time"
	case w == Listed:
		return "listed value"
	}
	return "number"
}

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
		return fmt.Sprintf("%s has a %s in the field %q: the first has %q", of, e.Keep.Way.What(), e.Keep.Field, e.Value)
	}
	return fmt.Sprintf("%s has the field %q; the first has %s", of, e.Keep.Field, strings.Join(e.Fields, ", "))
}

const (
	// fieldless is how many documents without a value are read before that is an error.
	fieldless = 1000
	// mostNames is how many fields an error lists, and perhaps an ellipsis behind them.
	mostNames = 21
)

// Keys are those of the documents of a collection, by the field of Keep, or by what is their own. A nil one has none.
type Keys struct {
	Keep          Keep
	Lenient       bool // documents may lack the field as long as one has it
	Values, Whole []uint64
	savedKeys
}

// Saved is what is known of the keys of all documents.
type savedKeys struct {
	Unread  int
	First   uint32 // the first document that is unread
	Line    uint32 // where it stands in its file
	Any     bool   // one is not unread
	Example []byte // a value that cannot be read
	Fields  []string
}

// newKeys returns the keys for keep, or nil if it has none.
func newKeys(keep Keep, lenient bool) *Keys {
	if !keep.Way.HasKeys() {
		return nil
	}
	return &Keys{Keep: keep, Lenient: lenient || keep.Way == Listed}
}

// Value returns what the record of the document that r has read says of its key: the key, or why there is none. Of two
// texts with as much of their own, the shorter one is kept.
func (k *Keys) Value(r *corpus.Reader, text []byte) []byte {
	if k.Keep.Way == Cleanest {
		return key{of: int64(ownBytes(text)), whole: -int64(len(text))}.bytes()
	}
	if k.Fields == nil {
		if k.Fields = r.FieldNames(); len(k.Fields) > mostNames {
			k.Fields = append(slices.Clone(k.Fields[:mostNames]), "…")
		}
	}
	raw, _ := r.Field()
	is := k.Keep.keyOf(string(raw))
	if is == noKey && len(raw) > 0 {
		return append([]byte{0}, syntax.Shorten(raw)...)
	}
	return is.bytes()
}

// bytes returns what take takes for a key.
func (k key) bytes() []byte {
	if k == noKey {
		return nil
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte{1}, uint64(k.of)), uint64(k.whole))
}

// Take takes the value of the next document, which stands in a line, or is of the reference and has none. The error
// is a *FieldError.
func (k *Keys) Take(value []byte, line uint32, reference bool) error {
	if k == nil {
		return nil
	}
	is, doc := noKey, uint32(len(k.Values))
	isKey := len(value) > 16 && value[0] == 1
	if isKey {
		is = key{int64(binary.LittleEndian.Uint64(value[1:])), int64(binary.LittleEndian.Uint64(value[9:]))}
	}
	k.Values, k.Whole = append(k.Values, uint64(is.of)), append(k.Whole, uint64(is.whole))
	if k.Any = k.Any || isKey; isKey || reference {
		return nil
	}
	if k.Unread++; k.Unread == 1 {
		k.First, k.Line = doc, line
	}
	if len(k.Example) == 0 && len(value) > 0 {
		k.Example = bytes.Clone(value[1:])
	}
	if !k.Any && !k.Lenient && k.Unread == fieldless {
		return k.missing(true)
	}
	return nil
}

// Compare returns 1 if document a is kept rather than b, -1 if b is, and 0 if their values are equal.
func (k *Keys) Compare(a, b uint32) int {
	at := func(doc uint32) key { return key{int64(k.Values[doc]), int64(k.Whole[doc])} }
	return at(a).compare(at(b))
}

// End ends the reading. It is an error if no document has a value.
func (k *Keys) End() error {
	if k != nil && !k.Any && k.Unread > 0 {
		return k.missing(false)
	}
	return nil
}

func (k *Keys) missing(more bool) error {
	return &FieldError{Keep: k.Keep, Documents: k.Unread, More: more, Value: string(k.Example), Fields: k.Fields}
}
