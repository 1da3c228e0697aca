package dedupreport

import (
	"html/template"

	"simsearch/internal/show"
)

// thumbnails returns small pictures as URLs. What is no JPEG is left out.
func (v *view) thumbnails(pictures [][]byte) (urls []template.URL) {
	for _, p := range pictures {
		if url := show.PictureURL(p); url != "" {
			urls = append(urls, url)
		}
	}
	v.Pictured = v.Pictured || len(urls) > 0
	return urls
}
