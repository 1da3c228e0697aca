package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/document"
	"simsearch/internal/files/inputs"
)

var imageKind = kind{
	name: "image", note: "PNG, JPEG, GIF, WebP", charsets: noCharset, prepared: true, openFile: openPicture,
}

// pictureExtensions are those of the files of directories that are told of if they are no pictures. Without Format
// Image, they are none.
var pictureExtensions = []string{".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".gif", ".webp"}

// A picture is a file that is hashed, and its source.
type picture struct {
	lineSource // no line is read
	doc        document.Document
	err        error
	done       chan struct{} // closed when doc or err is there
	read       bool
}

// hashing hashes pictures before they are asked for, on several goroutines, since a picture takes milliseconds.
type hashing struct {
	begun map[int]*picture // by the number of the input
	large sync.Mutex       // held for a picture of many pixels
}

// largePixels is the number of pixels above which pictures are hashed one at a time, since decoding may take 16 bytes
// for each.
const largePixels = 16 << 20

// openPicture returns the source of the next input, a picture, and begins to hash those behind it.
func openPicture(l lineSource) (source, error) {
	r, at := l.r, l.r.next-1
	ahead := cmp.Or(r.o.Threads, runtime.GOMAXPROCS(0))
	if r.o.Opening != nil {
		ahead = 1
	}
	maps.DeleteFunc(r.hashing.begun, func(i int, _ *picture) bool { return i < at }) // it was passed over
	for i := at; i < len(r.found.Inputs) && len(r.hashing.begun) < ahead || i == at; i++ {
		next := r.found.Inputs[i]
		if r.hashing.begun[i] != nil || next.Bad != nil || i > at && next.Once() {
			continue
		}
		p := &picture{lineSource: lineSource{r: r, in: next, name: r.Name(next.Path)}, done: make(chan struct{})}
		r.hashing.begun[i] = p
		go func() {
			defer close(p.done)
			p.doc, p.err = hashPicture(r, next)
		}()
	}
	p := r.hashing.begun[at]
	delete(r.hashing.begun, at)
	<-p.done
	if !errors.Is(p.err, errNoPicture) {
		r.format, r.layout = Image, InFile
	}
	return p, p.err
}

// wait waits until nothing is hashed any more.
func (h *hashing) wait() {
	for _, p := range h.begun {
		<-p.done
	}
	clear(h.begun)
}

// hashPicture returns the document of a picture, without its id. It is safe for concurrent use.
func hashPicture(r *Reader, in inputs.Input) (doc document.Document, err error) {
	s, err := r.openStream(in)
	if err != nil {
		return doc, err
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	if !in.Named && imagehash.Format(s.Beginning(sniffSize, in.Once())) == "" && !slices.Contains(pictureExtensions, extensionOf(in.Path)) {
		return doc, errNoPicture
	}
	data, err := r.limits.readAll(s, nil)
	if err != nil {
		return doc, err
	}
	if width, height, err := imagehash.Size(data); err == nil && width > largePixels/max(1, height) {
		r.hashing.large.Lock()
		defer r.hashing.large.Unlock()
	}
	p, err := imagehash.Decode(data, r.limits.pixels)
	if err != nil {
		return doc, err
	}
	hash, ok := r.o.ImageHash.Of(p)
	doc.Picture = document.Picture{Bytes: int64(len(data)), Digest: max(1, murmur3.Sum64(data)), Flat: !ok}
	if slices.Contains(r.o.KeepFields, imagehash.Unbordered) {
		doc.Picture.Inside, doc.Picture.Bordered = r.o.ImageHash.Inside(p)
	}
	for _, field := range r.o.KeepFields {
		doc.Fields = document.AppendField(doc.Fields, fmt.Appendf(nil, "%016x", doc.Picture.Inside), doc.Picture.Bordered && field == imagehash.Unbordered)
	}
	if r.o.Turned && ok {
		doc.Turned = r.o.ImageHash.Positions(p)[1:]
	}
	if ok {
		doc.Fingerprint, doc.HasFingerprint = hash, true
	}
	return doc, nil
}

func (p *picture) close() error { return nil }

func (p *picture) next(doc *document.Document) error {
	if p.read {
		return io.EOF
	}
	p.read = true
	p.doc.ID = p.place(doc.ID)
	*doc = p.doc
	return nil
}

// PictureFile returns the file of a picture that a Reader has read, decompressed. The error wraps fs.ErrNotExist if the
// file is gone, and ErrTooLong if it is longer than a document may be by default.
func PictureFile(path string) ([]byte, error) {
	r, err := newReader(Options{})
	if err != nil {
		return nil, err
	}
	if err := checkRegular(r.o.Context, path); err != nil {
		return nil, err
	}
	s, err := r.openStream(inputs.Input{Path: path})
	if err != nil {
		return nil, err
	}
	data, err := r.limits.readAll(s, nil)
	return data, errors.Join(err, s.Close())
}

// OpenPicture decodes a picture that a Reader has read, so that it can be shown. The errors are those of PictureFile
// and of imagehash.Decode.
func OpenPicture(path string) (*imagehash.Picture, error) {
	data, err := PictureFile(path)
	if err != nil {
		return nil, err
	}
	return imagehash.Decode(data, imagehash.MaxPixels)
}
