package columns

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

// An Arrow is a stream or a file of Arrow, and a Table.
type Arrow struct {
	from    *source
	seeker  io.Seeker // nil if it cannot tell how far it was read
	schema  *schema
	columns []arrowColumn
	batch   *batch
	first   int64 // the number of the first row of the batch
	at      int64 // the row in the batch that Next has moved to
}

// An arrowColumn is one of values that a row has one of, or none.
type arrowColumn struct {
	path []int // the numbers of the columns that lead to it, from the outermost one on
	list bool  // a row has a list of strings, which are read as one, a line each: all that path leads to
	in   []*array
}

// NewArrow begins to read a stream or a file. most is how many bytes the body of a batch may have, compressed and not.
func NewArrow(from io.Reader, most int64) (*Arrow, error) {
	s, schema, err := begin(from, most)
	if err != nil {
		return nil, err
	}
	seeker, _ := from.(io.Seeker)
	return &Arrow{from: s, seeker: seeker, schema: schema, at: -1}, nil
}

// begin reads a stream or a file up to its schema.
func begin(from io.Reader, most int64) (*source, *schema, error) {
	s, err := newSource(from, most)
	if err != nil {
		return nil, nil, err
	}
	m, err := s.next()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: there is no schema", ErrDamaged)
	}
	if err != nil {
		return nil, nil, err
	}
	schema, err := readSchema(m)
	return s, schema, err
}

func (f *field) isList() bool {
	return !f.dictionary && (f.kind == typeList || f.kind == typeLargeList)
}

// find returns the columns that lead to the one called name. Dots reach into groups, and eachElement into lists, but
// a column with dots in its own name comes first.
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

// paths appends the names, with eachElement, of the columns of values in a column, which has a name. If texts is set,
// these are strings.
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

// Paths is that of Table.
func (r *Arrow) Paths() (names []string) {
	for _, f := range r.schema.fields {
		names = f.paths(names, f.name, false)
	}
	return names
}

// Add is that of Table.
func (r *Arrow) Add(name string) (n int, c Column, err error) {
	path, f := find(r.schema.fields, name)
	if f == nil {
		return 0, c, fmt.Errorf("%w: %q", ErrNoColumn, name)
	}
	c.Name = name
	add := arrowColumn{path: path}
	if strings.Contains(name, eachElement) {
		if add.list, c.Name = true, strings.TrimSuffix(name, eachElement); !f.isText() {
			return 0, c, &TypeError{Name: name, Is: "no list of strings", Paths: f.paths(nil, name, true)}
		}
	}
	switch {
	case f.dictionary:
		return 0, c, &TypeError{Name: name, Is: "coded by a dictionary", Do: "write it as a plain one, such as with pyarrow's cast or pandas' astype"}
	case !f.isText() && !slices.Contains([]byte{typeNull, typeInt, typeFloat, typeBool, typeDate, typeTimestamp}, f.kind),
		f.kind == typeFloat && f.layout.bits[1] < 32:
		is := fmt.Sprintf("of type %d of Arrow", f.kind)
		if f.isList() {
			is = "a list"
		}
		return 0, c, &TypeError{Name: name, Is: is, Paths: f.paths(nil, name, true)}
	}
	r.columns = append(r.columns, add)
	c.Text, c.Bare = f.isText(), !f.isText()
	return len(r.columns) - 1, c, nil
}

// Bytes is that of Table.
func (r *Arrow) Bytes() (n int64) {
	if r.from.at != nil {
		return r.from.done
	}
	if r.seeker != nil {
		n, _ = r.seeker.Seek(0, io.SeekCurrent)
	}
	return n
}

// isText reports whether values are strings or bytes.
func (f *field) isText() bool {
	return !f.dictionary && slices.Contains([]byte{typeUtf8, typeLargeUtf8, typeUtf8View, typeBinary, typeLargeBinary, typeBinaryView}, f.kind)
}

// Row is that of Table.
func (r *Arrow) Row() int64 { return r.first + r.at }

// Next is that of Table.
func (r *Arrow) Next() error {
	r.at++
	for r.batch == nil || r.at == r.batch.rows {
		if r.batch != nil {
			r.first += r.batch.rows
		}
		r.at, r.batch = 0, nil
		_, b, err := r.schema.next(r.from, nil)
		if err != nil {
			return err
		}
		for i := range r.columns {
			c, columns := &r.columns[i], b.columns
			c.in = nil
			for _, at := range c.path {
				c.in, columns = append(c.in, columns[at]), columns[at].inside
			}
		}
		r.batch = b
	}
	return nil
}

// SeekRow is that of Table.
func (r *Arrow) SeekRow(n int64) (ok bool, err error) {
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

// Append is that of Table.
func (r *Arrow) Append(dst []byte, n int) (value []byte, ok bool, err error) {
	err = guard("a value", func() error {
		value, ok = r.columns[n].append(dst, r.at)
		r.from.pass(len(value) - len(dst))
		return nil
	})
	return value, ok, err
}

func (c *arrowColumn) append(dst []byte, row int64) ([]byte, bool) {
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

// appendListed appends the strings that columns lead to from a row of the first one, a line each. ok is false if the
// row is null.
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
	width := a.layout.bits[1] / 8
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
