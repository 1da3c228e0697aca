package show

import (
	"bytes"
	"encoding/base64"
	"html/template"
)

// What a page shows of groups of pictures. A small copy has 3 to 15 KB, so that the page has 4 MB at most.
const (
	PictureSide     = 240 // pixels of a small copy, in the longer direction
	PicturedGroups  = 30  // the first ones
	PicturesOfGroup = 5   // the first ones
)

// jpegMagic is what small pictures begin with.
var jpegMagic = []byte("\xff\xd8\xff")

// PictureURL returns a URL that has all of a small picture, so that a page needs no other file. It returns "" for what is no
// JPEG.
func PictureURL(small []byte) template.URL {
	if !bytes.HasPrefix(small, jpegMagic) {
		return ""
	}
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(small))
}
