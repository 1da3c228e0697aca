package service

import (
	"cmp"
	"context"
	"fmt"

	"simsearch/internal/cli/intake"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/ground/disk"
	"simsearch/internal/serve/gate"
)

// A Picture is the file of a document of a collection of pictures, as it is now.
type Picture struct {
	Bytes int
	About string // its size in pixels, its format and its length
	Small []byte // a small copy, as a JPEG
}

// Picture returns the picture of a document, with Small of side pixels at most unless side is 0. The error
// is NotFound unless the file is where it was, behind no link, and, if it is decoded, still has the hash of the
// document. Collections that clients change show no files, since clients choose ids there.
func (s *Service) Picture(ctx context.Context, name, id string, side int) (*Picture, error) {
	return seeing(ctx, s, name, (*collection).fresh, func(c *collection, v *gate.View) (p *Picture, err error) {
		kind := v.Settings().Image
		doc, is, err := v.Snapshot.Find([]byte(id))
		if err != nil || !is || kind == 0 || !c.readOnly {
			return nil, Errorf(NotFound, "id", "the collection shows no picture %.200q", id)
		}
		hash, _, err := v.Long(doc)
		path, pathErr := intake.OpenPictures(v.Snapshot).Path(doc)
		err = cmp.Or(err, pathErr, disk.Guarded(func() error {
			file, err := disk.OS.Map(path)
			if err != nil {
				return err
			}
			defer file.Close()
			p, err = s.pictureOf(file.Data(), kind, hash[0], side)
			return err
		}))
		if err != nil {
			return nil, &Error{Code: NotFound, Where: "id", Message: "the picture cannot be shown: its file has changed, or is gone", Cause: err}
		}
		return p, nil
	})
}

// pictureOf returns what Picture says of a file.
func (s *Service) pictureOf(data []byte, kind imagehash.Kind, hash uint64, side int) (p *Picture, err error) {
	p = &Picture{Bytes: len(data)}
	if p.About, err = imagehash.About(data); err != nil || side == 0 {
		return p, err
	}
	most := min(imagehash.MaxPixels, cmp.Or(s.o.Memory, 1<<40)/64) // two are decoded at once
	decoded, err := imagehash.Decode(data, int(most))
	if err != nil {
		return nil, err
	}
	if is, ok := kind.Of(decoded); ok && is != hash || !ok && hash != 0 {
		return nil, fmt.Errorf("the hash is %016x, and not %016x", is, hash)
	}
	p.Small, err = decoded.Thumbnail(side)
	return p, err
}
