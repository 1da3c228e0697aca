package syntax

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// AppendText appends the text of an HTML document to dst, as a reader sees it. Entities are
// decoded. Tags, comments, scripts and styles are left out, and so is what stands in for them, such
// as the contents of noscript. The title belongs to the text; attributes do not.
//
// Elements that stand inside a line of text, such as <b>, do not separate words; all others do.
// There is no error: malformed input is cut into tokens as browsers do. src is not retained.
func AppendText(dst, src []byte) []byte {
	p := page{dst: dst}
	return p.read(src)
}

// AppendMainText appends the main text of an HTML document to dst: what AppendText does without menus, headers,
// footers and notices. A page of which too little would be left keeps all. html_main.go says how they are told. src
// is not retained.
func AppendMainText(dst, src []byte) []byte {
	p := page{dst: dst, judged: true, start: len(dst)}
	p.read(src)
	return p.finish(len(dst))
}

// A page is a document that is read.
type page struct {
	dst      []byte
	unquoted bool // blockquotes are passed over
	quotes   int  // those that are open then
	judged   bool // whether there are blocks; the other fields are used only then

	start  int       // of the current block in dst
	now    block     // the current one
	open   []element // the elements around it
	link   bool      // whether it is in a link
	before block     // the one before last
	last   block
	marks  []byte // of the blocks that have been judged: the length and the marks of each, as a varint
	sums   sums
}

// read appends the text of src to p.dst, and returns that.
func (p *page) read(src []byte) []byte {
	z := html.NewTokenizer(bytes.NewReader(src))
	unseen := false // whether the next text belongs to an element that is not shown
	for {
		switch z.Next() {
		case html.ErrorToken: // the end
			return p.dst
		case html.TextToken:
			if !unseen && p.quotes == 0 {
				p.add(z.Text())
			}
			unseen = false
		case html.StartTagToken:
			name, attributes := z.TagName()
			if unseen = slices.Contains(unseenNames, string(name)); p.passes(name, 1) {
				continue
			}
			p.part(name)
			if p.judged {
				p.enter(z, name, attributes)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if unseen = false; p.passes(name, -1) {
				continue
			}
			p.part(name)
			if p.judged {
				p.leave(name)
			}
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			if unseen = false; p.quotes == 0 {
				p.part(name)
			}
		}
	}
}

// add appends text to the current line.
func (p *page) add(text []byte) {
	if p.judged {
		p.now.count(text, p.link)
	}
	p.dst = append(p.dst, text...)
}

// part ends the current line, unless elements with this name stand inside a line.
func (p *page) part(name []byte) {
	if !inline[string(name)] {
		p.endLine()
	}
}

func (p *page) endLine() {
	if len(p.dst) > 0 && p.dst[len(p.dst)-1] != '\n' {
		p.dst = append(p.dst, '\n')
	}
	if p.judged {
		p.endBlock()
	}
}

// unseenNames are those of the elements that contain just one text token, which is not shown.
var unseenNames = []string{"script", "style", "noscript", "noembed", "noframes", "iframe"}

// inline holds the elements of phrasing content that do not separate words. The rendering section
// of the HTML standard gives them "display: inline".
var inline = byName(`a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q rb
	ruby s samp small span strike strong sub sup time tt u var wbr`, func(int) bool { return true })

// byName returns what value has for the number of each of some names.
func byName[T any](names string, value func(i int) T) map[string]T {
	of := map[string]T{}
	for i, name := range strings.Fields(names) {
		of[name] = value(i)
	}
	return of
}
