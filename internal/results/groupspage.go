package results

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"simsearch/internal/disk"
	"simsearch/internal/explain"
	"simsearch/internal/index"
	"simsearch/internal/ints"
	"simsearch/internal/join"
	"simsearch/internal/report"
	"simsearch/internal/spill"
	"simsearch/internal/terminal"
	"simsearch/internal/wide"
)

const (
	openGroups   = 10  // groups of a page that are shown at once; others unfold
	listedOfPage = 100 // documents of a group that a page lists, unless their texts are shown
	leastNear    = 40  // pairs of a page whose texts stand side by side
	textOfPair   = 4 << 10
	tenThousand  = 10_000 // similarities of a page are counted in such parts
)

// A groupsPage is what a page says of all groups. Its head says how many there are, so that the groups themselves wait in a
// spool, which goes to a temporary file beyond a size, until the last one has come.
type groupsPage struct {
	spool     spill.Bytes
	documents int
	same      int // documents whose sets, or fingerprints, are those of the representatives
	sizes     map[int]int
	nearness  map[int]int // documents by their distance from the representative, or their similarity in parts of tenThousand
	pairs     []pagePair
	between   similarities
}

// A pagePair is the document of a group that is least near the representative.
type pagePair struct {
	doc, representative uint32
	similarity          float64
}

// similarities measure documents by what the index has of them.
type similarities struct {
	ix   *index.Snapshot
	near Nearness
	a, b []uint64 // scratch
}

// can reports whether the kind of nearness is one that two documents alone have.
func (s *similarities) can() bool {
	return s.near.Kind.Bare || s.near.BySets() && s.near.Kind.Key == index.Jaccard.Key && s.ix.Settings().Sets()
}

// of returns the similarity of the sets of two documents, or that of their fingerprints.
func (s *similarities) of(a, b uint32) (similarity float64, err error) {
	if s.near.Kind.Bare {
		x, _, err := s.ix.Long(a)
		if err != nil {
			return 0, err
		}
		y, _, err := s.ix.Long(b)
		return join.SimilarityAt(wide.DistanceOf(&x, &y), s.ix.Settings().Bits), err
	}
	if s.a, _, err = s.ix.AppendSet(s.a[:0], a); err != nil {
		return 0, err
	}
	if s.b, _, err = s.ix.AppendSet(s.b[:0], b); err != nil {
		return 0, err
	}
	return ints.Jaccard(s.a, s.b), nil
}

// page adds a group to the page.
func (p *Groups) page(x group) error {
	if p.all == nil {
		p.all = &groupsPage{spool: spill.NewBytes(disk.OS, "", spill.Holds), between: similarities{ix: p.Index, near: p.Near}}
		p.all.sizes, p.all.nearness = map[int]int{}, map[int]int{}
	}
	if err := p.all.count(x); err != nil {
		return err
	}
	shown, err := p.shownGroup(x)
	if err != nil {
		return err
	}
	p.all.spool.Add([]byte(shown.HTML()))
	return p.all.spool.Flush()
}

// count counts a group, and keeps its least near document if few are less near.
func (a *groupsPage) count(x group) error {
	a.documents += len(x.docs)
	a.sizes[len(x.docs)]++
	if !a.between.can() {
		return nil
	}
	least := pagePair{similarity: 1}
	for _, doc := range x.docs[1:] {
		similarity, err := a.between.of(doc, x.docs[0])
		if err != nil {
			return err
		}
		if similarity == 1 {
			a.same++
		}
		if a.between.near.Kind.Bare {
			a.nearness[join.DistanceAt(similarity, a.between.ix.Settings().Bits)]++
		} else {
			a.nearness[int(similarity*tenThousand)]++
		}
		if similarity < least.similarity {
			least = pagePair{doc, x.docs[0], similarity}
		}
	}
	if least.similarity < 1 {
		if a.pairs = append(a.pairs, least); len(a.pairs) >= 64*leastNear {
			a.trim()
		}
	}
	return nil
}

// trim leaves the least near pairs, the least near first.
func (a *groupsPage) trim() {
	slices.SortStableFunc(a.pairs, func(x, y pagePair) int { return cmp.Compare(x.similarity, y.similarity) })
	a.pairs = a.pairs[:min(len(a.pairs), leastNear)]
}

// shownGroup returns what a page shows of a group.
func (p *Groups) shownGroup(x group) (*report.Group, error) {
	shown := &report.Group{ID: fmt.Sprintf("group-%d", p.n), Title: "Group " + p.title(x), Open: p.n <= openGroups}
	shown.Name = terminal.Terminal.Text(x.ids[0])
	if len(x.members) > 0 && x.members[0].title != "" {
		shown.Name = x.members[0].title
	}
	way := ""
	if x.now.ok {
		way = p.Current.Keep.Way.String()
		shown.Current = &report.Current{Way: way, ID: terminal.Terminal.Text(x.now.id), Value: terminal.Plain(x.now.value)}
	}
	listed := listedOfPage
	if x.members != nil {
		listed = len(x.members)
	}
	for i, id := range x.ids {
		if i == listed {
			shown.More = terminal.Plural(len(x.ids)-i, "more document")
			break
		}
		picture, err := p.picture(i, x.docs[i])
		if err != nil {
			return nil, err
		}
		d := report.Document{ID: terminal.Terminal.Text(id), Picture: picture}
		if x.now.ok && x.docs[i] == x.now.doc {
			d.Mark = way
		}
		if i < len(x.members) {
			m := x.members[i]
			d.Nearness, d.Title, d.Changes = strings.TrimSpace(p.nearness(&m)), m.shown.TitleB, m.shown.Changes
			d.Notes = report.Notes(m.shown.Remarks, m.shown.More)
			if m.shown.Err != nil {
				d.Notes = append(slices.Clip(d.Notes), explain.Reason(m.shown.Err))
			}
		}
		shown.Documents = append(shown.Documents, d)
	}
	return shown, nil
}

// picture returns a small copy of the picture that is document i of the group.
func (p *Groups) picture(i int, doc uint32) (report.HTML, error) {
	if p.Pictures == nil || p.n > report.PicturedGroups || i >= report.PicturesOfGroup {
		return "", nil
	}
	return p.small(doc)
}

func (p *Groups) small(doc uint32) (report.HTML, error) {
	small, err := p.Pictures(doc, report.PictureSide)
	return report.Picture(small), err
}

// Close closes the texts of the groups, and what waits for a page.
func (p *Groups) Close() (err error) {
	if p.all != nil {
		err = p.all.spool.Close()
	}
	for _, texts := range []Texts{p.Texts, p.Current.texts()} {
		if texts != nil {
			err = cmp.Or(err, texts.Close())
		}
	}
	return err
}

// settings returns what the groups depend on.
func (p *Groups) settings() []report.Fact {
	s := p.Index.Settings()
	settings := []report.Fact{{Name: "near", Value: p.Near.String()}}
	switch {
	case s.Image != 0:
		return append(settings, report.Fact{Name: "image hash", Value: s.Image.String()})
	case p.Near.BySets():
		return append(settings, report.Fact{Name: "features", Value: s.SetFeatures.String()})
	}
	return append(settings, report.Fact{Name: "features", Value: s.Features.String()}, report.Fact{Name: "weights", Value: s.Weights.String()})
}

// End writes the page, if there is one, behind the last group. command is what makes it again, and more says that there may be more
// groups.
func (p *Groups) End(command string, more bool) error {
	a := p.all
	if a == nil {
		return nil
	}
	page := report.Page{Command: "simsearch groups", Title: terminal.Plural(p.n, "group") + " of near documents", Pictures: p.Pictures != nil, Script: true,
		Foot: "simsearch groups --as json has these groups for programs.", Settings: p.settings(), Repeat: command}
	near, alone, elsewhere := p.Near.String(), max(0, p.Index.Len()-a.documents), "in no group"
	page.Lead = report.P("verdict", "All documents of a group are near its first one: they have %s.", near)
	if p.Chain {
		page.Lead = report.P("verdict", "A group has whatever near pairs connect, however far apart its ends are. Near is %s.", near)
	}
	if more {
		elsewhere = "not in these groups"
		page.Lead += report.P("notice", "These are the largest groups. Any others are left out.")
	}
	pairs, err := p.sideBySide()
	if err != nil {
		return err
	}
	var sizes []report.Size
	largest := 0
	for size, groups := range a.sizes {
		sizes = append(sizes, report.Size{Size: size, Groups: groups})
		largest = max(largest, size)
	}
	beside := "near it"
	if bins := a.bins(len(pairs) > 0); bins != "" {
		section := report.Section{Name: "similarity", Title: "How similar documents are to the first of their group", Link: "Similarity", Body: bins}
		beside = terminal.Thousands(a.same) + " with the same features"
		if p.Near.Kind.Bare {
			beside = terminal.Thousands(a.same) + " with the same fingerprint"
			section.Title, section.Link = "How far documents are from the first of their group", "Distance"
		}
		page.Sections = append(page.Sections, &section)
	}
	page.Figures = []report.Figure{
		{Of: p.n, Name: report.Verb(p.n, "group", "groups"), Text: "the largest has " + terminal.Plural(largest, "document")},
		{Of: a.documents, Name: report.Verb(a.documents, "document", "documents") + " in " + report.Verb(p.n, "it", "them"),
			Text: fmt.Sprintf("%s of %s", report.Percent(a.documents, p.Index.Len()), terminal.Thousands(p.Index.Len()))},
		{Of: a.documents - p.n, Name: "beside the first of each group", Text: beside},
	}
	page.Shares = report.Shares(p.Index.Len(), elsewhere, alone, "first of a group", p.n, "near the first", a.documents-p.n)
	page.Sections = append(page.Sections,
		&report.Section{Name: "sizes", Title: "Sizes of groups", Link: "Sizes", Body: report.Sizes(sizes, "How many groups have how many documents.", "beside the first")},
		&report.Section{Name: "groups", Title: "Groups", Rest: func(w io.Writer) error {
			_, err := io.Copy(w, a.spool.Reader())
			return err
		}})
	if len(pairs) > 0 {
		page.Sections = append(page.Sections, &report.Section{Name: "borderline", Title: "Borderline pairs", Body: report.P("",
			"Of some groups, these documents are the least near to the first one. If they are no copies, %s.",
			p.Near.measured("raise the threshold", "choose a smaller k")) + pairs.HTML()})
	}
	return page.Write(p.HTML)
}

// measured returns one text where near goes by similarity, and another one where it goes by distance.
func (n Nearness) measured(similarity, distance string) string {
	if n.Kind.Bare {
		return distance
	}
	return similarity
}

// told returns what is said of how near two documents are.
func (n Nearness) told(similarity float64, ix *index.Snapshot) string {
	if n.Kind.Bare {
		return terminal.Plural(join.DistanceAt(similarity, ix.Settings().Bits), "bit")
	}
	return terminal.Similarity(similarity)
}

// bins returns how near the documents are to the representatives, or "" if that is not known. It says how many are not within what
// is near, as in chains, and that some stand side by side.
func (a *groupsPage) bins(sideBySide bool) report.HTML {
	if len(a.nearness) == 0 {
		return ""
	}
	near, b, far := a.between.near, &report.Bins{}, 0
	b.Columns = []string{near.measured("similarity", "distance"), "documents"}
	axis, width, name, line := report.Axis{Name: "similarity to the first of the group"}, 0.01, fmt.Sprintf("threshold %v", near.Threshold), near.Threshold
	if near.Kind.Bare {
		b.Name = "How many documents have which distance from the first of their group"
		b.Title = "Documents by the distance of their fingerprints from that of the first of their group."
		axis, width = report.Axis{Name: "distance from the first of the group, in bits", Whole: true}, 1
		name, line = fmt.Sprintf("k = %d", near.Distance), float64(near.Distance)+0.5
		for distance := range max(near.Distance, slices.Max(slices.Collect(maps.Keys(a.nearness)))) + 1 {
			b.Bin(terminal.Plural(distance, "bit"), float64(distance), a.nearness[distance])
		}
	} else {
		b.Name = "How many documents have which similarity to the first of their group"
		b.Title = "Documents by their similarity to the first of their group."
		const parts = tenThousand / 100 // of a bar
		var hundredths [tenThousand/parts + 1]int
		for similarity, n := range a.nearness {
			hundredths[similarity/parts] += n
		}
		for i, n := range hundredths {
			from := float64(i) / 100
			switch {
			case !b.Drawn() && n == 0 && from < near.Threshold: // the drawing begins where there is something
			case i == len(hundredths)-1:
				b.Bin("1.00", from+0.005, n)
			default:
				b.Bin(fmt.Sprintf("%.2f to %.2f", from, from+0.01), from+0.005, n)
			}
		}
	}
	for at, n := range a.nearness {
		if near.Kind.Bare && at > near.Distance || !near.Kind.Bare && float64(at+1)/tenThousand <= near.Threshold {
			far += n
		}
	}
	said := report.If(sideBySide, report.P("", "%s those to look at first: some of them are under “Borderline pairs”.",
		near.measured("Documents close to the threshold are", "Documents at the largest distance are"))) +
		report.If(far > 0, report.P("", "%s %s %s the first of the group than what is near. Each is near to another document of the group, though.",
			terminal.Plural(far, "document"), report.Is(far), near.measured("less similar to", "further from")))
	return b.HTML(axis, "documents", width, name, line, said)
}

// sideBySide returns the pairs of a page with their texts, or their pictures, as far as these can be had.
func (p *Groups) sideBySide() (report.Pairs, error) {
	if p.Texts == nil && p.Pictures == nil {
		return nil, nil
	}
	p.all.trim()
	var pairs report.Pairs
	for _, of := range p.all.pairs {
		pair := &report.Pair{Nearness: p.Near.told(of.similarity, p.Index), LabelA: "document", LabelB: "first of its group"}
		known := true
		for _, side := range []struct {
			doc      uint32
			id, text *string
			picture  *report.HTML
		}{{of.doc, &pair.ID, &pair.A, &pair.PictureA}, {of.representative, &pair.Kept, &pair.B, &pair.PictureB}} {
			id, err := p.Index.ID(side.doc)
			if err != nil {
				return nil, err
			}
			*side.id = terminal.Terminal.Text(string(id))
			if p.Pictures != nil {
				if *side.picture, err = p.small(side.doc); err != nil {
					return nil, err
				}
				known = known && *side.picture != ""
				continue
			}
			text, err := p.Texts.Text(side.doc)
			if err := fatal(err); err != nil {
				return nil, err
			}
			known = known && err == nil
			pair.Cut = pair.Cut || len(text) > textOfPair
			*side.text = text[:min(len(text), textOfPair)]
		}
		if known {
			pairs = append(pairs, pair)
		}
	}
	return pairs, nil
}
