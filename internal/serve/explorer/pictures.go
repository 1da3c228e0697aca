package explorer

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

const (
	// picturePixels is how large a picture of a form may be: decoding takes up to 16 bytes for each, of two forms at
	// once.
	picturePixels = 1 << 24
	// pictureMembers is how many pictures of a group the list of groups shows.
	pictureMembers = 24
	// picturePatience is how long a request for a small copy waits for others.
	picturePatience = 10 * time.Second
)

// pictured reports whether the collection holds pictures, and shows their files.
func (c *collection) pictured() bool { return c.info.Pictures != 0 && c.info.ReadOnly }

// image returns the small copy of the picture of a document, or "" if the collection shows none.
func (c *collection) image(id string) report.HTML {
	return report.If(c.pictured(), report.H(`<img src="%s" alt="" loading="lazy">`, at(c.name, "picture", "id", id)))
}

// picture answers with the small copy of a picture.
func (x *explorer) picture(w http.ResponseWriter, r *http.Request) {
	p, err := (*service.Picture)(nil), checkQuery(r, "id")
	if err == nil {
		err = x.enter(r.Context(), picturePatience)
	}
	if err == nil {
		p, err = x.svc.Picture(r.Context(), r.PathValue("name"), r.URL.Query().Get("id"), report.PictureSide)
		x.leave()
	}
	if err != nil {
		x.answer(w, r, nil, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/jpeg")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, max-age=600")
	_, _ = w.Write(p.Small) // who has gone away gets nothing
}

// picture takes the picture of a file.
func (in *intake) picture(name string, data []byte) {
	p, err := imagehash.Decode(data, picturePixels)
	if err != nil {
		in.leave(name, err.Error())
		return
	}
	hashes := in.pictures.Positions(p)
	if len(hashes) == 0 {
		in.leave(name, "it is of one colour, and near nothing")
		return
	}
	about, _ := imagehash.About(data)           // which has been decoded
	small, _ := p.Thumbnail(report.PictureSide) // or none
	in.add(text{Name: name, Text: about, Picture: report.Picture(small),
		sent: service.Content{Fingerprint: fmt.Sprintf("%016x", hashes[0]), Turned: hashes[1:]}})
}

// text returns a document with its text or its picture.
func (c *collection) text(ctx context.Context, id, is string, side int) text {
	t := text{Name: id, Text: is}
	if c.pictured() {
		if p, err := c.svc.Picture(ctx, c.name, id, side); err == nil { // else it is shown without
			t.Text, t.Picture, t.bytes = p.About, c.image(id), p.Bytes
		}
	}
	return t
}

// listed returns a document as lists show it.
func (c *collection) listed(ctx context.Context, id string) report.Document {
	t := c.text(ctx, id, "", 0)
	return report.Document{ID: id, Link: at(c.name, "near", "id", id), Picture: t.Picture, About: t.Text, Bytes: t.bytes}
}
