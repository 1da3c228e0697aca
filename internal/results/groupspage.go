package results

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
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
	var b bytes.Buffer
	if err := shown.Write(&b); err != nil {
		return err
	}
	p.all.spool.Add(b.Bytes())
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
		shown.Pictured = shown.Pictured || picture != ""
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
func (p *Groups) picture(i int, doc uint32) (template.URL, error) {
	if p.Pictures == nil || p.n > report.PicturedGroups || i >= report.PicturesOfGroup {
		return "", nil
	}
	return p.small(doc)
}

func (p *Groups) small(doc uint32) (template.URL, error) {
	small, err := p.Pictures(doc, report.PictureSide)
	if urls := report.Pictures(small); len(urls) > 0 {
		return urls[0], err
	}
	return "", err
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
func (p *Groups) End(command string, more bool) (err error) {
	a := p.all
	if a == nil {
		return nil
	}
	page := &report.Groups{
		Near: p.Near.String(), Chain: p.Chain, Limited: more, Pictures: p.Pictures != nil,
		Groups: p.n, Documents: a.documents, Same: a.same, All: p.Index.Len(),
		Settings: p.settings(), Command: command, ByDistance: p.Near.Kind.Bare,
	}
	var sizes []report.Size
	for size, groups := range a.sizes {
		sizes = append(sizes, report.Size{Size: size, Groups: groups})
		page.Largest = max(page.Largest, size)
	}
	page.Sizes = report.SizesOf(sizes, "How many groups have how many documents.", "beside the first")
	page.Bins, page.Far = a.bins()
	if page.Pairs, err = p.sideBySide(); err != nil {
		return err
	}
	return page.Write(p.HTML, func(w io.Writer) error {
		_, err := io.Copy(w, a.spool.Reader())
		return err
	})
}

// bins returns how near the documents are to the representatives, or nil if that is not known, and how many are not within what is
// near, as in chains.
func (a *groupsPage) bins() (b *report.Bins, far int) {
	if len(a.nearness) == 0 {
		return nil, 0
	}
	near := a.between.near
	if near.Kind.Bare {
		b = &report.Bins{Title: "How many documents have which distance from the first of their group", Measure: "distance",
			Caption: "Documents by the distance of their fingerprints from that of the first of their group."}
		for distance := range max(near.Distance, slices.Max(keys(a.nearness))) + 1 {
			b.Add(terminal.Plural(distance, "bit"), float64(distance), a.nearness[distance])
			if distance > near.Distance {
				far += a.nearness[distance]
			}
		}
		axis := report.Axis{Name: "distance from the first of the group, in bits", Whole: true}
		b.Draw(axis, "documents", 1, fmt.Sprintf("k = %d", near.Distance), float64(near.Distance)+0.5)
		return b, far
	}
	b = &report.Bins{Title: "How many documents have which similarity to the first of their group", Measure: "similarity",
		Caption: "Documents by their similarity to the first of their group."}
	const parts = tenThousand / 100 // of a bar
	var hundredths [tenThousand/parts + 1]int
	for similarity, n := range a.nearness {
		hundredths[similarity/parts] += n
		if float64(similarity+1)/tenThousand <= near.Threshold {
			far += n
		}
	}
	for i, n := range hundredths {
		from := float64(i) / 100
		switch {
		case !b.Drawn() && n == 0 && from < near.Threshold: // the drawing begins where there is something
		case i == len(hundredths)-1:
			b.Add("1.00", from+0.005, n)
		default:
			b.Add(fmt.Sprintf("%.2f to %.2f", from, from+0.01), from+0.005, n)
		}
	}
	axis := report.Axis{Name: "similarity to the first of the group"}
	b.Draw(axis, "documents", 0.01, fmt.Sprintf("threshold %v", near.Threshold), near.Threshold)
	return b, far
}

func keys(m map[int]int) (keys []int) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

// sideBySide returns the pairs of a page with their texts, or their pictures, as far as these can be had.
func (p *Groups) sideBySide() (report.Pairs, error) {
	if p.Texts == nil && p.Pictures == nil {
		return nil, nil
	}
	p.all.trim()
	var pairs report.Pairs
	for _, of := range p.all.pairs {
		pair := &report.Pair{Nearness: terminal.Similarity(of.similarity), LabelA: "document", LabelB: "first of its group"}
		if p.Near.Kind.Bare {
			pair.Nearness = terminal.Plural(join.DistanceAt(of.similarity, p.Index.Settings().Bits), "bit")
		}
		known := true
		for _, side := range []struct {
			doc      uint32
			id, text *string
			picture  *template.URL
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
			*side.text = report.HarmlessText(text[:min(len(text), textOfPair)])
		}
		if known {
			pairs = append(pairs, pair)
		}
	}
	return pairs.Compared(), nil
}
