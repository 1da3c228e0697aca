package dedup

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/join"
	"simsearch/internal/quality/report"
)

// wantTexts returns the texts that show what pairs and suspicious groups are, or what is cut most often, which are not
// known yet. Those that an earlier run has seen are taken, as far as they are not to be analysed.
func (d *Decisions) wantTexts(clusters []join.Group, pairs []uint32) *caught[seenText] {
	var units []uint32
	for _, unit := range pairs {
		units = append(units, unit, d.kept[unit])
	}
	asked := map[uint32]bool{}
	if d.c.Ends != nil {
		_, most := d.repeated()
		units = append(units, most...)
	} else {
		for _, g := range d.pictured(clusters) {
			units = append(units, picturesOf(g)...)
		}
		for _, p := range d.reviewed {
			units = append(units, p.Pair, p.Group)
			asked[p.Pair], asked[p.Group] = true, true
		}
	}
	most := func(unit uint32) int {
		if asked[unit] {
			return max(mostText, report.TextBytes)
		}
		return mostText
	}
	texts := catch(units, func(unit uint32, doc *document.Document) seenText { return shownOf(doc, most(unit)) })
	if e := d.c.earlier; e != nil {
		for _, is := range e.Texts {
			if doc := e.nowDocument(is.Document); most(doc) == is.Most {
				texts.put(doc, is)
			}
		}
	}
	return texts
}

// shownOf returns what is shown of a text, or of the picture that a document is.
func shownOf(doc *document.Document, most int) seenText {
	if doc.Picture != (document.Picture{}) {
		return seenPicture(doc)
	}
	shown := doc.Text[:min(len(doc.Text), most)]
	for len(shown) < len(doc.Text) && len(shown) > 0 && !utf8.RuneStart(doc.Text[len(shown)]) {
		shown = shown[:len(shown)-1]
	}
	return seenText{Text: bytes.Clone(shown), More: len(shown) < len(doc.Text), Most: most}
}

// pictured returns the groups whose pictures are shown, if the documents are pictures.
func (d *Decisions) pictured(clusters []join.Group) []join.Group {
	if d.c.Options.Settings.Image == 0 {
		return nil
	}
	return clusters[:min(len(clusters), report.PicturedGroups)]
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

// seenPicture returns what is shown of a picture. It is the size of the file alone if the file is no longer there.
func seenPicture(doc *document.Document) (is seenText) {
	size := terminal.Bytes(doc.Picture.Bytes)
	is.Text = []byte(size)
	p, err := corpus.OpenPicture(doc.Source)
	if err != nil {
		return is
	}
	width, height := p.Size()
	is.Text = fmt.Appendf(nil, "%d × %d pixels, %s", width, height, size)
	is.picture, _ = p.Thumbnail(report.PictureSide) // or none
	return is
}

// showPictures adds small copies of pictures to what a report shows of the largest groups.
func (o *outputs) showPictures(r *Report) {
	for i, g := range o.d.pictured(o.clusters) {
		for _, doc := range picturesOf(g) {
			if picture := o.texts.at(doc).picture; picture != nil {
				r.Largest[i].Pictures = append(r.Largest[i].Pictures, picture)
			}
		}
	}
}

// isShown reports whether a pair has texts that can be shown: an index may keep none.
func (o *outputs) isShown(kept uint32) bool {
	c := o.d.c
	return len(o.texts.at(kept).Text) > 0 || kept >= c.Starts[c.Refs] || kept < c.Starts[c.Refs-len(c.Indexes)]
}
