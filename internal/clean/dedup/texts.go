package dedup

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/join"
	"simsearch/internal/quality/report"
)

// textsOf are the texts of some units, documents or parts, which are caught while files are read. It is safe for concurrent
// use. A nil one wants no texts.
type textsOf struct {
	pairs  []uint32 // removed documents, or places of cuts.near, whose texts are shown with those of the units kept for them
	wanted []uint32 // units, ascending

	mu sync.Mutex
	of map[uint32]caught // with an entry for each unit that is wanted; guarded by mu
}

// A caught text is the beginning of a text.
type caught struct {
	text string
	cut  bool // there is more
	most int  // bytes of it that are wanted, if they are more than a report shows
	seen bool
	// picture is a small copy of a picture, of which text is the size.
	picture []byte
}

// newTexts returns the texts of units, which are still empty.
func newTexts(pairs []uint32, units map[uint32]caught) *textsOf {
	return &textsOf{pairs: pairs, wanted: slices.Sorted(maps.Keys(units)), of: units}
}

// between returns which of the units from one before another are wanted.
func (t *textsOf) between(from, to uint32) []uint32 {
	if t == nil {
		return nil
	}
	i, _ := slices.BinarySearch(t.wanted, from)
	j, _ := slices.BinarySearch(t.wanted, to)
	return t.wanted[i:j]
}

// see takes the text of a unit that is wanted.
func (t *textsOf) see(unit uint32, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := max(mostText, t.of[unit].most)
	shown := text[:min(len(text), most)]
	for len(shown) < len(text) && len(shown) > 0 && !utf8.RuneStart(text[len(shown)]) {
		shown = shown[:len(shown)-1]
	}
	t.of[unit] = caught{text: string(shown), cut: len(shown) < len(text), most: most, seen: true}
}

// seeDocument takes the text of a document if that is wanted, or the picture that it is.
func (t *textsOf) seeDocument(at uint32, doc *document.Document) {
	switch {
	case len(t.between(at, at+1)) == 0:
	case doc.Picture == (document.Picture{}):
		t.see(at, doc.Text)
	default:
		c := caughtPicture(doc)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.of[at] = c
	}
}

// wantPictures adds the first pictures of the largest groups, if the documents are pictures.
func wantPictures(d *Decisions, units map[uint32]caught, clusters []join.Group) {
	if d.c.Options.Settings.Image == 0 {
		return
	}
	for _, g := range clusters[:min(len(clusters), report.PicturedGroups)] {
		for _, doc := range picturesOf(g) {
			units[doc] = caught{}
		}
	}
}

// picturesOf returns the documents of a group whose pictures are shown: the one kept first.
func picturesOf(g join.Group) []uint32 {
	shown := []uint32{g.Representative}
	for _, doc := range g.Documents {
		if doc != g.Representative && len(shown) < report.PicturesOfGroup {
			shown = append(shown, doc)
		}
	}
	return shown
}

// caughtPicture returns what is shown of a picture. It is the size of the file alone if the file is no longer there.
func caughtPicture(doc *document.Document) caught {
	c := caught{text: terminal.Bytes(doc.Picture.Bytes)}
	p, err := corpus.OpenPicture(doc.Source)
	if err != nil {
		return c
	}
	width, height := p.Size()
	c.text = fmt.Sprintf("%d × %d pixels, %s", width, height, c.text)
	c.picture, _ = p.Thumbnail(report.PictureSide) // or none
	return c
}

// showPictures adds small copies of pictures to what a report shows of the largest groups.
func (t *textsOf) showPictures(r *Report, clusters []join.Group) {
	for i, g := range clusters[:min(len(clusters), report.PicturedGroups, len(r.Largest))] {
		for _, doc := range picturesOf(g) {
			if picture := t.of[doc].picture; picture != nil {
				r.Largest[i].Pictures = append(r.Largest[i].Pictures, picture)
			}
		}
	}
}

// readIndex takes those of the texts that an index keeps, and that are wanted here or whose facts are.
func (t *textsOf) readIndex(c *Collection, file int, facts *caughtFacts) (err error) {
	ix := c.Indexes[file-(c.Refs-len(c.Indexes))]
	o := corpus.Options{TextField: ix.Input().TextField, FingerprintField: ix.Input().FingerprintField, MailWithout: ix.Input().
		MailWithout, HTML: ix.Input().HTML, MaxDocument: c.Options.Corpus.MaxDocument, Memory: c.Options.Corpus.Memory, Context: c.Options.Corpus.Context}
	again, err := corpus.NewRereader(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, again.Close()) }()
	for doc := c.Starts[file]; doc < c.Starts[file+1]; doc++ {
		isShown := len(t.between(doc, doc+1)) > 0
		if !isShown && !facts.wants(doc, doc+1) {
			continue
		}
		text, err := ix.Text(doc-c.Starts[file], again)
		if errors.Is(err, index.ErrCorrupt) {
			return err
		}
		if err != nil { // it is neither shown nor compared
			continue
		}
		facts.See(doc, []byte(text))
		if isShown {
			t.see(doc, []byte(text))
		}
	}
	return nil
}

// isShown reports whether a pair has texts that can be shown: an index may keep none.
func (t *textsOf) isShown(c *Collection, kept uint32) bool {
	return t.of[kept].text != "" || kept >= c.Starts[c.Refs] || kept < c.Starts[c.Refs-len(c.Indexes)]
}
