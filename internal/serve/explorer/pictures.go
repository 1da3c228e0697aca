package explorer

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

const (
	// picturePixels is how large a picture of a form may be: decoding takes up to 16 bytes for each, of two forms at once.
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
	p, err := func() (*service.Picture, error) {
		if err := checkQuery(r, "id"); err != nil {
			return nil, err
		}
		if err := x.enter(r.Context(), picturePatience); err != nil {
			return nil, err
		}
		defer x.leave()
		return x.svc.Picture(r.Context(), r.PathValue("name"), r.URL.Query().Get("id"), report.PictureSide)
	}()
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
	t := text{Name: name}
	for _, hash := range hashes {
		t.Hashes = append(t.Hashes, fmt.Sprintf("%016x", hash))
	}
	small, err := p.Thumbnail(report.PictureSide)
	if err == nil {
		t.Text, err = imagehash.About(data)
	}
	if err != nil {
		in.leave(name, err.Error())
		return
	}
	t.Picture = report.Picture(small)
	in.add(t)
}

// text returns what is shown of the first document of a group.
func (c *collection) text(ctx context.Context, f *found) text {
	t := text{Name: f.ID, Text: f.Text}
	if d, _ := c.listed(ctx, f.ID); d.Picture != "" {
		t.Text, t.Picture = d.About, d.Picture
	}
	return t
}

// turn adds to what is found of a picture what is near it when it is turned or mirrored. self is the document that it is, or "".
func (c *collection) turn(ctx context.Context, o *outcome, ask service.NearRequest, hashes []string) error {
	self := ask.ID
	var asks []service.NearRequest
	for _, hash := range hashes[min(1, len(hashes)):] {
		ask.ID, ask.Content = "", service.Content{Fingerprint: hash}
		asks = append(asks, ask)
	}
	if len(asks) == 0 {
		return nil
	}
	answers, err := c.svc.NearAll(ctx, c.name, asks)
	if err != nil {
		return err
	}
	for _, a := range answers {
		for _, m := range a.Matches {
			f := found{m, true}
			i := slices.IndexFunc(o.found, func(f found) bool { return f.ID == m.ID })
			switch {
			case m.ID == self:
			case i < 0:
				o.found, o.total = append(o.found, f), o.total+1
			case o.found[i].turned && f.rank() > o.found[i].rank():
				o.found[i] = f
			}
		}
	}
	o.sort()
	return nil
}

// listed returns a document as lists show it, with its picture. bytes are those of its file, or 0.
func (c *collection) listed(ctx context.Context, id string) (d report.Document, bytes int) {
	d = report.Document{ID: id, Link: at(c.name, "near", "id", id)}
	if c.pictured() {
		if p, err := c.svc.Picture(ctx, c.name, id, 0); err == nil { // else it is listed without
			d.Picture, d.About, bytes = c.image(id), p.About, p.Bytes
		}
	}
	return d, bytes
}

// keep marks the largest file of a group of pictures, which dedup keeps, too. bytes are those of the files of all.
func keep(all []report.Document, bytes []int) {
	if most := slices.Max(append(bytes, 0)); most > 0 {
		all[slices.Index(bytes, most)].Keep = true
	}
}
