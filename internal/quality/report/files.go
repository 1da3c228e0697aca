package report

import (
	"fmt"
	"io"
)

// The names of the files of a report, beside those of its plots. Where there is a JSONName, the others are from a
// report, too.
const (
	JSONName     = "report.json"
	HTMLName     = "report.html"
	MarkdownName = "report.md"
)

// WriteFiles calls put with the name of each file of the report and a function that writes it: first report.json, then
// report.html, for each plot an SVG file, and report.md. It ends with the first error.
func (r *Report) WriteFiles(put func(name string, write func(io.Writer) error) error) error {
	if err := put(JSONName, r.WriteJSON); err != nil {
		return err
	}
	if err := put(HTMLName, r.WriteHTML); err != nil {
		return err
	}
	for _, s := range r.Sections {
		for i, p := range s.Plots {
			if err := put(PlotName(s, i), p.Write); err != nil {
				return err
			}
		}
	}
	return put(MarkdownName, func(w io.Writer) error { return r.WriteMarkdown(w, 1, PlotName) })
}

// PlotName returns the name of the file of plot i of section s, such as "recall-1.svg" for plot 0.
func PlotName(s *Section, i int) string { return fmt.Sprintf("%s-%d.svg", s.Name, i+1) }
