package copied

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

const (
	mostRows  = 200     // pairs, groups and submissions that a page has of each
	mostShown = 100     // pairs with their texts
	mostBytes = 8 << 20 // of texts on a page, about
)

//go:embed page.js
var pageScript string

// writeHTML writes the report as one page that needs no other file and no network.
func (j *job) writeHTML(w io.Writer) error {
	dir := j.report.folder()
	r := report.Filled(&j.report, func(s string) string { return strings.TrimPrefix(s, dir) })
	found, half, base := 0, 0, false
	for _, g := range r.Groups {
		found += len(g)
	}
	for _, s := range r.Submissions {
		if s.Share >= .5 {
			half++
		}
		base = base || s.Base > 0
	}
	all, part := len(r.Submissions), found-half
	p := report.Result("simsearch pairs --passages", ", and pairs.jsonl all pairs with their passages",
		r.Warnings, r.Settings, r.Command)
	p.Title = fmt.Sprintf("%s of %s share passages", report.Either(r.Shared > 0, "None", terminal.Thousands(found)),
		terminal.Plural(all, "submission"))
	p.Figure(r.Shared, report.Verb(r.Shared, "pair shares passages", "pairs share passages"),
		"in "+terminal.Plural(len(r.Groups), "group")+r.ofMany())
	p.Figure(part, report.Verb(part, "submission shares less than half", "submissions share less than half"),
		fmt.Sprintf("of %s words, and %s %s nothing", report.Verb(part, "its", "their"), terminal.Thousands(all-found),
			report.Verb(all-found, "shares", "share")))
	p.Figure(half, report.Verb(half, "shares half or more", "share half or more"), "of "+terminal.Thousands(all)+" in all")
	p.Shares = report.Shares(all, "share nothing", all-found, "less than half", part, "half or more", half)
	p.More = pageScript
	if r.Shared == 0 {
		p.Lead = report.P("verdict", "No two submissions share more than independent ones do.")
	} else {
		p.Lead = report.P("verdict", "Of %s independent pairs, one shares as much as each of these does, at most. "+
			"That says what both have, and not who wrote it first.", shown)
	}
	below := report.If(dir != "", report.P("legend", "Names are those below %s.", report.Path(dir)))
	if len(r.Pairs) == 0 {
		p.Section("Submissions", below+r.submissions(base))
		return p.Write(w)
	}
	texts := j.sideBySide(r, dir)
	p.Section("Pairs", below+r.pairs(len(texts)))
	p.Section("Groups", r.groups())
	p.Section("Submissions", r.submissions(base))
	p.Section("Texts", report.If(base, report.P("legend", "What is left out is not marked."))+
		report.First(len(texts), r.Shared, "These are the first %s of %s pairs; pairs.jsonl has all.")+texts.HTML())
	return p.Write(w)
}

// folder returns the directory that all submissions are in, with a slash behind it, or "".
func (r *Report) folder() string {
	dir := ""
	for i, s := range r.Submissions {
		if i == 0 {
			dir = s.Name
		}
		for dir != "" && (!strings.HasPrefix(s.Name, dir) || !strings.HasSuffix(dir, "/") || s.Name == dir) {
			dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]
		}
	}
	return dir
}

// pairs lists the pairs, of which some are shown with their texts.
func (r *Report) pairs(texts int) report.HTML {
	code := slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Structure > 0 })
	columns := []string{"one", "share", "other", "share", "words", "passages", "once in"}
	if code {
		columns = append(columns, "structure", "literals")
	}
	t := report.NewTable("Pairs of submissions that share passages.", columns...)
	for i, p := range r.Pairs[:min(len(r.Pairs), mostRows)] {
		side := func(name string) report.Styled {
			return report.Styled{Class: "id", Of: report.Link(report.Path(name), report.Either(i < texts, "", fmt.Sprint("#pair-", i+1)))}
		}
		t.Add([]any{side(p.A), share(p.AShare), side(p.B), share(p.BShare), p.Words, len(p.Passages),
			report.Styled{Class: "number once", Of: report.H("%s", int(p.OnceIn))}, measure(p.Structure), measure(p.Literals)}[:len(columns)]...)
	}
	said := report.P("", "Whole copies come first, and then the pair whose shared parts are the least likely. Pairs that share hardly more than what many have "+
		"come last. A share is of the words of a submission that lie in passages. "+
		"The last column says how many pairs of independent texts on one subject there are for one that shares as much, or of programs with "+
		"different purposes. Words that few submissions have count most for that, and stop words least.") +
		report.If(code, report.P("", "Structure compares sequences of three tokens in any order, with all names alike, and literals what is quoted. "+
			"Short solutions of one exercise look alike though nobody has copied: of 45 such pairs of beginners' programs, "+
			"5 are shown. Look at the literals.")) +
		report.H(`<p id="slider" hidden><label>Show what is shared <input type="range" min="1" max="9" step="0.5" value="3"></label> <output></output>
<a download="pairs.csv" href="">Save as CSV</a></p>`)
	return said + first(len(t.Rows), r.Shared) + t.InTwo("sources", 12, "pair")
}

// measure returns what a measure of sources is, or nothing.
func measure(x float64) report.Styled {
	return report.Number(report.Either(x == 0, fmt.Sprintf("%.2f", x), "–"))
}

// mostDrawn is how many pairs the graph has.
const mostDrawn = 500

// graph is what the script of the page draws the pairs from: of each, the names of the submissions, ten times the
// logarithm of how unlikely it is, and its number.
func (r *Report) graph() report.HTML {
	var data [][4]any
	for i, p := range r.Pairs[:min(len(r.Pairs), mostDrawn)] {
		data = append(data, [4]any{terminal.String.Text(p.A), terminal.String.Text(p.B), int(10 * math.Log10(float64(p.OnceIn))), i + 1})
	}
	text, _ := json.Marshal(data) // strings and numbers alone
	return report.H(`<figure id="graph" class="graph" hidden data-pairs="%s"><svg role="img"></svg></figure>
`, report.Text(string(text)))
}

func (r *Report) groups() report.HTML {
	var list report.Builder
	groups := r.Groups[:min(len(r.Groups), mostRows)]
	for _, g := range groups {
		list.Add(`<li><strong>%s</strong><p class="glue">%s</p></li>`, terminal.Plural(len(g), "submission"),
			report.Each("<code>%s</code> ", g))
	}
	return report.P("", "Submissions are in one group if pairs connect them. The largest group comes first. The slider above is for the graph, too: "+
		"a line is a pair, and the thicker the less likely.") + r.graph() +
		report.First(mostDrawn, r.Shared, "The graph has the first %s of %s pairs.") +
		first(len(groups), len(r.Groups)) + report.H("<ul class=\"documents\">%s</ul>\n", list.HTML())
}

func (r *Report) submissions(base bool) report.HTML {
	t := report.NewTable("How much of each submission others have, all of them together.",
		"submission", "others have", "most has", "others", "words", "documents")
	if base {
		t.Columns = append(t.Columns, "left out")
	}
	for _, s := range r.Submissions[:min(len(r.Submissions), mostRows)] {
		t.Add([]any{report.ID(s.Name), share(s.Share), report.ID(s.Most), s.Others, s.Words, s.Documents,
			s.Base}[:len(t.Columns)]...)
	}
	return first(len(t.Rows), len(r.Submissions)) + t.InTwo("sources", 12, "submission")
}

func share(x float64) report.Styled { return report.Wide(report.H("%s", report.Share(x)), 100*x) }

func first(shown, all int) report.HTML {
	return report.Goes(shown, all, "report.json and pairs.jsonl have")
}

// sideBySide returns the first pairs of r with their texts, whose names are those below dir.
func (j *job) sideBySide(r *Report, dir string) (pairs report.Pairs) {
	bytes := 0
	for i := range r.Pairs[:min(mostShown, len(r.Pairs))] {
		if bytes > mostBytes || j.Context.Err() != nil {
			break // what has called tells
		}
		p := &r.Pairs[i]
		sides := j.show(p, dir)
		for _, side := range sides {
			for _, d := range side.Documents {
				for _, part := range d.Parts {
					bytes += len(part.Text)
				}
			}
		}
		pairs = append(pairs, &report.Pair{Nearness: report.Share(p.Largest()), Title: p.A + " · " + p.B, Sides: sides})
	}
	return pairs
}

// unmarkBase takes what the base has out of the passages of a text.
func (t *text) unmarkBase(m *report.Marked) {
	for from := 0; from < len(t.base); from++ {
		to := from
		for to < len(t.base) && t.base[to] {
			to++
		}
		if to > from {
			start, end := t.Bytes(from, to)
			m.Unmark([2]int{start, end})
			from = to
		}
	}
}

// show returns the texts of a pair, whose names are those below dir.
func (j *job) show(p *Pair, dir string) []report.Side {
	sides := []report.Side{{Name: p.A, Share: p.AShare}, {Name: p.B, Share: p.BShare}}
	marks := [2]map[int]*report.Marked{{}, {}}
	for n, x := range p.Passages {
		spans, at := [2][2]int{x.A, x.B}, p.texts[n]
		for i := range marks {
			if marks[i][at[i]] == nil {
				marks[i][at[i]] = report.NewMarked(j.texts[at[i]].Raw)
			}
		}
		report.MarkBoth(marks[0][at[0]], marks[1][at[1]], n+1, spans[0], spans[1])
	}
	for i, unit := range []int{p.a, p.b} {
		long := 0
		for at := range marks[i] {
			long += len(j.texts[at].Raw)
		}
		for _, at := range j.units[unit].texts {
			if m := marks[i][at]; m != nil {
				j.texts[at].unmarkBase(m)
				id := strings.TrimPrefix(j.texts[at].id, dir)
				sides[i].Documents = append(sides[i].Documents, report.ShownText{ID: id, Code: j.texts[at].code,
					Parts: m.Parts(long > report.TextBytes)})
			}
		}
	}
	return sides
}
