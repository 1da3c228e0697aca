package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"simsearch/internal/disk"
	"simsearch/internal/idtext"
)

// WriteFiles writes report.json, report.md, report.html and, for each plot, an SVG file into dir. If the report has pairs of
// texts, it writes labels.jsonl, too, with a label to be filled in for each. It creates dir if there is none, and replaces files of these names, each in one step.
func (r *Report) WriteFiles(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	write := func(name string, do func(*bytes.Buffer) error) error {
		var b bytes.Buffer
		if err := do(&b); err != nil {
			return err
		}
		return disk.WriteAtomic(disk.OS, filepath.Join(dir, name), b.Bytes())
	}
	if err := write("report.json", func(b *bytes.Buffer) error { return r.WriteJSON(b) }); err != nil {
		return err
	}
	if err := write("report.html", func(b *bytes.Buffer) error { return r.WriteHTML(b) }); err != nil {
		return err
	}
	for _, s := range r.harmless().Sections {
		for i, p := range s.Plots {
			if err := write(PlotName(s, i), func(b *bytes.Buffer) error { return p.Write(b) }); err != nil {
				return err
			}
		}
	}
	if r.hasExamples() {
		if err := write("labels.jsonl", r.writeLabels); err != nil {
			return err
		}
	}
	return write("report.md", func(b *bytes.Buffer) error { return r.WriteMarkdown(b, 1, PlotName) })
}

// PlotName returns the name of the file of plot i of section s, such as "recall-1.svg" for plot 0.
func PlotName(s *Section, i int) string { return fmt.Sprintf("%s-%d.svg", s.Name, i+1) }

func (r *Report) hasExamples() bool {
	return slices.ContainsFunc(r.Sections, func(s *Section) bool { return len(s.Examples) > 0 })
}

// writeLabels writes a line for each pair of texts. Bytes of ids that are not UTF-8 are written as the commands write them.
func (r *Report) writeLabels(b *bytes.Buffer) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	known := map[[2]string]bool{}
	for _, s := range r.Sections {
		for _, examples := range s.Examples {
			for _, p := range examples.Pairs {
				if known[[2]string{p.A, p.B}] {
					continue
				}
				known[[2]string{p.A, p.B}] = true
				if err := e.Encode(label{idtext.String.Text(p.A), idtext.String.Text(p.B), "", p.Figures}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

type label struct {
	A       string `json:"a"`
	B       string `json:"b"`
	Label   string `json:"label"`
	Figures string `json:"figures"`
}
