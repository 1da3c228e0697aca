package parquetfile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"simsearch/internal/arrowfile"
)

// ErrNoColumn is returned for a name that no column has.
var ErrNoColumn = arrowfile.ErrNoColumn

// A Column is a column of values that a row has one of, or none.
type Column struct {
	Name    string
	list    bool                                     // a row has any number, which are read as one, a line each
	defined int                                      // the level of definition below which the list is null
	index   int                                      // among the columns with values
	text    bool                                     // bytes are text
	binary  bool                                     // a fixed number of bytes
	format  func(dst []byte, v parquet.Value) []byte // appends a value
}

// Column returns the column called name. Dots reach into groups, but a column with dots in its own name
// comes first. The error wraps ErrNoColumn if there is none. It is a *TypeError if a row may have several
// values of the column, or if these are no strings, numbers, dates and times.
func (f *File) Column(name string) (c Column, err error) {
	var refused error // for a reason that is no damage
	err = guard("its schema", func() error {
		c, refused = f.column(name)
		return nil
	})
	return c, cmp.Or(err, refused)
}

// leaf returns the column of values called name.
func (f *File) leaf(name string) (*parquet.Column, error) {
	found := f.p.Root().Column(name)
	if found == nil {
		found = f.p.Root()
		for part := range strings.SplitSeq(name, ".") {
			if found = found.Column(part); found == nil {
				return nil, fmt.Errorf("%w: %q", ErrNoColumn, name)
			}
		}
	}
	switch {
	case found.Leaf() && found.MaxRepetitionLevel() > 0:
		return nil, &TypeError{Name: name, Is: "a list"}
	case found.MaxRepetitionLevel() > 0, !found.Leaf() && len(found.Columns()) == 1 && found.Columns()[0].Repeated():
		return nil, &TypeError{Name: name, Is: "a list", Paths: paths(nil, found, name, true)}
	case !found.Leaf():
		return nil, &TypeError{Name: name, Is: "a group of columns"}
	}
	return found, nil
}

// TextColumn is Column of one of Names, which may be that of a list of strings, too: these are read as one string, a line each.
func (f *File) TextColumn(name string) (c Column, err error) {
	var refused error // for a reason that is no damage
	err = guard("its schema", func() error {
		if c, refused = f.column(name); refused == nil {
			return nil
		}
		path := strings.Split(name, ".")
		found := f.p.Root()
		for i, part := range path {
			if found = found.Column(part); found == nil {
				return nil
			}
			if found.Repeated() && !c.list {
				c.list, c.Name = true, strings.Join(path[:max(1, i)], ".")
			}
		}
		if found.Leaf() && found.MaxRepetitionLevel() == 1 && found.Type().Kind() == parquet.ByteArray {
			c.index, c.text, c.format, refused = found.Index(), true, formatOf(parquet.ByteArray, nil), nil
		}
		return nil
	})
	return c, cmp.Or(err, refused)
}

// eachElement stands in the name of a column behind that of a list, for its elements.
const eachElement = "[]"

// element returns the column of the elements of a list, or nil if the column is none. Two columns lead to it, or in some files one.
func element(c *parquet.Column) *parquet.Column {
	if c.Repeated() {
		return c
	}
	if c.Leaf() || len(c.Columns()) != 1 || !c.Columns()[0].Repeated() {
		return nil
	}
	inside := c.Columns()[0]
	if inside.Leaf() || len(inside.Columns()) != 1 || inside.Name() != "list" && inside.Name() != "bag" && inside.Columns()[0].Name() != "element" {
		return inside
	}
	return inside.Columns()[0]
}

// listed returns the column of strings that a name with eachElement leads to.
func (f *File) listed(name string) (Column, error) {
	found, defined := f.p.Root(), -1
	for part := range strings.SplitSeq(name, ".") {
		plain := strings.TrimRight(part, eachElement)
		if found = found.Column(plain); found == nil {
			return Column{}, fmt.Errorf("%w: %q", ErrNoColumn, name)
		}
		if defined < 0 && part != plain && !found.Repeated() {
			defined = found.MaxDefinitionLevel()
		}
		for range (len(part) - len(plain)) / len(eachElement) {
			if found = element(found); found == nil {
				return Column{}, &TypeError{Name: name, Is: "no list"}
			}
		}
	}
	if !found.Leaf() || found.Type().Kind() != parquet.ByteArray {
		return Column{}, &TypeError{Name: name, Is: "no list of strings"}
	}
	c := Column{Name: strings.TrimSuffix(name, eachElement), list: true, index: found.Index(), text: true, defined: defined}
	c.format = formatOf(parquet.ByteArray, nil)
	return c, nil
}

// paths appends the names, with eachElement, of the columns of values in a column, which has a name. If texts is set, these are strings.
func paths(dst []string, c *parquet.Column, name string, texts bool) []string {
	if inside := element(c); inside != nil && inside != c {
		c, name = inside, name+eachElement
	}
	if c.Leaf() {
		if !texts || c.Type().Kind() == parquet.ByteArray {
			dst = append(dst, name)
		}
		return dst
	}
	for _, field := range c.Columns() {
		dst = paths(dst, field, name+"."+field.Name(), texts)
	}
	return dst
}

// Paths returns what Names does, with [] behind the names of lists in place of the columns that Parquet makes of them. Column takes them.
func (f *File) Paths() (names []string) {
	for _, c := range f.p.Root().Columns() {
		names = paths(names, c, c.Name(), false)
	}
	return names
}

func (f *File) column(name string) (Column, error) {
	if strings.Contains(name, eachElement) {
		return f.listed(name)
	}
	found, err := f.leaf(name)
	if err != nil {
		return Column{}, err
	}
	var logical format.LogicalTypeValue
	if t := found.Type().LogicalType(); t != nil {
		logical = t.Value
	}
	kind := found.Type().Kind()
	c := Column{Name: name, index: found.Index(), text: kind == parquet.ByteArray, binary: kind == parquet.FixedLenByteArray, format: formatOf(kind, logical)}
	if _, isDecimal := logical.(*format.DecimalType); c.format == nil || c.text && isDecimal {
		return Column{}, &TypeError{Name: name, Is: "of type " + found.Type().String()}
	}
	return c, nil
}

// A TypeError is returned for a column with values of another kind than those that Column returns.
type TypeError = arrowfile.TypeError

// IsText reports whether values of the column are strings.
func (c Column) IsText() bool { return c.text }

// Append appends a value of the column that is not null to dst: a string as it is, a fixed number of bytes in hexadecimal, a number in decimal, a UUID in its usual form,
// a date as 2006-01-02, and a time as RFC 3339 has it, in UTC.
func (c Column) Append(dst []byte, v parquet.Value) []byte { return c.format(dst, v) }
