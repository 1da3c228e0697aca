package dedupreport

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"simsearch/internal/diff"
	"simsearch/internal/idtext"
	"simsearch/internal/show"
	"simsearch/internal/svg"
	"simsearch/internal/terminal"
)

const (
	// mostRows is how many sources, groups, pairs and so on the page shows of each.
	mostRows = 100
	// mostLost is the share of its documents from which the loss of a source is marked.
	mostLost = 0.9
	// openGroups is how many groups are shown at once, and the others on demand.
	openGroups = 10
	// textBytes is how much of a text the page shows.
	textBytes = 32 << 10
)

// A view is what the page shows, in words.
type view struct {
	Title    string
	Verdict  []string // sentences
	Warnings []string
	Figures  []figure
	Parts    []part
	Notes    []string // on documents that are none of the figures

	Sources     []sourceView
	MoreSources string // "": all are shown
	Thresholds  []thresholdView

	Plots     []*svg.Bars // the same, wide and narrow
	Bins      []binView
	Histogram []string // paragraphs

	GroupsText string
	Sizes      []sizeView
	Largest    []groupView
	Others     []groupView // behind Largest, folded
	MoreGroups string

	PairsText string
	Pairs     []pairView
	Pictured  bool // there are thumbnails
	MorePairs string

	Settings []Setting
	Command  string
	Words    wording
}

// A figure is a large number, with a word on what it counts and a few more.
type figure struct{ Name, Value, Text string }

// A part is one of the parts of all documents. From and Width are in per cent.
type part struct {
	Name, Class string
	From, Width float64
}

type sourceView struct {
	Source
	Percent string
	Width   float64 // of a bar, in per cent
	Most    bool    // more than mostLost is removed
}

type thresholdView struct {
	Threshold, Removed, Percent string
	More                        string // than at the chosen one
	Width                       float64
	Chosen                      bool
}

type binView struct{ Range, Documents string }

type sizeView struct {
	Range, Groups, Documents string
	Width                    float64
}

type groupView struct {
	Group
	Similarity string
	Thumbnails []template.URL
}

type pairView struct {
	Number, Previous, Next int // 0: there is none
	ID, Kept, Similarity   string
	Title                  string
	Cut                    bool
	Remarks                []string
	Blocks                 []block
	PictureA, PictureB     template.URL // or ""
}

// view returns what the page shows. The report must be harmless.
func (r *Report) view() *view {
	v := &view{Warnings: r.Warnings, Settings: r.Settings, Command: r.Command, Words: r.wording()}
	v.PairsText = fmt.Sprintf("These removed documents were barely near enough to the one kept. If they are not duplicates, %s.", v.Words.Advice)
	v.verdict(r)
	v.sources(r)
	if r.K != nil {
		v.distances(r)
	} else {
		v.thresholds(r)
		v.histogram(r)
	}
	v.groups(r)
	v.pairs(r)
	return v
}

func (v *view) verdict(r *Report) {
	all := terminal.Thousands(r.Documents)
	switch {
	case r.Documents == 0:
		v.Title = "There were no documents"
		v.Verdict = []string{"The inputs have no documents, so that nothing is removed and nothing is kept."}
	case r.Removed == 0:
		v.Title = fmt.Sprintf("None of %s removed", documents(r.Documents))
		v.Verdict = []string{fmt.Sprintf("No document is like another %s: all of them are kept.", v.Words.Near)}
	default:
		v.Title = fmt.Sprintf("%s of %s %s", terminal.Thousands(r.Removed), documents(r.Documents), removed(r.Mode))
		kept := documents(r.Kept)
		if r.Bytes > 0 {
			kept += fmt.Sprintf(", %s of %s", size(r.KeptBytes), size(r.Bytes))
		}
		v.Verdict = []string{
			fmt.Sprintf("Of each group of documents that are like one another, %s, one is kept and the others are removed.", v.Words.Near),
			"What is kept is " + kept + ".",
		}
		if r.Mode != "" {
			v.Verdict[0] = fmt.Sprintf("Of each group of documents that are like one another, at a similarity of %s or more, one would be kept and the others would be removed.", threshold(r.Threshold))
			v.Verdict[1] = "What would be kept is " + kept + "."
		}
	}
	if r.Contained > 0 {
		v.Verdict = append(v.Verdict, fmt.Sprintf("%s %s removed though less similar, since %s nearly all inside the one that is kept.", documents(r.Contained), verb(r.Contained, "is", "are"), verb(r.Contained, "it is", "they are")))
	}
	v.Verdict = append(v.Verdict, aboutMode(r.Mode)...)
	the, of := "the same text as", "the text of"
	if r.Pictures {
		the, of = "the same file as", "the picture of"
	}
	v.Figures = []figure{
		{removed(r.Mode), terminal.Thousands(r.Removed), fmt.Sprintf("%s of %s", percent(r.Removed, r.Documents), all)},
		{"exact copies", terminal.Thousands(r.Exact), the + " one that is kept"},
		{"near copies", terminal.Thousands(r.Near), "almost " + of + " one that is kept"},
	}
	from := 0.0
	for _, p := range []struct {
		name, class string
		n           int
	}{{"kept", "kept", r.Kept}, {"exact copies", "exact", r.Exact}, {"near copies", "near", r.Near}} {
		if p.n > 0 {
			width := 100 * share(p.n, r.Documents)
			v.Parts = append(v.Parts, part{fmt.Sprintf("%s %s", p.name, percent(p.n, r.Documents)), p.class, from, width})
			from += width
		}
	}
	v.Notes = append(v.Notes, r.Files.notes()...)
	if r.Bad > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%s could not be read, and %s as %s.", documents(r.Bad), verb(r.Bad, "stays", "stay"), verb(r.Bad, "it is", "they are")))
	}
	if r.Empty > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%s %s nothing to compare, and %s kept.", documents(r.Empty), verb(r.Empty, "has", "have"), verb(r.Empty, "is", "are")))
	}
	if r.Seconds > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("It took %s.", duration(r.Seconds)))
	}
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

// aboutMode says why nothing was removed, if nothing was.
func aboutMode(mode string) []string {
	switch mode {
	case "annotate":
		return []string{"Nothing was removed: all documents stay, and fields say what would be. Below, removed means marked."}
	case "dry-run":
		return []string{"This was a trial: no documents were written. Below, removed means what would be."}
	}
	return nil
}

func (v *view) sources(r *Report) {
	byLoss := slices.SortedStableFunc(slices.Values(r.Sources), func(a, b Source) int {
		return cmp.Or(cmp.Compare(b.Removed, a.Removed), cmp.Compare(share(b.Removed, b.Documents), share(a.Removed, a.Documents)))
	})
	for i, s := range byLoss {
		part := share(s.Removed, s.Documents)
		// A file of one document may well be a copy of another.
		most := part > mostLost && s.Documents > 1
		if i < mostRows {
			v.Sources = append(v.Sources, sourceView{s, percent(s.Removed, s.Documents), bar(s.Removed, s.Documents), most})
		}
	}
	if n := len(r.Sources); n > mostRows {
		v.MoreSources = fmt.Sprintf("These are the %d of %s that lost most; report.json has all.", mostRows, terminal.Plural(n, "source"))
	}
}

func (v *view) thresholds(r *Report) {
	most := 1
	for _, t := range r.Thresholds {
		most = max(most, t.Removed)
	}
	for _, t := range r.Thresholds[:min(mostRows, len(r.Thresholds))] {
		v.Thresholds = append(v.Thresholds, r.atThreshold(threshold(t.Threshold), t.Removed, t.Chosen, most))
	}
}

// atThreshold returns a row on a threshold. most is the largest number of such rows.
func (r *Report) atThreshold(name string, removed int, chosen bool, most int) thresholdView {
	shown := thresholdView{Threshold: name, Removed: terminal.Thousands(removed), Percent: percent(removed, r.Documents), Width: bar(removed, most), Chosen: chosen}
	switch more := removed - r.Removed; {
	case chosen:
		shown.More = "chosen"
	case more > 0:
		shown.More = "+" + terminal.Thousands(more)
	case more < 0:
		shown.More = "−" + terminal.Thousands(-more)
	default:
		shown.More = "the same"
	}
	return shown
}

func (v *view) histogram(r *Report) {
	bars := svg.Bars{
		Title: "How many removed documents have which similarity to the one kept", X: "similarity to the one kept", Y: "removed documents",
		Line: &svg.Line{At: r.Threshold, Name: "threshold " + threshold(r.Threshold)}, Width: 760, Height: 300,
	}
	all, below := 0, 0
	for _, b := range r.Histogram {
		all += b.Documents
		if b.To <= r.Threshold+1e-9 && b.From < r.Threshold {
			below += b.Documents
		}
		if len(bars.Bins) == 0 && b.Documents == 0 && b.To <= r.Threshold {
			continue // the drawing begins where there is something
		}
		shown := binView{threshold(b.From) + " to " + threshold(b.To), terminal.Thousands(b.Documents)}
		bar := svg.Bar{From: b.From, To: b.To, Value: float64(b.Documents)}
		if b.From >= b.To { // one value, drawn as wide as the others
			shown.Range = threshold(b.From)
			bar.To = b.From + 0.01
			if n := len(bars.Bins); n > 0 {
				bar.To = b.From + bars.Bins[n-1].To - bars.Bins[n-1].From
			}
		}
		bars.Bins = append(bars.Bins, bar)
		if b.Documents > 0 {
			v.Bins = append(v.Bins, shown)
		}
	}
	if all == 0 {
		v.Histogram = []string{"There is nothing to show, since nothing is removed."}
		return
	}
	if len(r.Borderline) > 0 {
		v.Histogram = append(v.Histogram, "Documents close to the threshold are those to look at first: some of them are under “Borderline pairs”.")
	}
	switch {
	case below > 0 && r.Contained > 0:
		v.Histogram = append(v.Histogram, fmt.Sprintf("%s %s less similar to the one kept than the threshold. Such documents are parts of longer ones.", documents(below), verb(below, "is", "are")))
	case below > 0:
		v.Histogram = append(v.Histogram, fmt.Sprintf("%s %s less similar to the one kept than the threshold. Each is near to another document of its group, though.", documents(below), verb(below, "is", "are")))
	}
	narrow := bars
	narrow.Width, narrow.Height = 340, 260
	v.Plots = []*svg.Bars{&bars, &narrow}
}

func (v *view) groups(r *Report) {
	if r.Groups == 0 {
		v.GroupsText = "There are no groups, since no document is like another."
		return
	}
	v.GroupsText = fmt.Sprintf("There %s %s of documents that are like one another. The largest has %s.", verb(r.Groups, "is", "are"), terminal.Plural(r.Groups, "group"), documents(r.LargestGroup))
	v.Sizes = sizes(r.Sizes)
	for _, g := range r.Largest[:min(mostRows, len(r.Largest))] {
		v.Largest = append(v.Largest, groupView{g, shown(g.Similarity, g.Distance, ""), v.thumbnails(g.Pictures)})
	}
	if len(v.Largest) > openGroups+1 {
		v.Largest, v.Others = v.Largest[:openGroups], v.Largest[openGroups:]
	}
	if n := len(v.Largest) + len(v.Others); n < r.Groups && n > 0 {
		v.MoreGroups = fmt.Sprintf("These are the %d largest of %s; clusters.jsonl has all.", n, terminal.Plural(r.Groups, "group"))
		if n == 1 {
			v.MoreGroups = fmt.Sprintf("This is the largest of %s; clusters.jsonl has all.", terminal.Plural(r.Groups, "group"))
		}
	}
}

// sizes returns how many groups there are of each size. Large sizes are put together.
func sizes(list []Size) (out []sizeView) {
	type class struct{ from, to, groups, removed int }
	classes := []class{{from: 2, to: 2}, {from: 3, to: 3}, {from: 4, to: 4}}
	for from := 5; from < 50_000_000; from *= 10 {
		classes = append(classes, class{from: from, to: 2*from - 1}, class{from: 2 * from, to: 10*from - 1})
	}
	classes[len(classes)-1].to = int(^uint(0) >> 1)
	most := 1
	for _, s := range list {
		i, ok := slices.BinarySearchFunc(classes, s.Size, func(c class, size int) int {
			switch {
			case c.to < size:
				return -1
			case c.from > size:
				return 1
			}
			return 0
		})
		if ok {
			classes[i].groups += s.Groups
			classes[i].removed += s.Groups * (s.Size - 1)
			most = max(most, classes[i].groups)
		}
	}
	for i, c := range classes {
		if c.groups == 0 {
			continue
		}
		text := terminal.Thousands(c.from)
		switch {
		case i == len(classes)-1:
			text += " or more"
		case c.to > c.from:
			text += " to " + terminal.Thousands(c.to)
		}
		out = append(out, sizeView{text, terminal.Thousands(c.groups), terminal.Thousands(c.removed), bar(c.groups, most)})
	}
	return out
}

func (v *view) pairs(r *Report) {
	n := min(mostRows, len(r.Borderline))
	v.Pairs = make([]pairView, n)
	var comparing sync.WaitGroup // differences take most of the time of a page
	for i, p := range r.Borderline[:n] {
		pair := pairView{Number: i + 1, Previous: i, ID: p.ID, Kept: p.Kept, Similarity: shown(p.Similarity, p.Distance, "bit")}
		if shown := v.thumbnails([][]byte{p.PictureA, p.PictureB}); len(shown) == 2 {
			pair.PictureA, pair.PictureB = shown[0], shown[1]
		}
		if i+1 < n {
			pair.Next = i + 2
		}
		comparing.Go(func() {
			pair.compare(p)
			v.Pairs[i] = pair
		})
	}
	comparing.Wait()
	if len(r.Borderline) > n {
		v.MorePairs = fmt.Sprintf("These are the first %d of %s; report.json has all.", n, terminal.Plural(len(r.Borderline), "pair"))
	}
}

// compare sets what is shown of the texts.
func (v *pairView) compare(p Pair) {
	a, cutA := cut(p.A)
	b, cutB := cut(p.B)
	v.Cut = p.Cut || cutA || cutB
	runs := show.Runs(a, b)
	if n := len(runs); v.Cut && n > 1 && runs[n-1].Kind != diff.Equal && runs[n-2].Kind == diff.Equal {
		// The other text may go on with the same where it is cut.
		runs = runs[:n-1]
		a, b = joined(runs)
	}
	if v.PictureA == "" {
		v.Title = show.Title(b, 80)
		v.Remarks = show.Compare(a, b, 0).Remarks
	}
	v.Blocks = blocks(runs)
}

// joined returns the texts of runs.
func joined(runs []diff.Run) (string, string) {
	var a, b strings.Builder
	for _, r := range runs {
		a.WriteString(r.A)
		b.WriteString(r.B)
	}
	return a.String(), b.String()
}

// cut returns the beginning of a text that is long, and whether it is cut.
func cut(text string) (string, bool) {
	if len(text) <= textBytes {
		return text, false
	}
	return strings.ToValidUTF8(text[:textBytes], ""), true
}

// harmless returns a copy of the report that is safe to show: what could act on a screen is escaped. Texts
// keep their lines and tabs.
func (r *Report) harmless() *Report {
	clean := r.with(idtext.Harmless)
	for i, p := range r.Borderline {
		clean.Borderline[i].A, clean.Borderline[i].B = harmlessText(p.A), harmlessText(p.B)
	}
	clean.Command = harmlessText(r.Command)
	return clean
}

// harmlessText is like idtext.Harmless, but keeps lines and tabs.
func harmlessText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var b strings.Builder
	for text != "" {
		end := strings.IndexAny(text, "\n\t")
		if end < 0 {
			end = len(text)
		}
		b.WriteString(idtext.Harmless(text[:end]))
		if end < len(text) {
			b.WriteByte(text[end])
			end++
		}
		text = text[end:]
	}
	return b.String()
}
