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
)

// ImageHashFlag returns the flag --image-hash.
func ImageHashFlag() cli.Flag {
	return &cli.StringFlag{Name: "image-hash", Category: SettingsGroup, Usage: "with --format image, hash pictures by `KIND`: difference (of neighbours in light) or dct (the coarsest waves)", DefaultText: imagehash.Usual.String()}
}

// imageDistances are the distances in bits that are near for pictures if nobody says, by the measurements in
// docs/IMAGES.md. Of 10,000 pictures
// and a copy of each, these find .9988 of the copies with a precision of .9998 by the DCT hash, and .93 with one of .89 by the difference hash.
var imageDistances = map[imagehash.Kind]int{imagehash.Difference: 3, imagehash.DCT: 8}

// readsPictures reports whether the flags say that inputs are pictures.
func readsPictures(c *cli.Context) bool { return c.String("format") == corpus.Image.String() }

// imageHash returns the hash of pictures that the flags name, or else the usual one. It is an error if one is named and
// there are no pictures.
func imageHash(c *cli.Context, pictures bool) (k imagehash.Kind, err error) {
	if c.IsSet("image-hash") && !pictures {
		return 0, errors.New("--image-hash is about pictures: it wants --format image")
	}
	if !pictures {
		return 0, nil
	}
	if s := c.String("image-hash"); s != "" {
		if err := k.UnmarshalText([]byte(s)); err != nil {
			return 0, fmt.Errorf("--image-hash: %w", err)
		}
	}
	return cmp.Or(k, imagehash.Usual), nil
}

// pictureSettings returns the settings of an index of pictures. Those of texts may not be given with it.
func pictureSettings(c *cli.Context) (s analysis.Settings, err error) {
	for _, name := range []string{"preset", "mode", "features", "weights", "lang", "bits", "perms", "seed", "sketch", "hash"} {
		if c.IsSet(name) {
			return s, fmt.Errorf("--%s and --format image exclude each other: a picture has a hash of 64 bits, which --image-hash chooses", name)
		}
	}
	IgnoreConfiguredSettings(c)
	k, err := imageHash(c, true)
	return analysis.Pictures(k), err
}

// checkPictures returns an error if the flags want pictures and an index has none, or has another hash of them.
func checkPictures(c *cli.Context, stored analysis.Settings) error {
	if readsPictures(c) && stored.Image == 0 {
		return fmt.Errorf("%w: --format image, and the index is not of pictures", index.ErrKind)
	}
	k, err := imageHash(c, stored.Image != 0)
	if err == nil && c.IsSet("image-hash") && k != stored.Image {
		want := stored
		want.Image = k
		err = stored.Check(want)
	}
	return err
}

// storedImageHash returns the hash of the pictures of the index that the flags name, or 0 if it has none. It is an error if
// the flags want pictures, and there is an index that has none.
func storedImageHash(c *cli.Context) (imagehash.Kind, error) {
	dir := c.String("index")
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
func setPictures(c *cli.Context, o *corpus.Options) (err error) {
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
	o.Threads = c.Int("threads")
	return nil
}
