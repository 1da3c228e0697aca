package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/tests/testkit"
)

func jpegOf(t *testing.T, n uint64, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, testkit.Photo(n, w, h), nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func pngOf(t *testing.T, m image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPictures(t *testing.T) {
	first, second := jpegOf(t, 1, 90, 60), pngOf(t, testkit.Photo(2, 50, 40))
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"d/a.jpg": first, "d/b.PNG": second, "d/c/c.jpeg": first, "d/notes.txt": "a text", "d/false.gif": "GIF8 is no picture",
		"d/white.png": pngOf(t, image.NewRGBA(image.Rect(0, 0, 9, 9))), "d/cut.png": second[:len(second)/2], "d/first": first, "d/still.heic": first, "d/live.heic": "\x00\x00\x00\x20ftypheic\x00\x00", "z.jpg.gz": gzipped(first),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fpOf := func(data string, k imagehash.Kind) string {
		p, err := imagehash.Decode([]byte(data), imagehash.MaxPixels)
		if err != nil {
			t.Fatal(err)
		}
		hash, _ := k.Of(p)
		return fmt.Sprintf("%016x", hash)
	}
	read := func(o Options, inputs ...string) (got []string, r *Reader) {
		t.Helper()
		r, err := Open(inputs, o)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for doc, err := range r.Documents() {
			if err != nil {
				got = append(got, "! "+err.Error())
				continue
			}
			text := fmt.Sprintf("%016x", doc.Fingerprint)
			if !doc.HasFingerprint {
				text = "flat"
			}
			if doc.Picture.Flat != !doc.HasFingerprint || doc.Picture.Bytes == 0 || doc.Picture.Digest == 0 || r.Layout() != InFile {
				t.Errorf("%s: %+v, layout %v", doc.ID, doc.Picture, r.Layout())
			}
			got = append(got, string(doc.ID)+" "+text)
		}
		return got, r
	}
	for _, k := range []imagehash.Kind{0, imagehash.Difference, imagehash.DCT} {
		as := cmp.Or(k, imagehash.Usual)
		want := []string{
			"d/a.jpg " + fpOf(first, as), "d/b.PNG " + fpOf(second, as), "d/c/c.jpeg " + fpOf(first, as),
			"! d/cut.png: the picture is damaged, or of an unknown kind: PNG: png: invalid format: not enough pixel data",
			"! d/false.gif: no picture: it is no PNG, JPEG, GIF or WebP file", "d/first " + fpOf(first, as), "! d/live.heic: a picture in HEIC, which is not read: make it a JPEG first",
			"d/still.heic " + fpOf(first, as), "d/white.png flat",
			"d/first " + fpOf(first, as), "z.jpg.gz " + fpOf(first, as), "- " + fpOf(second, as),
		}
		for _, threads := range []int{1, 3, 50} {
			got, r := read(Options{Format: Image, ImageHash: k, Threads: threads, Stdin: strings.NewReader(second)}, "d", "d/first", "z.jpg.gz", "-")
			if !slices.Equal(got, want) || leftOut(r, IsNoText) != 1 || leftOut(r, isPicture) != 0 {
				t.Errorf("%v on %d threads: %q, %d passed over, want %q", k, threads, got, leftOut(r, IsNoText), want)
			}
		}
	}
	got, _ := read(Options{Format: Image, MaxDocument: 100}, "d/a.jpg")
	if want := []string{"! d/a.jpg: longer than 100 B: left out"}; !slices.Equal(got, want) {
		t.Errorf("too long: %q", got)
	}
	// Others pass them over.
	r, err := Open([]string{"d"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, want := readAll(t, r), []string{"d/false.gif=GIF8 is no picture", "d/notes.txt=a text"}; !slices.Equal(got, want) || leftOut(r, isPicture) != 7 {
		t.Errorf("texts: %q, %d pictures, want %q", got, leftOut(r, isPicture), want)
	}
	r, err = Open([]string{"d/a.jpg"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, want := readAll(t, r), []string{"! d/a.jpg: a picture, and no text"}; !slices.Equal(got, want) {
		t.Errorf("a picture among texts: %q, want %q", got, want)
	}
	for path, good := range map[string]bool{"z.jpg.gz": true, "d/a.jpg": true, "d/notes.txt": false, "absent": false, "d": false} {
		if p, err := OpenPicture(path); (err == nil) != good || good && p.Image.Bounds().Dx() != 90 {
			t.Errorf("OpenPicture(%s): %v", path, err)
		}
	}
}
