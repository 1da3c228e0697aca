package explorer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/clean/copied"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

const (
	shownHits   = 20      // documents of an answer whose texts are shown, if nobody asks for more
	mostHits    = 75      // documents of an answer at most
	mostMatches = 1000    // documents that a service names at most
	fileHits    = 3       // documents that the list of several texts names for each
	hitBytes    = 6 << 20 // texts of one page, about

	// nearestAmong is how large a collection may be in which the nearest document is looked for, however far it is.
	nearestAmong = 2_000_000
)

// A collection answers questions about texts, as its settings allow.
type collection struct {
	svc  Service
	name string
	info service.Info
	o    Options
}

// of returns the collection of a request.
func (x *explorer) of(r *http.Request) (*collection, error) {
	name := r.PathValue("name")
	info, err := x.svc.Info(r.Context(), name)
	return &collection{x.svc, name, info, x.o}, err
}

// content returns what a person has typed as what the collection compares: a text, a fingerprint, or a set with an
// item a line.
func (c *collection) content(t text) (content service.Content) {
	switch c.holds() {
	case service.Fingerprints:
		content = t.sent
		content.Fingerprint = cmp.Or(content.Fingerprint, strings.TrimSpace(t.Text))
	case service.Sets:
		for line := range strings.Lines(t.Text) {
			if item := strings.TrimSpace(line); item != "" {
				content.Set = append(content.Set, item)
			}
		}
	default:
		content.Text = &t.Text
	}
	return content
}

// hasTexts reports whether texts can be shown.
func (c *collection) hasTexts() bool {
	return c.holds() == service.Texts && c.info.Settings.Keep != "nothing"
}

// holds says what the collection holds.
func (c *collection) holds() string { return cmp.Or(c.info.Settings.Holds, service.Texts) }

// readBytes is how large a collection may be that was made without passages, and whose texts are read for them all
// the same.
const readBytes = 32 << 20

// findsPassages reports whether texts are asked for shared passages.
func (c *collection) findsPassages() bool {
	return c.info.Settings.Passages || c.hasTexts() && c.info.Bytes <= readBytes
}

// A found document is near a text, or shares passages with it, or both.
type found struct {
	service.Match
	parts bool // what both texts have is shown, though the document may be near as a whole
}

// near reports whether it is near as a whole.
func (f *found) near() bool {
	return f.Jaccard != nil || f.Copy != nil || f.Distance != nil || f.Contained != nil
}

// similarity returns the Jaccard similarity, or 0 if it is not known.
func (f *found) similarity() float64 { return valueOf(f.Jaccard) }

// valueOf returns what p points to, or nothing if that is nil.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// rank orders documents that are found by how much of the text they have.
func (f *found) rank() float64 {
	rank := max(f.similarity(), valueOf(f.QueryShare))
	if f.Distance != nil {
		rank = max(rank, 1-float64(*f.Distance)/64)
	}
	return rank
}

// An outcome is what was found of a text.
type outcome struct {
	found   []found // those that are shown, the nearest first
	total   int
	nearest *service.Match // if nothing was found
	empty   bool           // the text has nothing that could be compared
	// common documents share nothing but what many have, such as the passage few, and do not count.
	common int
	few    service.Passage
}

// rank returns that of the first document.
func (o *outcome) rank() float64 {
	if len(o.found) == 0 {
		return 0
	}
	return o.found[0].rank()
}

// many is how many documents have what does not count near a text, unless a person asks for it: a tenth, and ten at
// least.
func (c *collection) many(r *http.Request) int {
	if r.URL.Query().Get("common") == "counted" {
		return 0
	}
	return max(10, c.info.Documents/10)
}

// search returns what is found of each of several queries. What so many documents share does not count, unless many
// is 0.
func (c *collection) search(ctx context.Context, queries []service.NearRequest, many int) ([]outcome, error) {
	near, err := c.svc.NearAll(ctx, c.name, queries)
	if err != nil {
		return nil, err
	}
	sharing := make([]service.NearAnswer, len(queries))
	if c.findsPassages() {
		asked := slices.Clone(queries)
		for i := range asked {
			asked[i].Passages = true
		}
		if sharing, err = c.svc.NearAll(ctx, c.name, asked); err != nil {
			return nil, err
		}
	}
	out := make([]outcome, len(queries))
	for i := range out {
		if many > 0 && many <= sharing[i].Total && c.info.Bytes <= readBytes {
			if err := c.leaveOut(ctx, queries[i], &sharing[i], many, &out[i]); err != nil {
				return nil, err
			}
		}
		out[i].gather(&near[i], &sharing[i])
	}
	return out, nil
}

// leaveOut leaves out documents that have less than half of a text, in passages that so many have, all but a fifth.
func (c *collection) leaveOut(ctx context.Context, ask service.NearRequest, of *service.NearAnswer, many int, o *outcome) error {
	ask.Limit, ask.Passages = mostMatches, true
	all, err := c.svc.Near(ctx, c.name, &ask)
	if err != nil {
		return err
	}
	few := func(p service.Passage) bool {
		have := 0
		for _, m := range all.Matches {
			if slices.ContainsFunc(m.Passages, func(x service.Passage) bool {
				return 5*(min(p.Query[1], x.Query[1])-max(p.Query[0], x.Query[0])) >= 4*(p.Query[1]-p.Query[0])
			}) {
				have++
			}
		}
		return have < many
	}
	kept := slices.DeleteFunc(slices.Clone(all.Matches), func(m service.Match) bool {
		if valueOf(m.QueryShare) >= .5 || len(m.Passages) == 0 || slices.ContainsFunc(m.Passages, few) {
			return false
		}
		o.few = m.Passages[0]
		return true
	})
	if len(kept) < len(all.Matches) { // those behind the first mostMatches have less of it
		o.common = of.Total - len(kept)
		of.Matches, of.Total = kept[:min(len(kept), len(of.Matches))], len(kept)
	}
	return nil
}

// gather adds the documents that are near a text, and those that share passages with it.
func (o *outcome) gather(near, sharing *service.NearAnswer) {
	o.empty = near.Empty
	at := map[string]int{}
	for _, m := range near.Matches {
		at[m.ID] = len(o.found)
		o.found = append(o.found, found{Match: m})
	}
	both := 0
	for _, m := range sharing.Matches {
		if i, has := at[m.ID]; has {
			both++
			f := &o.found[i]
			f.QueryShare, f.DocumentShare, f.Passages = m.QueryShare, m.DocumentShare, m.Passages
			continue
		}
		o.found = append(o.found, found{Match: m})
	}
	o.sort()
	o.total = near.Total + max(0, sharing.Total-both)
}

// sort sorts what is found by rank.
func (o *outcome) sort() {
	slices.SortStableFunc(o.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.similarity(), a.similarity()), cmp.Compare(a.ID, b.ID))
	})
}

// nearness says in a few words how near a document is.
func (f *found) nearness() string {
	switch {
	case f.Copy != nil:
		return "copy " + terminal.Similarity(*f.Copy)
	case f.Jaccard != nil:
		return terminal.Similarity(*f.Jaccard)
	case f.QueryShare != nil:
		return report.Share(*f.QueryShare)
	case f.Distance != nil:
		return terminal.Plural(*f.Distance, "bit") + string(report.If(f.Turned, ", turned, mirrored or without a border"))
	case f.Contained != nil:
		return report.Share(*f.Contained)
	}
	return ""
}

// figures says how near a document is by all measures, and what is kept with it.
func (f *found) figures(label, other string) string {
	var parts []string
	if f.Jaccard != nil {
		parts = append(parts, "similarity "+terminal.Similarity(*f.Jaccard))
	}
	if f.Copy != nil {
		parts = append(parts, "probability of a copy "+terminal.Similarity(*f.Copy))
	}
	if f.Distance != nil {
		parts = append(parts, terminal.Plural(*f.Distance, "differing bit"))
	}
	if f.QueryShare != nil && f.DocumentShare != nil {
		parts = append(parts, fmt.Sprintf("%s of the %s and %s of the %s in %s", report.Share(*f.QueryShare), label,
			report.Share(*f.DocumentShare), other,
			terminal.Plural(len(f.Passages), "shared passage")))
	}
	return strings.Join(append(parts, fieldsOf(f.Fields)...), "; ")
}

// near shows what is near a text in the address, or a document.
func (c *collection) near(r *http.Request) (*view, error) {
	q := r.URL.Query()
	if id := q.Get("id"); id != "" {
		return c.ofDocument(r, id)
	}
	switch {
	case strings.TrimSpace(q.Get("text")) != "":
	case q.Get("with") != "":
		return nil, service.Errorf(service.BadRequest, "with", "it is shown beside another one: name that as id or text")
	default:
		return &view{to: at(c.name, "")}, nil
	}
	t := text{Name: pasted, Text: q.Get("text")}
	if c.holds() != service.Texts { // which is short
		t = text{Name: t.Text}
	}
	return c.answer(r, t, service.NearRequest{Content: c.content(text{Text: q.Get("text")})}, "query", "", nil)
}

// ofDocument shows a document, and what is near it.
func (c *collection) ofDocument(r *http.Request, id string) (*view, error) {
	d, err := c.svc.Document(r.Context(), c.name, id)
	if err != nil {
		return nil, err
	}
	return c.answer(r, c.text(r.Context(), id, valueOf(d.Text), report.PictureSide), service.NearRequest{ID: id}, "document", "", fieldsOf(d.Fields))
}

// fieldsOf returns what is kept with a document, by name.
func fieldsOf[V any](fields map[string]V) (all []string) {
	delete(fields, imagehash.Unbordered) // which nobody reads
	for name, value := range fields {
		all = append(all, fmt.Sprintf("%s = %v", name, value))
	}
	slices.Sort(all)
	return all
}

// answer asks what is near a text, and shows it side by side with the text, behind what is said before, and what is
// kept with it.
func (c *collection) answer(r *http.Request, t text, ask service.NearRequest, label string, before report.HTML, fields []string) (*view, error) {
	q := r.URL.Query()
	ask.Limit = shownHits
	if n, _ := strconv.Atoi(q.Get("limit")); n > 0 {
		ask.Limit = min(n, mostHits)
	}
	ask.WithTexts = c.hasTexts()
	all, err := c.search(r.Context(), []service.NearRequest{ask}, c.many(r))
	if err != nil {
		return nil, err
	}
	o := all[0]
	if len(o.found) == 0 && !o.empty && c.info.Documents <= nearestAmong {
		if o.nearest, err = c.nearest(r.Context(), ask); err != nil {
			return nil, err
		}
	}
	with := q.Get("with")
	instead, err := c.with(r.Context(), &o, t, ask, with)
	if err != nil {
		return nil, err
	}
	beside := 0 // documents that are shown and are not found
	if instead != "" {
		beside = 1
	}
	near, sharing, total := 0, 0, max(o.total, len(o.found)-beside)
	nothing := len(o.found) == beside
	if nothing && o.nearest != nil && with != "" && with != o.nearest.ID {
		o.nearest = nil
	}
	if nothing && o.nearest != nil {
		o.found, instead, beside = []found{{Match: *o.nearest}}, "", 0
	}
	for _, f := range o.found[beside:] {
		if f.near() {
			near++
		}
		if len(f.Passages) > 0 {
			sharing++
		}
	}
	both := sharing > 0 && near < min(len(o.found), ask.Limit)
	pairs := c.pairs(r.Context(), t, o.found[:min(len(o.found), ask.Limit)], label)
	listed := len(pairs)
	if instead != "" {
		pairs[0].Nearness = instead
		listed--
	}
	title, towards, said := c.heading(&o, total, near, sharing, len(pairs), both, nothing)
	more := ""
	if n := min(total, mostHits); n > listed && ask.Limit < mostHits {
		q.Set("limit", strconv.Itoa(mostHits))
		more = r.URL.EscapedPath() + "?" + q.Encode()
	}
	if p := o.few.Query; o.common > 0 && p[1] <= len(t.Text) {
		q.Set("common", "counted")
		said = leftOut(o.common, c.info.Documents, "share only", t.Text[p[0]:p[1]], "", r.URL.EscapedPath()+"?"+q.Encode()) + said
	}
	body := before + report.P("subject", `%s <bdi class="id">%s</bdi>%s`, towards, report.Path(t.Name),
		report.If(len(fields) > 0, report.H(` <span class="notes">%s</span>`, strings.Join(fields, ", ")))) + said +
		report.If(t.Text != "" && t.Picture == "", report.Fold(false, "The whole text",
			report.H("<div class=\"whole\" dir=\"auto\">%s</div>\n", report.Text(t.Text)))) +
		report.If(len(pairs) > 0, "<h2 class=\"said\">Side by side</h2>\n"+pairs.HTML()) +
		report.If(more != "", report.H("<p>%s</p>\n", report.Link("Show more documents", more))) + again(c)
	return c.view("answers", title, body), nil
}

// heading returns the title of an answer, the word between that and the text, and what is said below: of so many
// documents in all, and of those that are shown so many are near, and share passages, in so many pairs.
func (c *collection) heading(o *outcome, total, near, sharing, pairs int, both, nothing bool) (
	title, towards string, said report.HTML,
) {
	are := report.Verb(total, " is", " are") + " near"
	shares := report.Verb(total, " shares", " share") + " passages"
	switch {
	case near == 0 && sharing > 0:
		are = shares
	case both:
		are += " or" + shares
	}
	title, towards = terminal.Plural(total, "document")+are, "to"
	if both && !nothing {
		towards = "with"
	}
	switch {
	case o.empty:
		title, said = "Nothing to compare", report.P("notice", "A picture of one colour is near nothing.")
	case nothing:
		title, said = "Nothing is near", report.P("verdict", "No document is near it%s.%s",
			terminal.If(c.findsPassages(), ", and none shares a passage of %s with it",
				terminal.Plural(cmp.Or(c.o.PassageWords, sequences.Usual.Words), "word")),
			report.If(o.nearest != nil, " This is the nearest:"))
	case sharing > 0 || pairs > 1:
		said = report.P("notes keys", "Keys: <kbd>←</kbd> <kbd>→</kbd> the document before and after%s.",
			report.If(sharing > 0, ", <kbd>j</kbd> <kbd>k</kbd> the next passage and the one before"))
	}
	return title, towards, said
}

// nearest returns the nearest document, or nil if none has anything in common with the query.
func (c *collection) nearest(ctx context.Context, ask service.NearRequest) (*service.Match, error) {
	ask.Nearest, ask.Limit = 1, 0
	a, err := c.svc.Near(ctx, c.name, &ask)
	if err != nil || len(a.Matches) == 0 {
		return nil, err
	}
	return &a.Matches[0], nil
}

// with moves a document to the front that is to be shown first. One that is not among those that are found comes on
// top of them, and if it is not near either, with returns what is to be said instead of how near it is.
func (c *collection) with(ctx context.Context, o *outcome, t text, ask service.NearRequest, id string) (
	instead string, err error,
) {
	is := func(f found) bool { return f.ID == id }
	if i := slices.IndexFunc(o.found, is); id == "" || i >= 0 {
		if i > 0 {
			first := o.found[i]
			o.found = slices.Insert(slices.Delete(o.found, i, i+1), 0, first)
		}
		if i < 0 {
			return "", nil
		}
		return "", o.found[0].weigh(ctx, t, c.o.Boilerplate)
	}
	d, err := c.svc.Document(ctx, c.name, id)
	if err != nil {
		return "", err
	}
	first := found{Match: service.Match{ID: id}}
	instead = "not near"
	switch {
	case id == ask.ID:
		instead = "the same document"
	case o.total > len(o.found): // it may be one of the others
		ask.Limit, ask.WithTexts = mostMatches, false
		all, err := c.search(ctx, []service.NearRequest{ask}, 0)
		if err != nil {
			return "", err
		}
		if i := slices.IndexFunc(all[0].found, is); i >= 0 {
			first, instead = all[0].found[i], ""
		} else if all[0].total > len(all[0].found) {
			instead = "not among the nearest"
		}
	}
	if c.hasTexts() {
		first.Text = valueOf(d.Text)
	}
	if err := first.weigh(ctx, t, c.o.Boilerplate); err != nil {
		return "", err
	}
	if len(first.Passages) > 0 {
		instead = ""
	}
	o.found = slices.Insert(o.found, 0, first)
	return instead, nil
}

// alike is the similarity of words from which on two texts are shown with what differs, and not with what both have.
const alike = .8

// weigh finds the chains of words that a document shares with a text, unless the two are nearly the same.
func (f *found) weigh(ctx context.Context, t text, base []copied.Named) error {
	if f.similarity() >= alike || f.Text == "" || t.Text == "" || f.ID == t.Name {
		return nil
	}
	both := []copied.Named{{Name: t.Name, Text: t.Text}, {Name: f.ID, Text: f.Text}}
	pairs, _, _, err := copied.OfTexts(ctx, both, copied.Options{Base: base}, 0)
	if err != nil || len(pairs) == 0 || !pairs[0].Shown && len(f.Passages) > 0 {
		return err
	}
	f.parts, f.QueryShare, f.DocumentShare, f.Passages = true, &pairs[0].AShare, &pairs[0].BShare, nil
	for _, p := range pairs[0].Passages {
		f.Passages = append(f.Passages, service.Passage{Query: p.A, Document: p.B, Words: p.Words, Edits: p.Edits})
	}
	return nil
}

// pairs returns documents side by side with a text. label is what the text is called.
func (c *collection) pairs(ctx context.Context, t text, all []found, label string) report.Pairs {
	other := "document"
	if label == other {
		other = "other one"
	}
	bytes := 0
	var pairs report.Pairs
	for i := range all {
		f := &all[i]
		p := &report.Pair{ID: t.Name, Kept: f.ID, Nearness: f.nearness(), LabelA: label, LabelB: other, A: t.Text, B: f.Text,
			Heading: f.ID, Title: f.Fields[subject], Icon: c.image(f.ID), Link: at(c.name, "near", "id", f.ID), Figures: f.figures(label, other)}
		bytes += len(t.Text) + len(f.Text)
		switch {
		case c.pictured():
			other := c.text(ctx, f.ID, "", 0)
			p.B, p.PictureA, p.PictureB = other.Text, cmp.Or(t.Picture, report.P("notes", "No picture")), cmp.Or(other.Picture, report.P("notes", "Gone"))
		case !c.hasTexts():
			p.Unread = "The collection keeps no texts that could be shown side by side."
		case f.Text == "":
			p.Unread = "The text is not there any more."
		case bytes > hitBytes && i > 0:
			p.Unread = "The texts of this page are long: follow the link to see this one."
		case (f.parts || !f.near()) && len(f.Passages) > 0 && within(f, len(t.Text)):
			p.Sides, p.Title = c.sides(t, f), titleOf(f.Text, f.Fields, 80)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// within reports whether the passages of a document are in both texts.
func within(f *found, queryBytes int) bool {
	for _, p := range f.Passages {
		if p.Query[0] < 0 || p.Query[1] > queryBytes || p.Query[0] > p.Query[1] || p.Document[0] < 0 ||
			p.Document[1] > len(f.Text) ||
			p.Document[0] > p.Document[1] {
			return false
		}
	}
	return true
}

// sides returns a text and a document with the passages that both have.
func (c *collection) sides(t text, f *found) []report.Side {
	a, b := report.NewMarked([]byte(t.Text)), report.NewMarked([]byte(f.Text))
	for i, p := range f.Passages {
		report.MarkBoth(a, b, i+1, p.Query, p.Document)
	}
	shown := func(id, text string, m *report.Marked) []report.ShownText {
		return []report.ShownText{{ID: id, Parts: m.Parts(len(text) > report.TextBytes)}}
	}
	return []report.Side{
		{Name: t.Name, Share: *f.QueryShare, Documents: shown(t.Name, t.Text, a)},
		{Name: f.ID, Link: at(c.name, "near", "id", f.ID), Share: *f.DocumentShare, Documents: shown(f.ID, f.Text, b)},
	}
}
