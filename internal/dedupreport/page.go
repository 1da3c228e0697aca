package dedupreport

import (
	"fmt"
	"strings"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

const (
	// mostRows is how many sources, groups, pairs and so on a page shows of each.
	mostRows = 100
	// mostLost is the share of a source from which its loss is marked.
	mostLost = 0.9
)

// first returns the first rows of a list, as many as a page shows.
func first[T any](list []T) []T { return list[:min(mostRows, len(list))] }

// A beginning is what a page says before all details.
type beginning struct {
	title           string
	verdict         []string // sentences
	figures         report.Figures
	shares          report.Shares
	warnings, notes []string
}

// page returns a page that begins so.
func (b *beginning) page() *report.Page {
	p := &report.Page{Command: "simsearch dedup", Title: b.title, Opening: report.Paragraphs("verdict", b.verdict...), Foot: "report.json has these figures for programs.", Script: true}
	p.Opening = append(append(p.Opening, b.figures, b.shares), report.Paragraphs("warning", b.warnings...)...)
	if len(b.notes) > 0 {
		p.Opening = append(p.Opening, report.Paragraph{Class: "notes", Text: strings.Join(b.notes, " ")})
	}
	return p
}

// bad returns what is said of documents that could not be read.
func bad(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s could not be read, and %s as %s.", documents(n), verb(n, "stays", "stay"), verb(n, "it is", "they are"))}
}

// notes returns what a page says of files that are left out.
func (f *Files) notes() (notes []string) {
	if f.Damaged > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s %s damaged: left_out.jsonl says what is lost.", terminal.Thousands(f.Damaged), terminal.Plural(f.Input, "file"), verb(f.Damaged, "is", "are")))
	}
	if f.LeftOut == 0 {
		return notes
	}
	var named []string
	for _, l := range f.Named[:min(len(f.Named), f.LeftOut, 3)] {
		named = append(named, fmt.Sprintf("%s (%s)", l.Source, l.Reason))
	}
	return append(notes, fmt.Sprintf("%s of %s %s left out, which means neither compared nor written: %s%s. left_out.jsonl names all.",
		terminal.Thousands(f.LeftOut), terminal.Plural(f.Input, "file"), verb(f.LeftOut, "is", "are"), strings.Join(named, ", "), verb(f.LeftOut-len(named)+1, "", " and others")))
}

// sources returns the part on what was lost of each source. all is how many sources there are.
func sources(t *report.Table, all int) *report.Part {
	s := &report.Part{ID: "sources", Title: "Sources"}
	if all == 0 {
		s.Add(report.Paragraph{Text: "There are no sources to tell apart."})
		return s
	}
	if all > mostRows {
		s.Add(report.Paragraph{Class: "notice", Text: fmt.Sprintf("These are the %d of %s that lost most; report.json has all.", mostRows, terminal.Plural(all, "source"))})
	}
	t.Class = "sources"
	s.Add(t)
	return s
}

// lost returns a cell on what was lost of a source.
func lost(n, all int) report.Amount {
	// A file of one document may well be a copy of another.
	return report.Amount{N: n, Of: all, Percent: report.Percent(n, all), Bar: report.Bar(n, all), Warn: all > 1 && float64(n) > mostLost*float64(all)}
}

// table returns a table without rows.
func table(class, title string, columns ...string) *report.Table {
	return &report.Table{Class: class, Title: title, Columns: columns}
}

// inTwo returns a table of as many rows as are shown, and behind it the other rows, folded. summary says what they are.
func inTwo(t *report.Table, shown int, summary func(n int) string) []report.Element {
	if len(t.Rows) <= shown+1 {
		return []report.Element{t}
	}
	rest := *t
	rest.Rows, t.Rows = t.Rows[shown:], t.Rows[:shown]
	return []report.Element{t, report.Folded{Summary: summary(len(rest.Rows)), Body: []report.Element{&rest}}}
}

// borderline returns the part with pairs, and whether there are pictures in it.
func borderline(text string, list []Pair) (part *report.Part, pictured bool) {
	part = &report.Part{ID: "borderline", Title: "Borderline pairs"}
	if len(list) == 0 {
		part.Add(report.Paragraph{Text: "There are none."})
		return part, false
	}
	part.Add(report.Paragraph{Text: text})
	if len(list) > mostRows {
		part.Add(report.Paragraph{Class: "notice", Text: fmt.Sprintf("These are the first %d of %s; report.json has all.", mostRows, terminal.Plural(len(list), "pair"))})
	}
	var pairs report.Pairs
	for _, p := range first(list) {
		near := terminal.Similarity(p.Similarity)
		if p.Distance != nil {
			near = terminal.Plural(*p.Distance, "bit")
		}
		pair := &report.Pair{ID: p.ID, Kept: p.Kept, Nearness: near, A: p.A, B: p.B, Cut: p.Cut}
		if urls := report.Pictures(p.PictureA, p.PictureB); len(urls) == 2 {
			pair.PictureA, pair.PictureB, pictured = urls[0], urls[1], true
		}
		pairs = append(pairs, pair)
	}
	part.Add(pairs.Compared())
	return part, pictured
}

// settings returns the part on what the result depends on.
func settings(list []Setting, command string) *report.Part {
	part := &report.Part{ID: "settings", Title: "Settings"}
	if len(list) > 0 {
		t := table("settings", "What the result depends on.", "setting", "value")
		for _, s := range list {
			t.Add(s.Name, s.Value)
		}
		part.Add(t)
	}
	if command != "" {
		part.Add(report.Command(command))
	}
	return part
}
