package columns

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A parquetColumn is a column of values that a row has one of, or none.
type parquetColumn struct {
	Column
	list    bool                                     // a row has any number, which are read as one, a line each
	defined int                                      // the level of definition below which the list is null
	index   int                                      // among the columns with values
	format  func(dst []byte, v parquet.Value) []byte // appends a value that is not null
}

// Add is that of Table.
func (f *Parquet) Add(name string) (n int, c Column, err error) {
	found, err := f.found(name)
	if err != nil {
		return 0, c, err
	}
	f.columns, f.values = append(f.columns, found), append(f.values, nil)
	return len(f.columns) - 1, found.Column, nil
}

// found returns the column of a name.
func (f *Parquet) found(name string) (c parquetColumn, err error) {
	var refused error // for a reason that is no damage
	err = guard("its schema", func() error {
		c, refused = f.column(name)
		return nil
	})
	return c, cmp.Or(err, refused)
}

// find returns the column called name. Of a list, defined is the level of definition below which it is null.
func (f *Parquet) find(name string) (found *parquet.Column, defined int, err error) {
	if found = f.p.Root().Column(name); found != nil {
		return found, -1, nil
	}
	found, defined = f.p.Root(), -1
	for part := range strings.SplitSeq(name, ".") {
		plain := strings.TrimRight(part, eachElement)
		if found = found.Column(plain); found == nil {
			return nil, 0, fmt.Errorf("%w: %q", ErrNoColumn, name)
		}
		if defined < 0 && part != plain && !found.Repeated() {
			defined = found.MaxDefinitionLevel()
		}
		for range (len(part) - len(plain)) / len(eachElement) {
			if found = element(found); found == nil {
				return nil, 0, &TypeError{Name: name, Is: "no list"}
			}
		}
	}
	return found, defined, nil
}

// element returns the column of the elements of a list, or nil if the column is none. Two columns lead to it, or in
// some files one.
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

// paths appends the names, with eachElement, of the columns of values in a column, which has a name. If texts is set,
// these are strings.
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

// Paths is that of Table: [] stands in place of the columns that Parquet makes of lists.
func (f *Parquet) Paths() (names []string) {
	for _, c := range f.p.Root().Columns() {
		names = paths(names, c, c.Name(), false)
	}
	return names
}

func (f *Parquet) column(name string) (c parquetColumn, err error) {
	found, defined, err := f.find(name)
	list := strings.Contains(name, eachElement)
	switch {
	case err != nil:
		return c, err
	case list && (!found.Leaf() || found.Type().Kind() != parquet.ByteArray):
		return c, &TypeError{Name: name, Is: "no list of strings"}
	case list:
		column := Column{Name: strings.TrimSuffix(name, eachElement), Text: true}
		return parquetColumn{column, true, defined, found.Index(), formatOf(parquet.ByteArray, nil)}, nil
	case found.Leaf() && found.MaxRepetitionLevel() > 0:
		return c, &TypeError{Name: name, Is: "a list"}
	case found.MaxRepetitionLevel() > 0, !found.Leaf() && len(found.Columns()) == 1 && found.Columns()[0].Repeated():
		return c, &TypeError{Name: name, Is: "a list", Paths: paths(nil, found, name, true)}
	case !found.Leaf():
		return c, &TypeError{Name: name, Is: "a group of columns"}
	}
	var logical format.LogicalTypeValue
	if t := found.Type().LogicalType(); t != nil {
		logical = t.Value
	}
	kind := found.Type().Kind()
	isText, write := kind == parquet.ByteArray, formatOf(kind, logical)
	if _, isDecimal := logical.(*format.DecimalType); write == nil || isText && isDecimal {
		return c, &TypeError{Name: name, Is: "of type " + found.Type().String()}
	}
	column := Column{Name: name, Text: isText, Bare: !isText && kind != parquet.FixedLenByteArray}
	return parquetColumn{Column: column, index: found.Index(), format: write}, nil
}
