package repeats

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// A Report says what is cut. Its JSON form is the file report.json. All strings may have any bytes. No count is
// negative.
type Report struct {
	V        int           `json:"v"`              // 1
	Command  string        `json:"command"`        // that does the same again, as a shell reads it
	By       string        `json:"by"`             // passage
	Mode     string        `json:"mode,omitempty"` // dry-run, or "" if files are written
	Settings []report.Fact `json:"settings"`

	Files     int   `json:"files"`
	Documents int   `json:"documents"`
	Bytes     int64 `json:"bytes"`     // of their texts
	Changed   int   `json:"changed"`   // documents of which something is cut, and something stays
	Removed   int   `json:"removed"`   // documents of which nothing stays
	Cut       int   `json:"cut"`       // passages
	CutWords  int64 `json:"cut_words"` // in them
	CutBytes  int64 `json:"cut_bytes"` // of texts, that are not written
	Passes    int   `json:"passes"`    // after which nothing is repeated
	run.Missed
	Sources  []Source     `json:"sources"` // files of which something is cut, most first
	Longest  []cutRow     `json:"longest"` // passages that are cut
	Warnings run.Warnings `json:"warnings"`
	longest  run.Top[cutRow]
}

// A Source is a file.
type Source struct {
	Path      string `json:"path"`
	Documents int    `json:"documents"`
	Changed   int    `json:"changed"`
	Removed   int    `json:"removed"`
	CutBytes  int64  `json:"cut_bytes"`
	Bad       int    `json:"bad,omitempty"`

	lost error // why the end of it is neither compared nor written
}

// mostLongest is how many passages a report names.
const mostLongest = 100

// summarize completes the report.
func (j *job) summarize() *Report {
	r := &j.report
	r.V, r.Command, r.By, r.Files, r.Missed = 1, j.Command, dedup.Passages.String(), len(j.Files), j.Missed
	if j.o.DryRun {
		r.Mode = "dry-run"
	}
	r.Settings = report.Facts("by", r.By, "passage-words", j.o.Words, "files", r.Files)
	for _, s := range r.Sources {
		r.Changed, r.Removed, r.CutBytes = r.Changed+s.Changed, r.Removed+s.Removed, r.CutBytes+s.CutBytes
	}
	r.longest.Trim()
	r.Longest = r.longest.Rows
	r.Sources = slices.DeleteFunc(r.Sources, func(s Source) bool { return s.CutBytes == 0 })
	slices.SortStableFunc(r.Sources, func(a, b Source) int { return cmp.Compare(b.CutBytes, a.CutBytes) })
	if r.Documents == 0 && r.Bad+r.Damaged == 0 {
		r.Warnings.Add("The input has no documents.")
	}
	if 2*r.CutBytes > r.Bytes {
		r.Warnings.Add("More than half of the texts is repeated: remove near documents first, without --by.")
	}
	return r
}

// Summary returns what is cut, on one line.
func (r *Report) Summary() string {
	return fmt.Sprintf("%s %scut, %s of %s; %s of %s changed, %s removed", terminal.Plural(r.Cut, "passage"),
		report.Either(r.Mode != "", "", "would be "), terminal.Bytes(r.CutBytes), terminal.Bytes(r.Bytes),
		terminal.Thousands(r.Changed), terminal.Plural(r.Documents, "document"), terminal.Thousands(r.Removed))
}

// Columns returns the numbers of the summary.
func (r *Report) Columns() []terminal.Column {
	columns := terminal.Keyed("by", r.By, "documents", r.Documents, "changed", r.Changed, "removed", r.Removed,
		"cut", r.Cut, "cut_words", r.CutWords, "bytes", r.Bytes, "cut_bytes", r.CutBytes, "passes", r.Passes,
		"bad", r.Bad, "files", r.Files, "files_left_out", r.LeftOut, "warnings", append([]string{}, r.Warnings...))
	if r.Mode != "" {
		return slices.Insert(columns, 0, terminal.Column{Key: "mode", Value: r.Mode})
	}
	return columns
}

// WriteHTML writes the report as one page that needs no other file and no network.
func (r *Report) WriteHTML(w io.Writer) error {
	p := report.Result("simsearch dedup", ", and cut.jsonl all that is cut", r.Warnings, r.Settings, r.Command)
	p.Title = terminal.Plural(r.Cut, "repeated passage") + report.Either(r.Mode != "", " cut", " would be cut")
	documents := func(n int) string { return report.Verb(n, "document", "documents") }
	p.Figure(r.Cut, report.Verb(r.Cut, "passage", "passages"), terminal.Bytes(r.CutBytes)+" of "+terminal.Bytes(r.Bytes))
	p.Figure(r.Changed, documents(r.Changed)+" changed", "of "+terminal.Thousands(r.Documents))
	p.Figure(r.Removed, documents(r.Removed)+" removed", "nothing else was in "+report.Verb(r.Removed, "it", "them"))
	if r.Cut == 0 {
		p.Lead = report.P("verdict", "No passage of as many words as the settings below say occurs twice.")
		return p.Write(w)
	}
	p.Lead = report.P("verdict", "These passages occur earlier, in another document or in the same one. "+
		"The first occurrence of each stays.")
	longest := report.NewTable("The longest passages, and where they stay.", "document", "words", "begins", "stays in")
	for _, row := range r.Longest {
		longest.Add(report.ID(row.ID), int(row.Words), report.Styled{Class: "glue", Of: report.Text(row.Text)},
			report.ID(row.KeptID))
	}
	sources := report.NewTable("Files of which something is cut.", "source", "documents", "changed", "removed", "cut")
	for _, s := range r.Sources[:min(len(r.Sources), mostLongest)] {
		sources.Add(report.ID(s.Path), s.Documents, s.Changed, s.Removed, report.Number(terminal.Bytes(s.CutBytes)))
	}
	passages := report.First(len(r.Longest), r.Cut, "These are the %s longest of %s passages; cut.jsonl has all.")
	p.Sections = []*report.Section{{Name: "longest", Title: "Passages", Body: passages + longest.InTwo("sources", 10, "passage")}}
	p.Section("Sources", sources.Of(len(r.Sources)))
	return p.Write(w)
}
