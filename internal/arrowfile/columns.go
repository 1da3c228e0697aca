package arrowfile

import (
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
}

// Error names the column and its type.
func (e *TypeError) Error() string {
	return fmt.Sprintf("column %q is %s, want strings, numbers or times", e.Name, e.Is)
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
	list bool // a row has a list of strings, which are read as one, a line each
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

// find returns the columns that lead to the one called name. Dots reach into groups, but a column with dots in its own name comes first.
func find(fields []*field, name string) (path []int, f *field) {
	if i := slices.IndexFunc(fields, func(f *field) bool { return f.name == name }); i >= 0 {
		return []int{i}, fields[i]
	}
	group, rest, ok := strings.Cut(name, ".")
	i := slices.IndexFunc(fields, func(f *field) bool { return f.name == group && f.kind == typeStruct && !f.dictionary })
	if !ok || i < 0 {
		return nil, nil
	}
	path, f = find(fields[i].inside, rest)
	return append([]int{i}, path...), f
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
	if lists && !f.dictionary && (f.kind == typeList || f.kind == typeLargeList) && f.inside[0].isText() {
		c.list, f = true, f.inside[0]
	}
	switch {
	case f.dictionary:
		return 0, false, &TypeError{name, "coded by a dictionary: write it as a plain column, such as by pyarrow's cast or pandas' astype"}
	case !f.isText() && !slices.Contains([]byte{typeNull, typeInt, typeFloat, typeBool, typeDate, typeTimestamp}, f.kind),
		f.kind == typeFloat && f.layout.widths[0] < 4:
		return 0, false, &TypeError{name, fmt.Sprintf("of type %d of Arrow", f.kind)}
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
	for _, a := range c.in {
		if a.isNull(row) {
			return dst, false
		}
	}
	a := c.in[len(c.in)-1]
	if !c.list {
		return a.append(dst, row), true
	}
	for i := a.offset(row); i < a.offset(row+1); i++ {
		if i > a.offset(row) {
			dst = append(dst, '\n')
		}
		if !a.inside[0].isNull(i) {
			dst = append(dst, a.inside[0].text(i)...)
		}
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
