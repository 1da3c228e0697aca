package intake

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/imagehash"
	"simsearch/index"
	"simsearch/internal/terminal"
)

// Pictures say of the pictures of an index what their files are by now. They must not be used by several goroutines at
// once.
type Pictures struct {
	ix   *index.Snapshot
	base string // at which the paths in ids begin
}

// OpenPictures returns the pictures of an index.
func OpenPictures(ix *index.Snapshot) *Pictures { return &Pictures{ix, ix.Info().Base} }

// Text returns the size of a picture in pixels, as it is stored, its format and the size of its file. The error wraps
// document.ErrChanged if there is no such file, or no picture in it.
func (p *Pictures) Text(doc uint32) (string, error) {
	path, err := p.path(doc)
	if err != nil {
		return "", err
	}
	data, err := corpus.PictureFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: there is no file %s", document.ErrChanged, path)
	}
	if err != nil {
		return "", err
	}
	width, height, err := imagehash.Size(data)
	if err != nil {
		return "", fmt.Errorf("%w: %w", document.ErrChanged, err)
	}
	return fmt.Sprintf("%d × %d pixels, %s, %s", width, height, imagehash.Format(data), terminal.Bytes(int64(len(data)))), nil
}

// Small returns a small copy of a picture, as a JPEG that has at most side columns and rows. It returns nil if there is no such
// file, or no picture in it.
func (p *Pictures) Small(doc uint32, side int) ([]byte, error) {
	path, err := p.path(doc)
	if err != nil {
		return nil, err
	}
	if picture, err := corpus.OpenPicture(path); err == nil {
		return picture.Thumbnail(side)
	}
	return nil, nil
}

// path returns where the file of a picture is.
func (p *Pictures) path(doc uint32) (string, error) {
	id, err := p.ix.ID(doc)
	if err != nil {
		return "", err
	}
	path := filepath.FromSlash(string(id))
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.base, path)
	}
	return path, nil
}

// Close does nothing: no file is open.
func (*Pictures) Close() error { return nil }
