package dedup

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"simsearch/internal/clean/warnings"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// mostRows is how many sources, groups, pairs and so on a page shows of each.
const mostRows = 100

// shown returns the first elements of a list, as many as a page shows.
func shown[T any](list []T) []T { return list[:min(len(list), mostRows)] }

// WriteHTML writes the report as one page that needs no other file and no network. It shows at most 100
// sources, groups and pairs. What ids and texts have of markup and control characters is shown and has no
// effect. The error is that of w.
func (r *Report) WriteHTML(w io.Writer) error {
	p := report.Result("simsearch dedup", "", r.Warnings, r.Settings, r.Command)
	p.Title, p.Pictures, p.Lead = r.title(), r.Pictures, r.lead()
	p.Figure(r.Removed, done(r.Mode, "removed"), report.PercentOf(r.Removed, r.Documents))
	p.Figure(r.Exact, "exact copies", report.Either(r.Pictures, "the same text", "the same file")+" as one that is kept")
	words := r.measured("words", "fingerprint")
	p.Figure(r.Words, "with its "+words, "the "+words+" of one that is kept, and not its "+report.Either(r.Pictures, "text", "file"))
	p.Figure(r.Near, "near copies", "almost the "+report.Either(r.Pictures, "text", "picture")+" of one that is kept")
	p.Shares = report.Shares(r.Documents,
		"kept", r.Kept, "exact copies", r.Exact, "with its "+words, r.Words, "near copies", r.Near)
	p.Notes = notes(&r.Files, r.Bad) +
		report.If(r.Empty > 0, report.P("notes", "%s %s nothing to compare, and %s kept.",
			terminal.Plural(r.Empty, "document"), report.Verb(r.Empty, "has", "have"), report.Is(r.Empty))) +
		report.If(r.Seconds > 0, report.P("notes", "It took %s.", duration(r.Seconds)))
	sources := report.NewTable("What was removed of each source. The one that lost most comes first.",
		"source", "removed", "exact", "same "+words, "near", "bad")
	byLoss := slices.SortedStableFunc(slices.Values(r.Sources), func(a, b warnings.Source) int {
		return cmp.Or(cmp.Compare(b.Removed, a.Removed), cmp.Compare(b.Removed*a.Documents, a.Removed*b.Documents))
	})
	for _, s := range shown(byLoss) {
		sources.Add(report.ID(s.Path), partOf(s.Removed, s.Documents), s.Exact, s.Words, s.Near, s.Bad)
	}
	p.Section("Sources", sources.Of(len(r.Sources)))
	p.Sections = append(p.Sections, r.nearness())
	p.Section("Groups", r.groups())
	p.Sections = append(p.Sections, borderline(r.Borderline, report.P("",
		"These removed documents were barely near enough "+
			"to the one kept. If they are not duplicates, %s.", r.measured("raise the threshold", "choose a smaller k"))))
	return p.Write(w)
}

// measured returns one text where near goes by similarity, and another one where it goes by distance.
func (r *Report) measured(similarity, distance string) string {
	return report.Either(r.K != nil, similarity, distance)
}

// lead says what was removed.
func (r *Report) lead() report.HTML {
	near := fmt.Sprintf("at a similarity of %s or more", report.Threshold(r.Threshold))
	if r.Copy > 0 {
		near = fmt.Sprintf("with a probability of a copy of %s or more", report.Threshold(r.Copy))
	}
	if r.K != nil {
		near = fmt.Sprintf("with fingerprints that differ in %s at most", terminal.Plural(*r.K, "bit"))
	}
	var b report.Builder
	is, are := report.Either(r.Mode != "", "is", "would be"), report.Either(r.Mode != "", "are", "would be")
	switch {
	case r.Documents == 0:
		b.P("verdict", "The inputs have no documents, so that nothing is removed and nothing is kept.")
	case r.Removed == 0:
		b.P("verdict", "No document is like another %s: all of them are kept.", near)
	default:
		b.P("verdict", "Of each group of documents that are like one another, %s, one %s kept and the others %s removed.",
			near, is, are)
		b.P("verdict", "What %s kept is %s%s.", is, terminal.Plural(r.Kept, "document"),
			report.If(r.Bytes > 0, report.H(", %s of %s", size(r.KeptBytes), size(r.Bytes))))
	}
	if d := r.Differs; d.Any > 0 {
		b.P("verdict", "%s of the near ones %s other facts than the one kept: %s. removed.jsonl has them with <code>differs</code>; "+
			"<code>--spare all</code> keeps such documents.", d.Any, report.Verb(d.Any, "has", "have"), d.String())
	}
	if n := r.Contained; n > 0 {
		b.P("verdict", "%s %s removed though less similar, since %s nearly all inside the one that is kept.",
			terminal.Plural(n, "document"), report.Is(n), report.Verb(n, "it is", "they are"))
	}
	if n := r.WouldLose; n > 0 {
		b.P("verdict", "%s %s though near, since %s has something that stands nowhere else.",
			terminal.Plural(n, "document"), report.Verb(n, "stays", "stay"), report.Verb(n, "it", "each"))
	}
	if r.Review != nil {
		b.P("verdict", "A person has looked at some removals: %s.", r.Review.String())
	}
	switch r.Mode {
	case "":
	case "annotate":
		b.P("verdict", "Nothing was removed: all documents stay, and fields say what would be. Below, removed means marked.")
	default:
		b.P("verdict", "This was a trial: no documents were written. Below, removed means what would be.")
	}
	return b.HTML()
}

// nearness says how near removed documents are to the ones kept.
func (r *Report) nearness() *report.Section {
	n := report.HowNear{What: "removed documents", To: "the one kept", ByDistance: r.K != nil,
		Limit: r.Threshold, Bins: r.Histogram,
		Why: "Each is near to another document of its group, though.", Borderline: len(r.Borderline) > 0}
	for _, bin := range r.Histogram {
		if bin.To <= r.Threshold+1e-9 && bin.From < r.Threshold {
			n.Far += bin.Documents
		}
	}
	if r.K != nil {
		n.Limit = float64(*r.K)
		for _, d := range r.Distances {
			at := float64(d.Distance)
			n.Bins = append(n.Bins, report.Bin{From: at, To: at, Documents: d.Documents})
			if d.Distance > *r.K {
				n.Far += d.Documents
			}
		}
	}
	if r.Contained > 0 {
		n.Why = "Such documents are parts of longer ones."
	}
	if r.Copy > 0 {
		n.Line = "judged from " + report.Threshold(r.Threshold)
	}
	s := n.Section()
	s.Body += report.If(s.Body == "", report.P("", "There is nothing to show, since nothing is removed."))
	return s
}

func (r *Report) groups() report.HTML {
	if r.Groups == 0 {
		return report.P("", "There are no groups, since no document is like another.")
	}
	sizes := report.Sizes(r.Sizes, "How many groups have how many documents, with the one that is kept.",
		"removed documents")
	t := report.NewTable(r.measured("Similarity is the smallest of a removed document to the one kept.",
		"Distance is the largest of a removed document from the one kept, in bits."),
		"kept document, and those removed", r.measured("similarity", "distance"), "size")
	for _, g := range shown(r.Largest) {
		kept := report.ID(g.Kept)
		if len(g.IDs) > 0 {
			kept.Of = report.H("<details><summary>%s</summary><ul>%s%s</ul></details>", g.Kept,
				report.Each("<li>%s</li>", g.IDs),
				report.If(g.More > 0, report.H(`<li class="more">and %s more</li>`, g.More)))
		}
		var pictures report.HTML
		for _, small := range g.Pictures {
			pictures += report.Picture(small)
		}
		kept.Of += report.If(pictures != "", report.P("pictures", "%s", pictures))
		near := terminal.Similarity(g.Similarity)
		if g.Distance != nil {
			near = fmt.Sprint(*g.Distance)
		}
		t.Add(kept, report.Number(near), g.Size)
	}
	n, all := len(t.Rows), terminal.Plural(r.Groups, "group")
	said := report.P("", "There %s %s of documents that are like one another. The largest has %s.", report.Is(r.Groups),
		all,
		terminal.Plural(r.LargestGroup, "document")) + report.If(sizes != "", "<h3>Sizes of groups</h3>\n"+sizes)
	if n > 0 {
		these := report.Verb(n, "This is the largest", fmt.Sprintf("These are the %d largest", n))
		said += "<h3>The largest groups</h3>\n" + report.If(n < r.Groups,
			report.P("notice", "%s of %s; clusters.jsonl has all.", these, all)) + t.InTwo("groups", 10, "group")
	}
	return said
}

// partOf returns a cell with what was lost of a source, which is marked if it is nearly all. A file of one document
// may well be a copy of another.
func partOf(n, all int) report.Styled {
	return report.PartOf(n, all, all > 1 && float64(n) > warnings.NearlyAll*float64(all))
}

// borderline returns the section of borderline pairs, which are what is said.
func borderline(list []Pair, said report.HTML) *report.Section {
	s := &report.Section{Name: "borderline", Title: "Borderline pairs", Body: report.P("", "There are none.")}
	var pairs report.Pairs
	for _, p := range shown(list) {
		pairs = append(pairs, &report.Pair{ID: p.ID, Kept: p.Kept, Nearness: report.Nearness(p.Similarity, p.Distance),
			A: p.A, B: p.B, Cut: p.Cut, PictureA: report.Picture(p.PictureA), PictureB: report.Picture(p.PictureB)})
	}
	if len(pairs) > 0 {
		s.Body = said + report.First(len(pairs), len(list), "These are the first %s of %s pairs; report.json has all.") +
			pairs.HTML()
	}
	return s
}

// notes says which files and documents were not compared.
func notes(f *Files, bad int) (said report.HTML) {
	say := func(n int, markup report.HTML, values ...any) {
		said += report.If(n > 0, report.P("notes", markup, values...))
	}
	files := terminal.Plural(f.Input, "file")
	say(f.Damaged, "%s of %s %s damaged: left_out.jsonl says what is lost.", f.Damaged, files, report.Is(f.Damaged))
	var named []string
	for _, file := range f.Named[:min(len(f.Named), f.LeftOut, 3)] {
		named = append(named, fmt.Sprintf("%s (%s)", file.Source, file.Reason))
	}
	say(f.LeftOut, "%s of %s %s left out, which means neither compared nor written: %s%s. left_out.jsonl names all.",
		f.LeftOut, files, report.Is(f.LeftOut), strings.Join(named, ", "), report.If(len(named) < f.LeftOut, " and others"))
	say(f.Copied, "%s of %s %s copied, and could not be compared.", f.Copied, files, report.Is(f.Copied))
	say(f.Reference, "%s of the reference %s not compared, since nothing of %s could be read: left_out.jsonl names %s.",
		terminal.Plural(f.Reference, "file"), report.Is(f.Reference), report.Verb(f.Reference, "it", "them"),
		report.Verb(f.Reference, "it", "each"))
	say(bad, "%s could not be read, and %s.", terminal.Plural(bad, "document"),
		report.Verb(bad, "stays as it is", "stay as they are"))
	return said
}

// size returns a number of bytes with a unit, on one line.
func size(n int64) string { return strings.ReplaceAll(terminal.Bytes(n), " ", "\u00a0") }

// duration returns a time in words.
func duration(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case seconds < 10:
		return fmt.Sprintf("%.1f seconds", seconds)
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f seconds", seconds)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.1f hours", seconds/3600)
}

// title returns the title of the page.
func (r *Report) title() string {
	all := terminal.Plural(r.Documents, "document")
	switch {
	case r.Documents == 0:
		return "There were no documents"
	case r.Removed == 0:
		return fmt.Sprintf("None of %s removed", all)
	}
	return fmt.Sprintf("%s of %s %s", terminal.Thousands(r.Removed), all, done(r.Mode, "removed"))
}
