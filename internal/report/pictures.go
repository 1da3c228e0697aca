package report

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

// Pictures returns small pictures as URLs that have all of them, so that a page needs no other file. What is no JPEG is left
// out.
func Pictures(small ...[]byte) (urls []template.URL) {
	for _, p := range small {
		if bytes.HasPrefix(p, jpegMagic) {
			urls = append(urls, template.URL("data:image/jpeg;base64,"+base64.StdEncoding.EncodeToString(p)))
		}
	}
	return urls
}
