package options

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/imagehash"
	"simsearch/index"
	"simsearch/internal/commandline"
)

// ImageHashFlag returns the flag --image-hash.
func (c *Flags) ImageHashFlag() cli.Flag {
	return c.ImageHash.As("image-hash", "with --format image, hash pictures by `KIND`: difference (of neighbours in light) or dct (the coarsest waves)").Told(imagehash.Usual.String()).In(SettingsGroup)
}

// imageDistances are the distances in bits that are near for pictures if nobody says, by the measurements in
// docs/IMAGES.md. Of 10,000 pictures
// and a copy of each, these find .9988 of the copies with a precision of .9998 by the DCT hash, and .93 with one of .89 by the difference hash.
var imageDistances = map[imagehash.Kind]int{imagehash.Difference: 3, imagehash.DCT: 8}

// readsPictures reports whether the flags say that inputs are pictures.
func readsPictures(c *Flags) bool { return c.Format.Value == corpus.Image }

// imageHash returns the hash of pictures that the flags name, or else the usual one. It is an error if one is named and
// there are no pictures.
func imageHash(c *Flags, pictures bool) (imagehash.Kind, error) {
	if c.ImageHash.Given && !pictures {
		return 0, errors.New("--image-hash is about pictures: it wants --format image")
	}
	if !pictures {
		return 0, nil
	}
	return cmp.Or(c.ImageHash.Value, imagehash.Usual), nil
}

// pictureSettings returns the settings of an index of pictures. Those of texts may not be given with it.
func pictureSettings(c *Flags) (s analysis.Settings, err error) {
	if name := commandline.FirstGiven(c.settings...); name != "" {
		return s, fmt.Errorf("--%s and --format image exclude each other: a picture has a hash of 64 bits, which --image-hash chooses", name)
	}
	commandline.Ignore(c.settings...) // those of an index hold
	k, err := imageHash(c, true)
	return analysis.Pictures(k), err
}

// checkPictures returns an error if the flags want pictures and an index has none, or has another hash of them.
func checkPictures(c *Flags, stored analysis.Settings) error {
	if readsPictures(c) && stored.Image == 0 {
		return fmt.Errorf("%w: --format image, and the index is not of pictures", index.ErrKind)
	}
	k, err := imageHash(c, stored.Image != 0)
	if err == nil && c.ImageHash.Given && k != stored.Image {
		want := stored
		want.Image = k
		err = stored.Check(want)
	}
	return err
}

// storedImageHash returns the hash of the pictures of the index that the flags name, or 0 if it has none. It is an error if
// the flags want pictures, and there is an index that has none.
func storedImageHash(c *Flags) (imagehash.Kind, error) {
	dir := c.Index.Value
	if dir == "" {
		return 0, nil
	}
	s, err := index.ReadSettings(dir)
	if errors.Is(err, index.ErrNoIndex) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return s.Image, checkPictures(c, s)
}

// setPictures sets how pictures are read. An index of pictures reads nothing else unless a format is named.
func setPictures(c *Flags, o *corpus.Options) (err error) {
	stored, err := storedImageHash(c)
	if err != nil {
		return err
	}
	if o.Format == corpus.Auto && stored != 0 {
		o.Format = corpus.Image
	}
	if o.ImageHash, err = imageHash(c, o.Format == corpus.Image); err != nil {
		return err
	}
	if stored != 0 {
		o.ImageHash = stored
	}
	o.Threads = c.Threads.Value
	return nil
}
