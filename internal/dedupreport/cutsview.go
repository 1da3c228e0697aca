package dedupreport

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"simsearch/internal/idtext"
	"simsearch/internal/terminal"
)

// A cutsView is what the page of cuts shows beside what all pages have.
type cutsView struct {
	view
	By         string
	CutSources []cutSourceView
	Repeated   []repeatedView
	Rarer      []repeatedView // behind Repeated, folded
	Others     int            // parts that were cut for none of both
}

type cutSourceView struct {
	CutSource
	Cut           int
	Percent, Size string
	Width         float64 // of a bar, in per cent
	Most          bool    // more than mostLost is cut
}

type repeatedView struct {
	Repeated
	Place string
	Width float64
}

// openRepeated is how many parts are shown at once, and the others on demand.
const openRepeated = 20

//go:embed cuts.html.tmpl
var cutsPage string

var cutsTemplate = template.Must(template.Must(pageTemplate.Clone()).New("cuts").Parse(cutsPage))

// WriteHTML writes the report as Report.WriteHTML does.
func (c *Cuts) WriteHTML(w io.Writer) error {
	return cutsTemplate.Execute(w, c.with(idtext.Harmless, harmlessText).view())
}

// view returns what the page shows. The report must be harmless.
func (c *Cuts) view() *cutsView {
	v := &cutsView{view: view{Warnings: c.Warnings, Settings: c.Settings, Command: c.Command}, By: c.By}
	v.PairsText = fmt.Sprintf("These %ss were cut though they have not the words of the one that stays. If they do not say the same, raise the threshold.", c.By)
	v.verdict(c)
	v.sources(c.Sources)
	most, all := 1, c.Exact+c.Near
	for _, r := range c.Repeated {
		most = max(most, r.Times)
	}
	for _, r := range c.Repeated[:min(mostRows, len(c.Repeated))] {
		v.Repeated = append(v.Repeated, repeatedView{r, fmt.Sprintf("%s, %s %d", r.ID, c.By, r.Part), bar(r.Times, most)})
		all -= r.Times
	}
	v.Others = max(0, all)
	if len(v.Repeated) > openRepeated+1 {
		v.Repeated, v.Rarer = v.Repeated[:openRepeated], v.Repeated[openRepeated:]
	}
	v.pairs(&Report{Borderline: c.Borderline})
	return v
}

func (v *cutsView) verdict(c *Cuts) {
	cut, all := c.Exact+c.Near, terminal.Plural(c.Parts, c.By)
	switch {
	case c.Parts == 0:
		v.Title = fmt.Sprintf("There were no %ss", c.By)
		v.Verdict = []string{"The inputs have no words, so that nothing is cut."}
	case cut == 0:
		v.Title = fmt.Sprintf("None of %s cut", all)
		v.Verdict = []string{fmt.Sprintf("No %s that is long enough occurs again.", c.By)}
	default:
		v.Title = fmt.Sprintf("%s of %s %scut", terminal.Thousands(cut), all, map[bool]string{true: "would be "}[c.Mode != ""])
		v.Verdict = []string{fmt.Sprintf("The first occurrence of each %s stays. The others are cut, and so is what is like one before it at a similarity of %s or more.", c.By, threshold(c.Threshold))}
		if c.Threshold >= 1 {
			v.Verdict = []string{fmt.Sprintf("The first occurrence of each %s stays, and the others are cut.", c.By)}
		}
		took := fmt.Sprintf("This takes %s out of %s. %s %s changed", size(c.CutBytes), size(c.Bytes), documents(c.Changed), verb(c.Changed, "is", "are"))
		if c.Removed > 0 {
			took += fmt.Sprintf(", and %s removed, since nothing of %s is left", verb(c.Removed, "1 is", terminal.Thousands(c.Removed)+" are"), verb(c.Removed, "it", "them"))
		}
		v.Verdict = append(v.Verdict, took+".")
		if c.Mode != "" {
			v.Verdict = append(v.Verdict, "This was a trial: nothing was cut.")
		}
	}
	v.Figures = []figure{
		{"cut", terminal.Thousands(cut), fmt.Sprintf("%s of %s", percent(cut, c.Parts), terminal.Thousands(c.Parts))},
		{"occur again", terminal.Thousands(c.Exact), "the same words in the same order"},
		{"near", terminal.Thousands(c.Near), "almost the words of one that stays"},
	}
	from := 0.0
	for _, p := range []struct {
		name, class string
		n           int
	}{{"stay", "kept", c.Parts - cut}, {"occur again", "exact", c.Exact}, {"near", "near", c.Near}} {
		if p.n > 0 {
			width := 100 * share(p.n, c.Parts)
			v.Parts = append(v.Parts, part{fmt.Sprintf("%s %s", p.name, percent(p.n, c.Parts)), p.class, from, width})
			from += width
		}
	}
	if c.Short > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%s %s too short to be cut.", terminal.Plural(c.Short, c.By), verb(c.Short, "is", "are")))
	}
	v.Notes = append(v.Notes, c.Files.notes()...)
	if c.Bad > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%s could not be read, and %s as %s.", documents(c.Bad), verb(c.Bad, "stays", "stay"), verb(c.Bad, "it is", "they are")))
	}
}

func (v *cutsView) sources(list []CutSource) {
	cut := func(s CutSource) int { return s.Exact + s.Near }
	byLoss := slices.SortedStableFunc(slices.Values(list), func(a, b CutSource) int {
		return cmp.Or(cmp.Compare(b.CutBytes, a.CutBytes), cmp.Compare(cut(b), cut(a)))
	})
	for _, s := range byLoss[:min(mostRows, len(byLoss))] {
		most := share(cut(s), s.Parts) > mostLost && s.Parts > 1
		v.CutSources = append(v.CutSources, cutSourceView{s, cut(s), percent(cut(s), s.Parts), size(s.CutBytes), bar(cut(s), s.Parts), most})
	}
	if n := len(list); n > mostRows {
		v.MoreSources = fmt.Sprintf("These are the %d of %s that lost most; report.json has all.", mostRows, terminal.Plural(n, "source"))
	}
}
