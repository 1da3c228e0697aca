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
	Bytes  int
	About  string   // its size in pixels, its format and its length
	Small  []byte   // a small copy, as a JPEG
	Hashes []string // as it is, and when it is turned and mirrored
}

// Picture returns the picture of a document, with Small of side pixels at most and Hashes unless side is 0. The error
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
	p.Hashes = HashesOf(kind, decoded)
	if was := fmt.Sprintf("%016x", hash); len(p.Hashes) > 0 && p.Hashes[0] != was || len(p.Hashes) == 0 && hash != 0 {
		return nil, fmt.Errorf("the hash is %s, and not %s", p.Hashes, was)
	}
	p.Small, err = decoded.Thumbnail(side)
	return p, err
}

// HashesOf returns the hashes of a picture as imagehash.Kind.Positions does, as fingerprints.
func HashesOf(kind imagehash.Kind, p *imagehash.Picture) (hashes []string) {
	for _, hash := range kind.Positions(p) {
		hashes = append(hashes, fmt.Sprintf("%016x", hash))
	}
	return hashes
}
