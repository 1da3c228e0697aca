package dedupreport

import (
	"bytes"
	"encoding/base64"
	"html/template"
)

// jpegMagic is what the pictures of a report begin with.
var jpegMagic = []byte("\xff\xd8\xff")

// thumbnails returns small pictures as URLs that have all of them, so that the page needs no other file. What is no JPEG is
// left out.
func (v *view) thumbnails(pictures [][]byte) (urls []template.URL) {
	for _, p := range pictures {
		if bytes.HasPrefix(p, jpegMagic) {
			urls = append(urls, template.URL("data:image/jpeg;base64,"+base64.StdEncoding.EncodeToString(p)))
		}
	}
	v.Pictured = v.Pictured || len(urls) > 0
	return urls
}
