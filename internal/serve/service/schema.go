package service

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A shape says how a struct is read. It is made of the tags of its fields: json; minimum, maximum and enum, which
// bound the value; and doc. A field without omitempty is required.
type shape struct {
	fields  map[string]*field
	inOrder []*field // 64 at most
}

// A field is a field of a struct.
type field struct {
	name        string
	index       []int
	typ         reflect.Type // of the value, not of the pointer to it
	doc         string
	enum        []string
	least, most *float64
	shape       *shape // of a struct, or of those of a slice
	key         string // as answers have it
	optional    bool   // it is left out if it is empty
	bit         uint64 // of its place in inOrder
}

func makeShape(t reflect.Type) *shape {
	s := &shape{fields: map[string]*field{}}
	for _, f := range reflect.VisibleFields(t) {
		name, how, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" {
			continue
		}
		to := &field{name: name, index: f.Index, typ: f.Type, doc: f.Tag.Get("doc"), least: bound(f, "minimum"), most: bound(f, "maximum"),
			key: "," + strconv.Quote(name) + ":", optional: how == "omitempty", bit: 1 << len(s.inOrder)}
		if words := f.Tag.Get("enum"); words != "" {
			to.enum = strings.Split(words, ",")
		}
		if f.Type.Kind() == reflect.Pointer {
			to.typ = f.Type.Elem()
		}
		of := to.typ
		if of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct {
			to.shape = shapeOf(of)
		}
		s.fields[name], s.inOrder = to, append(s.inOrder, to)
	}
	return s
}

// bound returns the number that a tag has, or nil if there is none.
func bound(f reflect.StructField, tag string) *float64 {
	if x, err := strconv.ParseFloat(f.Tag.Get(tag), 64); err == nil {
		return &x
	}
	return nil
}

// An Object is an object of JSON.
type Object = map[string]any

// Schema returns the JSON schema of a request that has some members of a type, or all if none are named.
func Schema(t reflect.Type, members ...string) Object { return shapeOf(t).schema(nil, members) }

func (s *shape) schema(named Object, members []string) Object {
	properties := Object{}
	of := Object{"type": "object", "properties": properties, "additionalProperties": false}
	var required []string
	for _, f := range s.inOrder {
		if members != nil && !slices.Contains(members, f.name) {
			continue
		}
		if properties[f.name] = f.schema(named); !f.optional {
			required = append(required, f.name)
		}
	}
	if required != nil {
		of["required"] = required
	}
	return of
}

// SchemaOf returns the JSON schema of a type of requests or answers. That of a struct is a reference to its schema in
// named, or stands in its place if named is nil.
func SchemaOf(t reflect.Type, named Object) Object {
	switch t.Kind() {
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Int:
		return Object{"type": "integer", "format": "int64"}
	case reflect.Uint64:
		return Object{"type": "integer", "format": "int64", "minimum": 0}
	case reflect.Float64:
		return Object{"type": "number", "format": "double"}
	case reflect.Array:
		return Object{"type": "array", "items": SchemaOf(t.Elem(), named), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Slice:
		if t == raw {
			return Object{}
		}
		return Object{"type": "array", "items": SchemaOf(t.Elem(), named)}
	case reflect.Map:
		return Object{"type": "object", "additionalProperties": SchemaOf(t.Elem(), named)}
	case reflect.Struct:
		if named == nil {
			return Schema(t)
		}
		if named[t.Name()] == nil {
			named[t.Name()] = Object{} // while it is made
			named[t.Name()] = shapeOf(t).schema(named, nil)
		}
		return Object{"$ref": "#/components/schemas/" + t.Name()}
	}
	return Object{} // anything
}

// schema returns the schema of a field.
func (f *field) schema(named Object) Object {
	s := SchemaOf(f.typ, named)
	if f.doc != "" {
		s["description"] = f.doc
	}
	if f.enum != nil {
		s["enum"] = f.enum
	}
	if f.least != nil {
		s["minimum"] = *f.least
	}
	if f.most != nil {
		s["maximum"] = *f.most
	}
	return s
}

// Parameters describes the fields of the request of an operation as parameters of a URL.
func (o *Operation) Parameters(named Object) (all []any) {
	for _, f := range shapeOf(o.Request).inOrder {
		p := Object{"name": f.name, "in": "query", "schema": f.schema(named)}
		if f.doc != "" {
			p["description"] = f.doc
		}
		all = append(all, p)
	}
	return all
}
