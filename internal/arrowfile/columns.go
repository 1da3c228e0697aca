package arrowfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A TypeError is returned for a column with values of another kind than those that Rows.Add takes.
type TypeError struct {
	Name string
	Is   string // what the column is, such as "a list"
	Do   string // what to do about it, instead of naming what is wanted
	// Paths are the names of the columns of strings in it.
	Paths []string
}

// Error names the column and its type.
func (e *TypeError) Error() string {
	if e.Do != "" {
		return fmt.Sprintf("column %q is %s: %s", e.Name, e.Is, e.Do)
	}
	advice := ""
	if len(e.Paths) > 0 {
		advice = ", such as " + strings.Join(e.Paths, " or ")
	}
	return fmt.Sprintf("column %q is %s, want strings, numbers or times%s", e.Name, e.Is, advice)
}

// Rows reads some columns of a stream or a file, row by row.
type Rows struct {
	from    *source
	schema  *schema
	columns []column
	batch   *Batch
	first   int64 // the number of the first row of the batch
	at      int64 // the row in the batch that Next has moved to
}

// A column is one of values that a row has one of, or none.
type column struct {
	path []int // the numbers of the columns that lead to it, from the outermost one on
	name string
	list bool // a row has a list of strings, which are read as one, a line each: all that path leads to
	in   []*array
}

// NewRows begins to read a stream or a file. most is how many bytes the body of a batch may have, compressed and not.
func NewRows(from io.Reader, most int64) (*Rows, error) {
	s, err := newSource(from, most)
	if err != nil {
		return nil, err
	}
	m, err := s.next()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: there is no schema", ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	schema, err := readSchema(m)
	return &Rows{from: s, schema: schema, at: -1}, err
}

// Names returns the names of all columns with values. Dots stand between the names of groups and columns.
func (r *Rows) Names() (names []string) {
	var walk func(prefix string, fields []*field)
	walk = func(prefix string, fields []*field) {
		for _, f := range fields {
			if f.kind == typeStruct && !f.dictionary {
				walk(prefix+f.name+".", f.inside)
				continue
			}
			names = append(names, prefix+f.name)
		}
	}
	walk("", r.schema.fields)
	return names
}

// eachElement stands in the name of a column behind that of a list, for its elements.
const eachElement = "[]"

func (f *field) isList() bool {
	return !f.dictionary && (f.kind == typeList || f.kind == typeLargeList)
}

// find returns the columns that lead to the one called name. Dots reach into groups, and eachElement into lists, but a column with dots in its
// own name comes first.
func find(fields []*field, name string) (path []int, f *field) {
	if i := slices.IndexFunc(fields, func(f *field) bool { return f.name == name }); i >= 0 {
		return []int{i}, fields[i]
	}
	group, rest, ok := strings.Cut(name, ".")
	plain := strings.TrimRight(group, eachElement)
	i := slices.IndexFunc(fields, func(f *field) bool { return f.name == plain })
	if i < 0 {
		return nil, nil
	}
	path, f = []int{i}, fields[i]
	for range (len(group) - len(plain)) / len(eachElement) {
		if !f.isList() {
			return nil, nil
		}
		path, f = append(path, 0), f.inside[0]
	}
	if !ok {
		return path, f
	}
	if f.kind != typeStruct || f.dictionary {
		return nil, nil
	}
	more, f := find(f.inside, rest)
	return append(path, more...), f
}

// paths appends the names, with eachElement, of the columns of values in a column, which has a name. If texts is set, these are strings.
func (f *field) paths(dst []string, name string, texts bool) []string {
	switch {
	case f.isList():
		return f.inside[0].paths(dst, name+eachElement, texts)
	case f.kind == typeStruct && !f.dictionary:
		for _, in := range f.inside {
			dst = in.paths(dst, name+"."+in.name, texts)
		}
	case f.isText() || !texts:
		dst = append(dst, name)
	}
	return dst
}

// Paths returns what Names does, with those in lists, and with [] behind the names of these. Add takes them.
func (r *Rows) Paths() (names []string) {
	for _, f := range r.schema.fields {
		names = f.paths(names, f.name, false)
	}
	return names
}

// Add adds the column called name to those that are read, and returns its number among them, and whether its values are strings. With lists,
// it may be one of lists of strings, which are read as one string, a line each. The error wraps ErrNoColumn if there is none. It
// is a *TypeError if values are no strings, numbers, dates and times.
func (r *Rows) Add(name string, lists bool) (n int, text bool, err error) {
	path, f := find(r.schema.fields, name)
	if f == nil {
		return 0, false, fmt.Errorf("%w: %q", ErrNoColumn, name)
	}
	c := column{path: path, name: name}
	if lists && f.isList() && f.inside[0].isText() {
		c.list, c.path, f = true, append(path, 0), f.inside[0]
	}
	if strings.Contains(name, eachElement) {
		if c.list, c.name = true, strings.TrimSuffix(name, eachElement); !f.isText() {
			return 0, false, &TypeError{Name: name, Is: "no list of strings", Paths: f.paths(nil, name, true)}
		}
	}
	switch {
	case f.dictionary:
		return 0, false, &TypeError{Name: name, Is: "coded by a dictionary", Do: "write it as a plain one, such as with pyarrow's cast or pandas' astype"}
	case !f.isText() && !slices.Contains([]byte{typeNull, typeInt, typeFloat, typeBool, typeDate, typeTimestamp}, f.kind),
		f.kind == typeFloat && f.layout.widths[0] < 4:
		is := fmt.Sprintf("of type %d of Arrow", f.kind)
		if f.isList() {
			is = "a list"
		}
		return 0, false, &TypeError{Name: name, Is: is, Paths: f.paths(nil, name, true)}
	}
	r.columns = append(r.columns, c)
	return len(r.columns) - 1, f.isText(), nil
}

// NameOf returns the name of column n.
func (r *Rows) NameOf(n int) string { return r.columns[n].name }

// Bytes returns how many bytes of a file have been read.
func (r *Rows) Bytes(f io.Seeker) int64 {
	if r.from.at != nil {
		return r.from.done
	}
	n, _ := f.Seek(0, io.SeekCurrent)
	return n
}

// isText reports whether values are strings or bytes.
func (f *field) isText() bool {
	return !f.dictionary && slices.Contains([]byte{typeUtf8, typeLargeUtf8, typeUtf8View, typeBinary, typeLargeBinary, typeBinaryView}, f.kind)
}

// Row returns the number of the row that Next has moved to, from 0.
func (r *Rows) Row() int64 { return r.first + r.at }

// Next moves to the next row. The error is io.EOF behind the last one. Any other error says that nothing more can be read.
func (r *Rows) Next() error {
	r.at++
	for r.batch == nil || r.at == r.batch.rows {
		if r.batch != nil {
			r.first += r.batch.rows
			r.at = 0
		}
		r.batch = nil
		m, err := r.from.next()
		if err != nil {
			return err
		}
		switch m.kind {
		case isDictionary:
		case isBatch:
			if r.batch, err = r.schema.parse(m, r.from.most); err != nil {
				return err
			}
			for i := range r.columns {
				r.columns[i].in = r.batch.lead(r.columns[i].path)
			}
		default:
			return fmt.Errorf("%w: a message of kind %d", ErrDamaged, m.kind)
		}
		r.at = 0
	}
	return nil
}

// lead returns the columns that lead to one.
func (b *Batch) lead(path []int) (in []*array) {
	columns := b.columns
	for _, i := range path {
		in = append(in, columns[i])
		columns = columns[i].inside
	}
	return in
}

// SeekRow moves to row n, which the next call of Next does not pass: only rows from the beginning of the current batch on can be moved
// to. ok is false otherwise.
func (r *Rows) SeekRow(n int64) (ok bool, err error) {
	if n < r.first {
		return false, nil
	}
	for r.batch == nil || n >= r.first+r.batch.rows {
		if r.batch != nil {
			r.at = r.batch.rows - 1
		}
		if err := r.Next(); err != nil {
			return false, err
		}
	}
	r.at = n - r.first - 1
	return true, nil
}

// Append appends the value that the row has of column n to dst: a string as it is, a number in decimal, a truth value as true or false, a date
// as 2006-01-02, and a time as RFC 3339 has it, in UTC. ok is false if it is null. It may be called by one goroutine at a time.
func (r *Rows) Append(dst []byte, n int) (value []byte, ok bool, err error) {
	err = guard("a value", func() error {
		value, ok = r.columns[n].append(dst, r.at)
		return nil
	})
	return value, ok, err
}

func (c *column) append(dst []byte, row int64) ([]byte, bool) {
	if c.list {
		begin := len(dst)
		dst, ok := appendListed(dst, c.in, row)
		return bytes.TrimSuffix(dst, []byte("\n")[:min(1, len(dst)-begin)]), ok
	}
	for _, a := range c.in {
		if a.isNull(row) {
			return dst, false
		}
	}
	return c.in[len(c.in)-1].append(dst, row), true
}

// appendListed appends the strings that columns lead to from a row of the first one, a line each. ok is false if the row is null.
func appendListed(dst []byte, in []*array, row int64) (_ []byte, ok bool) {
	a := in[0]
	switch {
	case a.isNull(row):
		return dst, false
	case len(in) == 1:
		return append(append(dst, a.text(row)...), '\n'), true
	case a.kind == typeStruct:
		return appendListed(dst, in[1:], row)
	}
	for i := a.offset(row); i < a.offset(row+1); i++ {
		dst, _ = appendListed(dst, in[1:], i)
	}
	return dst, true
}

// append appends value i of a column to dst.
func (a *array) append(dst []byte, i int64) []byte {
	if a.isText() {
		return append(dst, a.text(i)...)
	}
	if a.kind == typeBool {
		return strconv.AppendBool(dst, a.buffers[1][i/8]>>(i%8)&1 == 1)
	}
	width := int64(a.layout.widths[0])
	var number [8]byte
	copy(number[:], a.buffers[1][i*width:][:width])
	unsigned := binary.LittleEndian.Uint64(number[:])
	integer := int64(unsigned<<(64-8*width)) >> (64 - 8*width) // with the sign of the narrower one
	switch {
	case a.kind == typeFloat && width == 4:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(unsigned))), 'g', -1, 32)
	case a.kind == typeFloat:
		return strconv.AppendFloat(dst, math.Float64frombits(unsigned), 'g', -1, 64)
	case a.kind == typeDate && width == 4:
		return time.Unix(86400*integer, 0).UTC().AppendFormat(dst, time.DateOnly)
	case a.kind == typeDate:
		return time.UnixMilli(integer).UTC().AppendFormat(dst, time.DateOnly)
	case a.kind == typeTimestamp:
		at := [...]func(int64) time.Time{
			func(n int64) time.Time { return time.Unix(n, 0) }, time.UnixMilli, time.UnixMicro,
			func(n int64) time.Time { return time.Unix(0, n) },
		}[a.unit]
		return at(integer).UTC().AppendFormat(dst, time.RFC3339Nano)
	case a.signed:
		return strconv.AppendInt(dst, integer, 10)
	}
	return strconv.AppendUint(dst, unsigned, 10)
}
