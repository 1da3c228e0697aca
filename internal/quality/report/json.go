package report

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the report as indented JSON. NaN and infinity are null.
func (r *Report) WriteJSON(w io.Writer) error {
	return JSON(w, r.harmless())
}

// JSON writes a value as indented JSON.
func JSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(value)
}
