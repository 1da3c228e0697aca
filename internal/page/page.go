// Package page is what all pages of HTML have in common: what a browser may do with them, and how texts of any direction of
// writing stand in them.
package page

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"strings"
)

// A Head is what the head of a page depends on. Style and Script are parts of the program, and are written as they are.
type Head struct {
	Title    string
	Style    string
	Script   string // that the page runs, and no other; "" for none
	Pictures bool   // the page shows pictures, which are inside it
}

// directions keeps texts from outside apart from what stands beside them, and gives each paragraph the direction of its first
// letter. So a text in Arabic or Hebrew does not rearrange the numbers and words around it.
const directions = `bdi,code,del,ins{unicode-bidi:isolate}p,li,dd,td,th,summary,blockquote,h1,h2,h3,h4,caption,.row>div{unicode-bidi:plaintext}
`

// HTML returns the beginning of a page, until its body begins. The page may load nothing and send nothing.
func (h Head) HTML() template.HTML {
	policy := []string{"default-src 'none'", "style-src 'unsafe-inline'"}
	if h.Script != "" {
		sum := sha256.Sum256([]byte(inside(h.Script)))
		policy = append(policy, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	if h.Pictures {
		policy = append(policy, "img-src data:")
	}
	policy = append(policy, "base-uri 'none'", "form-action 'none'")
	return template.HTML(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="` + strings.Join(policy, "; ") + `">
<meta name="color-scheme" content="light dark">
<title>` + template.HTMLEscapeString(h.Title) + `</title>
<style>
` + directions + h.Style + `</style>
</head>
<body>
`)
}

// Script returns the script of a page as an element, in the form that its Head allows.
func Script(script string) template.HTML {
	return template.HTML("<script>" + inside(script) + "</script>")
}

func inside(script string) string { return "\n" + script }
