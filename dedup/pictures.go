package dedup

import (
	"fmt"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/dedupreport"
	"simsearch/internal/progress"
	"simsearch/internal/report"
)

// wantPictures adds the first pictures of the largest groups, if the documents are pictures.
func (d *Decisions) wantPictures(units map[uint32]caught, clusters []cluster) {
	if d.c.o.Settings.Image == 0 {
		return
	}
	for _, g := range clusters[:min(len(clusters), report.PicturedGroups)] {
		for _, doc := range picturesOf(g) {
			units[doc] = caught{}
		}
	}
}

// picturesOf returns the documents of a group whose pictures are shown: the one kept first.
func picturesOf(g cluster) []uint32 {
	shown := []uint32{g.kept}
	for _, doc := range g.documents {
		if doc != g.kept && len(shown) < report.PicturesOfGroup {
			shown = append(shown, doc)
		}
	}
	return shown
}

// caughtPicture returns what is shown of a picture. It is the size of the file alone if the file is no longer there.
func caughtPicture(doc *document.Document) caught {
	c := caught{text: progress.Bytes(doc.Picture.Bytes)}
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
func (t *textsOf) showPictures(r *dedupreport.Report, clusters []cluster) {
	for i, g := range clusters[:min(len(clusters), report.PicturedGroups, len(r.Largest))] {
		for _, doc := range picturesOf(g) {
			if picture := t.of[doc].picture; picture != nil {
				r.Largest[i].Pictures = append(r.Largest[i].Pictures, picture)
			}
		}
	}
}
