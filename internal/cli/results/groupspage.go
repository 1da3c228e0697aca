package results

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/spill"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/join"
	"simsearch/internal/match/wide"
	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/report"
)

const (
	openGroups   = 10  // groups of a page that are shown at once; others unfold
	listedOfPage = 100 // documents of a group that a page lists, unless their texts are shown
	leastNear    = 40  // pairs of a page whose texts stand side by side
	textOfPair   = 4 << 10
	tenThousand  = 10_000 // similarities of a page are counted in such parts
)

// A groupsPage is what a page says of all groups. Its head says how many there are, so that the groups themselves
// wait in a spool, which goes to a temporary file beyond a size, until the last one has come.
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
	switch {
	case s.Image != 0:
		return report.Facts("near", p.Near, "image hash", s.Image)
	case p.Near.BySets():
		return report.Facts("near", p.Near, "features", s.SetFeatures)
	}
	return report.Facts("near", p.Near, "features", s.Features, "weights", s.Weights)
}

// End writes the page, if there is one, behind the last group. command is what makes it again, and more says that
// there may be more groups.
func (p *Groups) End(command string, more bool) error {
	a := p.all
	if a == nil {
		return nil
	}
	page := report.Page{Command: "simsearch groups", Title: terminal.Plural(p.n, "group") + " of near documents",
		Pictures: p.Pictures != nil, Script: true, Settings: p.settings(), Repeat: command,
		Foot: "simsearch groups --as json has these groups for programs."}
	near, alone, elsewhere := p.Near.String(), max(0, p.Index.Len()-a.documents), "in no group"
	page.Lead = report.P("verdict", "All documents of a group are near its first one: they have %s.", near)
	if p.Chain {
		page.Lead = report.P("verdict",
			"A group has whatever near pairs connect, however far apart its ends are. Near is %s.", near)
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
	if len(a.nearness) > 0 {
		beside = terminal.Thousands(a.same) + " with the same " + report.Either(p.Near.Kind.Bare, "features", "fingerprint")
		page.Sections = append(page.Sections, a.howNear(len(pairs) > 0).Section())
	}
	page.Figure(p.n, report.Verb(p.n, "group", "groups"), "the largest has "+terminal.Plural(largest, "document"))
	page.Figure(a.documents, report.Verb(a.documents, "document", "documents")+" in "+report.Verb(p.n, "it", "them"),
		report.PercentOf(a.documents, p.Index.Len()))
	page.Figure(a.documents-p.n, "beside the first of each group", beside)
	page.Shares = report.Shares(p.Index.Len(), elsewhere, alone, "first of a group", p.n, "near the first",
		a.documents-p.n)
	page.Sections = append(page.Sections, &report.Section{Name: "sizes", Title: "Sizes of groups", Link: "Sizes",
		Body: report.Sizes(sizes, "How many groups have how many documents.", "beside the first")},
		&report.Section{Name: "groups", Title: "Groups", Rest: func(w io.Writer) error {
			_, err := io.Copy(w, a.spool.Reader())
			return err
		}})
	if len(pairs) > 0 {
		page.Sections = append(page.Sections, &report.Section{Name: "borderline", Title: "Borderline pairs",
			Body: report.P("",
				"Of some groups, these documents are the least near to the first one. If they are no copies, %s.",
				report.Either(p.Near.Kind.Bare, "raise the threshold", "choose a smaller k")) + pairs.HTML()})
	}
	return page.Write(p.HTML)
}

// howNear says how near the documents are to the representatives. In chains, some are not within what is near.
func (a *groupsPage) howNear(borderline bool) *report.HowNear {
	near := a.between.near
	n := &report.HowNear{What: "documents", To: "the first of their group", ByDistance: near.Kind.Bare,
		Limit: near.Threshold, Borderline: borderline,
		Why: "Each is near to another document of its group, though."}
	const parts = tenThousand / 100 // of a bin
	most := 100
	if near.Kind.Bare {
		n.Limit, most = float64(near.Distance), max(near.Distance, slices.Max(slices.Collect(maps.Keys(a.nearness))))
	}
	n.Bins = make([]report.Bin, most+1)
	for i := range n.Bins {
		n.Bins[i].From, n.Bins[i].To = float64(i), float64(i)
		if !near.Kind.Bare {
			n.Bins[i].From, n.Bins[i].To = float64(i)/100, float64(min(i+1, most))/100
		}
	}
	for at, documents := range a.nearness {
		far := near.Kind.Bare && at > near.Distance
		if !near.Kind.Bare {
			at, far = at/parts, float64(at+1)/tenThousand <= near.Threshold
		}
		n.Bins[at].Documents += documents
		if far {
			n.Far += documents
		}
	}
	return n
}

// sideBySide returns the pairs of a page with their texts, or their pictures, as far as these can be had.
func (p *Groups) sideBySide() (report.Pairs, error) {
	if p.Texts == nil && p.Pictures == nil {
		return nil, nil
	}
	p.all.trim()
	var pairs report.Pairs
	for _, of := range p.all.pairs {
		pair, known, err := p.pair(of)
		if err != nil {
			return nil, err
		}
		if known {
			pairs = append(pairs, pair)
		}
	}
	return pairs, nil
}

// pair returns a pair, and whether its texts or its pictures are known.
func (p *Groups) pair(of pagePair) (pair *report.Pair, known bool, err error) {
	if p.Pictures == nil {
		return pairOf(p.Index, p.Near, p.Texts, of, "first of its group", textOfPair)
	}
	if pair, _, err = pairOf(p.Index, p.Near, nil, of, "first of its group", 0); err != nil {
		return nil, false, err
	}
	if pair.PictureA, err = p.small(of.doc); err == nil {
		pair.PictureB, err = p.small(of.representative)
	}
	return pair, pair.PictureA != "" && pair.PictureB != "", err
}

// pairOf returns a document beside the representative of its group, as it is called, with so much of their texts,
// if there are any. known is whether these can be read.
func pairOf(ix *index.Snapshot, near Nearness, texts Texts, of pagePair, called string, most int) (pair *report.Pair, known bool, err error) {
	pair = &report.Pair{Nearness: terminal.Similarity(of.similarity), LabelA: "document", LabelB: called}
	if near.Kind.Bare {
		pair.Nearness = terminal.Plural(join.DistanceAt(of.similarity, ix.Settings().Bits), "bit")
	}
	known = true
	for _, side := range []struct {
		doc      uint32
		id, text *string
	}{{of.doc, &pair.ID, &pair.A}, {of.representative, &pair.Kept, &pair.B}} {
		id, err := ix.ID(side.doc)
		if err != nil {
			return nil, false, err
		}
		*side.id = string(id)
		if texts == nil {
			continue
		}
		text, err := texts.Text(side.doc)
		if err := fatal(err); err != nil {
			return nil, false, err
		}
		known = known && err == nil
		pair.Cut = pair.Cut || len(text) > most
		*side.text = text[:min(len(text), most)]
	}
	return pair, known, nil
}
