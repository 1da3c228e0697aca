package dedupreport

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"simsearch/internal/report"
	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

// openGroups is how many groups are shown at once, and the others on demand.
const openGroups = 10

// WriteHTML writes the report as one page that needs no other file and no network. It shows at most 100
// sources, groups and pairs. What ids and texts have of markup and control characters is shown and has no
// effect. The error is that of w.
func (r *Report) WriteHTML(w io.Writer) error { return report.Harmless(r).page().Write(w) }

// page returns the page of a report, which must be harmless.
func (r *Report) page() *report.Page {
	p := r.beginning().page()
	words := r.wording()
	p.Parts = append(p.Parts, r.sources())
	if len(r.Thresholds)+len(r.AtDistances) > 0 {
		p.Parts = append(p.Parts, r.others(words))
	}
	groups, picturedGroups := r.groups(words)
	pairs, picturedPairs := borderline(fmt.Sprintf("These removed documents were barely near enough to the one kept. If they are not duplicates, %s.", words.advice), r.Borderline)
	p.Pictures = picturedGroups || picturedPairs
	p.Parts = append(p.Parts, r.nearness(words), groups, pairs, settings(r.Settings, r.Command))
	return p
}

// A wording says what is measured. Documents may be near by the distance of their fingerprints. Then Report.K says so, Distances
// and AtDistances take the places of Histogram and Thresholds, and similarities are shares of bits.
type wording struct {
	others, othersLink, othersCaption, threshold string // of what would have been removed
	how, howLink, caption, measure               string // of the histogram
	groupsCaption                                string
	near                                         string // of documents, in a sentence
	advice                                       string // if what is barely near is no duplicate
}

func (r *Report) wording() wording {
	if r.K == nil {
		return wording{
			others: "At other thresholds", othersLink: "Thresholds", othersCaption: "What would have been removed at another threshold.", threshold: "threshold",
			how: "How similar removed documents are to the one kept", howLink: "Similarity", caption: "Removed documents by their similarity to the one kept.", measure: "similarity",
			groupsCaption: "Similarity is the smallest of a removed document to the one kept.",
			near:          fmt.Sprintf("at a similarity of %s or more", threshold(r.Threshold)),
			advice:        "raise the threshold",
		}
	}
	return wording{
		others: "At other distances", othersLink: "Other distances", othersCaption: "What would have been removed if other distances were near.", threshold: "k",
		how: "How far removed documents are from the one kept", howLink: "Distance", caption: "Removed documents by the distance of their fingerprints from that of the one kept.", measure: "distance",
		groupsCaption: "Distance is the largest of a removed document from the one kept, in bits.",
		near:          fmt.Sprintf("with fingerprints that differ in %s at most", terminal.Plural(*r.K, "bit")),
		advice:        "choose a smaller k",
	}
}

func (r *Report) beginning() *beginning {
	b := &beginning{warnings: r.Warnings}
	all, near := terminal.Thousands(r.Documents), r.wording().near
	switch {
	case r.Documents == 0:
		b.title = "There were no documents"
		b.verdict = []string{"The inputs have no documents, so that nothing is removed and nothing is kept."}
	case r.Removed == 0:
		b.title = fmt.Sprintf("None of %s removed", documents(r.Documents))
		b.verdict = []string{fmt.Sprintf("No document is like another %s: all of them are kept.", near)}
	default:
		b.title = fmt.Sprintf("%s of %s %s", terminal.Thousands(r.Removed), documents(r.Documents), removed(r.Mode))
		kept := documents(r.Kept)
		if r.Bytes > 0 {
			kept += fmt.Sprintf(", %s of %s", size(r.KeptBytes), size(r.Bytes))
		}
		one, others, is := "is kept", "are removed", "is"
		if r.Mode != "" {
			one, others, is = "would be kept", "would be removed", "would be"
		}
		b.verdict = []string{
			fmt.Sprintf("Of each group of documents that are like one another, %s, one %s and the others %s.", near, one, others),
			fmt.Sprintf("What %s kept is %s.", is, kept),
		}
	}
	if r.Contained > 0 {
		b.verdict = append(b.verdict, fmt.Sprintf("%s %s removed though less similar, since %s nearly all inside the one that is kept.", documents(r.Contained), verb(r.Contained, "is", "are"), verb(r.Contained, "it is", "they are")))
	}
	switch r.Mode {
	case "annotate":
		b.verdict = append(b.verdict, "Nothing was removed: all documents stay, and fields say what would be. Below, removed means marked.")
	case "dry-run":
		b.verdict = append(b.verdict, "This was a trial: no documents were written. Below, removed means what would be.")
	}
	the, of := "the same text as", "the text of"
	if r.Pictures {
		the, of = "the same file as", "the picture of"
	}
	b.figures = report.Figures{
		{Value: terminal.Thousands(r.Removed), Name: removed(r.Mode), Text: fmt.Sprintf("%s of %s", report.Percent(r.Removed, r.Documents), all)},
		{Value: terminal.Thousands(r.Exact), Name: "exact copies", Text: the + " one that is kept"},
		{Value: terminal.Thousands(r.Near), Name: "near copies", Text: "almost " + of + " one that is kept"},
	}
	b.shares = b.shares.Add("kept", "kept", r.Kept, r.Documents).Add("exact copies", "exact", r.Exact, r.Documents).Add("near copies", "near", r.Near, r.Documents)
	b.notes = append(r.Files.notes(), bad(r.Bad)...)
	if r.Empty > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%s %s nothing to compare, and %s kept.", documents(r.Empty), verb(r.Empty, "has", "have"), verb(r.Empty, "is", "are")))
	}
	if r.Seconds > 0 {
		b.notes = append(b.notes, fmt.Sprintf("It took %s.", duration(r.Seconds)))
	}
	return b
}

// removed returns what is said of documents that count as removed.
func removed(mode string) string {
	switch mode {
	case "annotate":
		return "marked"
	case "dry-run":
		return "would be removed"
	}
	return "removed"
}

func (r *Report) sources() *report.Part {
	byLoss := slices.SortedStableFunc(slices.Values(r.Sources), func(a, b Source) int {
		return cmp.Or(cmp.Compare(b.Removed, a.Removed), cmp.Compare(b.Removed*a.Documents, a.Removed*b.Documents))
	})
	t := table("", "What was removed of each source. The one that lost most comes first.", "source", "removed", "exact", "near", "bad")
	for _, s := range first(byLoss) {
		t.Add(report.Name(s.Path), lost(s.Removed, s.Documents), s.Exact, s.Near, s.Bad)
	}
	return sources(t, len(byLoss))
}

// others returns the part on what would have been removed at other thresholds, or distances.
func (r *Report) others(words wording) *report.Part {
	t := table("small", words.othersCaption, words.threshold, "removed", "difference")
	most := 1
	for _, at := range r.Thresholds {
		most = max(most, at.Removed)
	}
	for _, at := range r.AtDistances {
		most = max(most, at.Removed)
	}
	add := func(name string, removed int, chosen bool) {
		difference := "the same"
		switch more := removed - r.Removed; {
		case chosen:
			difference, t.Chosen = "chosen", len(t.Rows)+1
		case more > 0:
			difference = "+" + terminal.Thousands(more)
		case more < 0:
			difference = "−" + terminal.Thousands(-more)
		}
		t.Add(name, report.Amount{N: removed, Percent: report.Percent(removed, r.Documents), Bar: report.Bar(removed, most)}, report.Number(difference))
	}
	if r.K == nil {
		for _, at := range first(r.Thresholds) {
			add(threshold(at.Threshold), at.Removed, at.Chosen)
		}
	} else {
		for _, at := range first(r.AtDistances) {
			add(fmt.Sprint(at.K), at.Removed, at.Chosen)
		}
	}
	return &report.Part{ID: "thresholds", Link: words.othersLink, Title: words.others, Body: []report.Element{t}}
}

// nearness returns the part on how near removed documents are to the ones kept.
func (r *Report) nearness(words wording) *report.Part {
	part := &report.Part{ID: "similarity", Link: words.howLink, Title: words.how}
	t := table("bins", words.caption, words.measure, "documents")
	bars, far := r.similarities(t)
	edge, away := "Documents close to the threshold are", "less similar to the one kept than the threshold"
	if r.K != nil {
		bars, far = r.distances(t)
		edge, away = "Documents at the largest distance are", "further from the one kept than k"
	}
	if len(t.Rows) == 0 {
		part.Add(report.Paragraph{Text: "There is nothing to show, since nothing is removed."})
		return part
	}
	narrow := bars
	bars.Width, bars.Height, narrow.Width, narrow.Height = 760, 300, 340, 260
	part.Add(report.Plot{Title: bars.Title, Drawings: []report.Drawing{&bars, &narrow}})
	if len(r.Borderline) > 0 {
		part.Add(report.Paragraph{Text: edge + " those to look at first: some of them are under “Borderline pairs”."})
	}
	if far > 0 {
		why := "Each is near to another document of its group, though."
		if r.K == nil && r.Contained > 0 {
			why = "Such documents are parts of longer ones."
		}
		part.Add(report.Paragraph{Text: fmt.Sprintf("%s %s %s. %s", documents(far), verb(far, "is", "are"), away, why)})
	}
	part.Add(report.Folded{Summary: "The same as a table", Body: []report.Element{t}})
	return part
}

// similarities returns the histogram of similarities, of which it adds a row to t for each bin that has documents, and how many
// documents are below the threshold.
func (r *Report) similarities(t *report.Table) (bars svg.Bars, below int) {
	bars = svg.Bars{
		Title: "How many removed documents have which similarity to the one kept", X: "similarity to the one kept", Y: "removed documents",
		Line: &svg.Line{At: r.Threshold, Name: "threshold " + threshold(r.Threshold)},
	}
	for _, b := range r.Histogram {
		if b.To <= r.Threshold+1e-9 && b.From < r.Threshold {
			below += b.Documents
		}
		if len(bars.Bins) == 0 && b.Documents == 0 && b.To <= r.Threshold {
			continue // the drawing begins where there is something
		}
		name := threshold(b.From) + " to " + threshold(b.To)
		bar := svg.Bar{From: b.From, To: b.To, Value: float64(b.Documents)}
		if b.From >= b.To { // one value, drawn as wide as the others
			name = threshold(b.From)
			bar.To = b.From + 0.01
			if n := len(bars.Bins); n > 0 {
				bar.To = b.From + bars.Bins[n-1].To - bars.Bins[n-1].From
			}
		}
		bars.Bins = append(bars.Bins, bar)
		if b.Documents > 0 {
			t.Add(name, b.Documents)
		}
	}
	return bars, below
}

// distances returns the same of distances, and how many documents are further away than k.
func (r *Report) distances(t *report.Table) (bars svg.Bars, far int) {
	bars = svg.Bars{
		Title: "How many removed documents have which distance from the one kept", X: "distance from the one kept, in bits", Y: "removed documents",
		Line: &svg.Line{At: float64(*r.K) + 0.5, Name: fmt.Sprintf("k = %d", *r.K)}, Whole: true,
	}
	for _, d := range r.Distances {
		bars.Bins = append(bars.Bins, svg.Bar{From: float64(d.Distance) - 0.5, To: float64(d.Distance) + 0.5, Value: float64(d.Documents)})
		if d.Documents > 0 {
			t.Add(terminal.Plural(d.Distance, "bit"), d.Documents)
		}
		if d.Distance > *r.K {
			far += d.Documents
		}
	}
	return bars, far
}

// groups returns the part on groups, and whether there are pictures in it.
func (r *Report) groups(words wording) (part *report.Part, pictured bool) {
	part = &report.Part{ID: "groups", Title: "Groups"}
	if r.Groups == 0 {
		part.Add(report.Paragraph{Text: "There are no groups, since no document is like another."})
		return part, false
	}
	part.Add(report.Paragraph{Text: fmt.Sprintf("There %s %s of documents that are like one another. The largest has %s.", verb(r.Groups, "is", "are"), terminal.Plural(r.Groups, "group"), documents(r.LargestGroup))})
	if t := sizes(r.Sizes); len(t.Rows) > 0 {
		part.Add(report.Heading("Sizes of groups"), t)
	}
	if len(r.Largest) == 0 {
		return part, false
	}
	part.Add(report.Heading("The largest groups"))
	switch n := len(first(r.Largest)); n {
	case r.Groups:
	case 1:
		part.Add(report.Paragraph{Class: "notice", Text: fmt.Sprintf("This is the largest of %s; clusters.jsonl has all.", terminal.Plural(r.Groups, "group"))})
	default:
		part.Add(report.Paragraph{Class: "notice", Text: fmt.Sprintf("These are the %d largest of %s; clusters.jsonl has all.", n, terminal.Plural(r.Groups, "group"))})
	}
	t := table("groups", words.groupsCaption, "size", words.measure, "kept document, and those removed")
	for _, g := range first(r.Largest) {
		near := terminal.Similarity(g.Similarity)
		if g.Distance != nil {
			near = fmt.Sprint(*g.Distance)
		}
		pictures := report.Pictures(g.Pictures...)
		pictured = pictured || len(pictures) > 0
		t.Add(g.Size, report.Number(near), report.Members{ID: g.Kept, Others: g.IDs, More: g.More, Shared: g.Glue, Pictures: pictures})
	}
	part.Add(inTwo(t, openGroups, func(n int) string { return terminal.Plural(n, "more group") })...)
	return part, pictured
}

// sizes returns how many groups there are of each size. Large sizes are put together.
func sizes(list []Size) *report.Table {
	type class struct{ from, to, groups, removed int }
	classes := []class{{from: 2, to: 2}, {from: 3, to: 3}, {from: 4, to: 4}}
	for from := 5; from < 50_000_000; from *= 10 {
		classes = append(classes, class{from: from, to: 2*from - 1}, class{from: 2 * from, to: 10*from - 1})
	}
	last := len(classes) - 1
	classes[last].to = math.MaxInt
	most := 1
	for _, s := range list {
		if i := slices.IndexFunc(classes, func(c class) bool { return c.from <= s.Size && s.Size <= c.to }); i >= 0 {
			classes[i].groups += s.Groups
			classes[i].removed += s.Groups * (s.Size - 1)
			most = max(most, classes[i].groups)
		}
	}
	t := table("small", "How many groups have how many documents, with the one that is kept.", "documents in a group", "groups", "removed documents")
	for i, c := range classes {
		if c.groups == 0 {
			continue
		}
		text := terminal.Thousands(c.from)
		switch {
		case i == last:
			text += " or more"
		case c.to > c.from:
			text += " to " + terminal.Thousands(c.to)
		}
		t.Add(text, report.Amount{N: c.groups, Bar: report.Bar(c.groups, most)}, c.removed)
	}
	return t
}
