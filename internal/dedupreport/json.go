package dedupreport

import (
	"encoding/json"
	"io"
	"slices"

	"simsearch/internal/idtext"
)

// WriteJSON writes the report as indented JSON. Bytes that JSON does not allow are escaped as idtext.String
// escapes them, and lists without elements are []. The error is that of w, or says that a number is not
// finite.
func (r *Report) WriteJSON(w io.Writer) error {
	clean := r.with(idtext.String.Text)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(clean)
}

// with returns a copy of the report in which text has changed each string. No list of it is nil.
func (r *Report) with(text func(string) string) *Report {
	out := *r
	out.Command = text(r.Command)
	out.Settings = each(r.Settings, func(s Setting) Setting { return Setting{text(s.Name), text(s.Value)} })
	out.Sources = each(r.Sources, func(s Source) Source {
		s.Path = text(s.Path)
		return s
	})
	out.Sizes = each(r.Sizes, func(s Size) Size { return s })
	out.Histogram = each(r.Histogram, func(b Bin) Bin { return b })
	out.Thresholds = each(r.Thresholds, func(t AtThreshold) AtThreshold { return t })
	out.Distances, out.AtDistances = slices.Clone(r.Distances), slices.Clone(r.AtDistances)
	out.Largest = each(r.Largest, func(g Group) Group {
		g.Kept, g.IDs, g.Glue = text(g.Kept), each(g.IDs, text), each(g.Glue, text)
		return g
	})
	out.Borderline = each(r.Borderline, func(p Pair) Pair {
		p.ID, p.Kept, p.A, p.B = text(p.ID), text(p.Kept), text(p.A), text(p.B)
		return p
	})
	out.Warnings = each(r.Warnings, text)
	return &out
}

// each returns what do makes of each element of a list, in a slice that is not nil.
func each[T any](list []T, do func(T) T) []T {
	out := make([]T, len(list))
	for i, element := range list {
		out[i] = do(element)
	}
	return out
}
