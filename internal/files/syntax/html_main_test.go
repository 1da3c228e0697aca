package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// articles are texts that have little in common.
var articles = []string{
	`The tide mill on the eastern quay was built before the harbour had a wall. Twice a day the sea fills the pond behind it, and
	twice a day the miller opens the sluice and lets the water turn the wheel.|It ground barley for the garrison until the railway
	came, and then it stood still for sixty years.|Volunteers have mended the gates, and on the first Sunday of a month visitors
	can see the stones turn and take home a bag of flour.`,
	`Sourdough needs three things: flour, water and patience. Stir equal weights of both in a jar, leave it in a warm corner, and
	feed it each evening with as much again.|On the fifth day it smells of apples and doubles between breakfast and lunch.|Bake the
	loaf in an iron pot with its lid on for half an hour, and without the lid until the crust is brown.`,
	`Council members voted on Tuesday to close the lower street to cars from May to September. Shopkeepers had collected four
	hundred signatures against the plan, and cyclists twice as many for it.|Buses will run as before, said the mayor, and deliveries
	are allowed until ten in the morning.|A report on noise and turnover is due at the end of the year.`,
	`Das Museum zeigt bis März Karten und Kompasse aus drei Jahrhunderten. Viele davon lagen seit dem Krieg in Kisten, und niemand
	wusste, wem sie gehört hatten.|Zwei Studentinnen haben die Stempel der Werkstätten verglichen und die meisten Stücke
	zugeordnet.|Der Eintritt ist frei, Führungen beginnen samstags um elf Uhr an der Kasse.`,
}

func paragraphs(article string) string {
	return "<p>" + strings.ReplaceAll(article, "|", "</p>\n<p>") + "</p>"
}

// menu returns a list of 30 links with names of a site.
func menu(site string) string {
	var b strings.Builder
	b.WriteString("<ul>")
	for i := range 30 {
		fmt.Fprintf(&b, `<li><a href="/%d">%s section%d%s</a></li>`, i, site, i, site)
	}
	return b.String() + "</ul>"
}

// sites are pages of different makes around an article.
var sites = map[string]func(title, body string) string{
	"elements": func(title, body string) string {
		return "<html><head><title>" + title + "</title></head><body><header>The Daily Elements<nav>" + menu("elements") +
			"</nav></header><main><header><h1>" + title + "</h1></header>" + body + "</main><aside>Weather today: rain later, and wind from the west, " +
			"with a chance of thunder over the hills towards evening.</aside><footer>All rights reserved by the publishing house of the Daily Elements, " +
			"which takes no responsibility for the contents of other pages that it links to.</footer></body></html>"
	},
	"soup": func(title, body string) string {
		return "<html><head><title>" + title + "</title></head><body><table><tr><td>Soup Weekly<td>" + menu("soup") + "<td><div><h1>" + title + "</h1>" + body +
			"</div><tr><td>Products<br>Company<br>Jobs<br><a href=/imprint>Imprint</a><br>Copyright 2020</table></body></html>"
	},
	"names": func(title, body string) string {
		return `<html><head><title>` + title + `</title></head><body class="has-sidebar"><div id="top-nav"><div>` + menu("names") + `</div></div><div class="page-wrap sidebar-left"><h1>` +
			title + `</h1>` + body + `</div><div id="cookie-notice" class="box"><p>We use 128 cookies, our own and those of our 812 partners, to measure how often ` +
			`pages are read and to show advertisements that fit. You may refuse them or change your mind at any time in the settings below.</p>` +
			`<button>Accept all of them</button></div><div class="site-footer"><p>This site is published by the association of names, ` +
			`registered at the court of the town, and takes no responsibility for what its members write here.</p></div></body></html>`
	},
	"roles": func(title, body string) string {
		return "<title>" + title + "</title><div role=banner>Roles Online, the paper of those who play a part and of those who look on, since 1888</div><div role=navigation>" +
			menu("roles") + "</div><div role=main><h1>" + title + "</h1>" + body + "</div><div role=contentinfo><p>Written by people, printed on paper, " +
			"and read by the whole town, as the survey of the institute found out again in this year.</p></div>"
	},
}

func jaccard(a, b []byte) float64 {
	set, both, other := map[string]bool{}, 0, map[string]bool{}
	for _, w := range bytes.Fields(a) {
		set[string(w)] = true
	}
	for _, w := range bytes.Fields(b) {
		if w := string(w); !other[w] {
			other[w] = true
			if set[w] {
				both++
			}
		}
	}
	return float64(both) / float64(max(1, len(set)+len(other)-both))
}

// Pages of one site are near only if their articles are, and one article is near itself on any site.
func TestMainText(t *testing.T) {
	type made struct {
		site      string
		article   int
		main, all []byte
	}
	var pages []made
	for site, page := range sites {
		for i, article := range articles {
			html := []byte(page(strings.Join(strings.Fields(article)[:4], " "), paragraphs(article)))
			pages = append(pages, made{site, i, AppendMainText(nil, html), AppendText(nil, html)})
		}
	}
	for i, a := range pages {
		for _, b := range pages[:i] {
			main, all := jaccard(a.main, b.main), jaccard(a.all, b.all)
			switch {
			case a.article == b.article && main < 0.9:
				t.Errorf("article %d on %s and %s: %.3f\n%s\n%s", a.article, a.site, b.site, main, a.main, b.main)
			case a.article != b.article && main > 0.2:
				t.Errorf("articles %d and %d on %s and %s: %.3f\n%s", a.article, b.article, a.site, b.site, main, a.main)
			case a.site == b.site && a.article != b.article && all < 0.25:
				t.Errorf("%s: menus make whole texts near by %.3f alone: they test nothing", a.site, all)
			}
		}
	}
}

// Pages that are nothing but text, of any kind, keep it.
func TestMainTextKeepsTexts(t *testing.T) {
	lines := func(format string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, html := range map[string]string{
		"no element":      "just a text of a few words & no more",
		"paragraphs":      paragraphs(articles[0]),
		"a short text":    "<p>Closed today.</p>",
		"only links":      "<ul>" + lines("<li><a href=x>page %d</a></li>") + "</ul>",
		"a poem":          "<pre>" + lines("rose %d\n") + "</pre>",
		"broken lines":    "<p>" + lines("rose %d<br>") + "</p>",
		"a table":         "<table>" + lines("<tr><td>%d<td>12.5<td>yes") + "</table>",
		"a list":          "<ul>" + lines("<li>term %d") + "</ul>",
		"all is an aside": "<div class=footer>" + paragraphs(articles[1]) + "</div>",
		"a menu of dishes": "<div class=menu>" + lines("<p>dish %d: soup of the day with bread</p>") + "</div>" +
			"<p>Open daily.</p>",
		"never closed":     "<footer><nav>" + paragraphs(articles[2]),
		"closed too far":   "</nav></div></main>" + paragraphs(articles[2]) + "</footer></a>",
		"Chinese":          "<p>" + strings.Repeat("潮汐磨坊建于港口筑墙之前。", 8) + "</p><p>现在每月第一个星期日对游客开放。</p>",
		"main says little": "<main>Loading</main><div>" + paragraphs(articles[0]) + "</div>",
	} {
		got, want := bytes.Fields(AppendMainText(nil, []byte(html))), bytes.Fields(AppendText(nil, []byte(html)))
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
}

// Elements, roles and names say what stands aside.
func TestAsides(t *testing.T) {
	text := paragraphs(articles[0])
	notice := "<p>" + strings.Repeat("words of a long notice that stands on every page ", 5) + "</p>"
	for html, gone := range map[string]bool{
		"<nav>%s</nav>": true, "<footer>%s</footer>": true, "<aside>%s</aside>": true, "<dialog>%s</dialog>": true, "<header>%s</header>": true,
		"<article><header>%s</header></article>": false, "<div>%s</div>": false, "<div role=banner>%s</div>": true, "<div role=list>%s</div>": false,
		`<div class="a Site-Footer b">%s</div>`: true, `<section id=cookie_box>%s</section>`: true, `<div class="menu">%s</div>`: true,
		`<div class="has-sidebar">%s</div>`: false, `<div class="content-sidebar-wrap">%s</div>`: false, `<div class="menus navigator footers">%s</div>`: false,
		`<div class="sidebar"><main>%s</main></div>`: false, "<footer></footer><div>%s</div>": false, "<nav><div></div><p></nav><div>%s</div>": false,
		"<nav><div>%s</div></nav>": true, "<nav></p></b></div>%s</nav>": true, "<article><aside>%s</aside></article>": true,
		`<span class="footer">%s</span>`: false, "<button>%s</button>": true, `<div hidden class="x" role="navigation">%s</div>`: true,
	} {
		// It stands between two good texts.
		page := []byte("<div>" + text + "</div>" + fmt.Sprintf(html, notice) + "<div>" + text + "</div>")
		got := AppendMainText(nil, page)
		if bytes.Contains(got, []byte("long notice")) == gone {
			t.Errorf("%s: gone %v, want %v", html, !gone, gone)
		}
		if n := bytes.Count(got, []byte("turn the wheel")); n != 2 {
			t.Errorf("%s: %d of 2 articles", html, n)
		}
	}
}

// The tree is that of the paper, in words of five letters.
func TestTree(t *testing.T) {
	b := func(words, linked int) block { return block{text: words * wordBytes, linked: linked * wordBytes} }
	for _, tt := range []struct {
		before, b, behind block
		want              bool
	}{
		{b(30, 0), b(30, 11), b(30, 0), false}, // links
		{b(0, 0), b(17, 0), b(0, 0), true},
		{b(0, 0), b(16, 0), b(0, 0), false},
		{b(4, 0), b(16, 0), b(15, 0), false},
		{b(5, 0), b(1, 0), b(0, 0), true},
		{b(0, 0), b(1, 0), b(16, 0), true},
		{b(9, 6), b(40, 0), b(17, 0), false}, // behind links
		{b(9, 6), b(41, 0), b(0, 0), true},
		{b(9, 6), b(1, 0), b(18, 0), true},
		{b(9, 5), b(17, 0), b(0, 0), true},
	} {
		if got := tt.b.isContent(&tt.before, &tt.behind); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// The main text of any input has words of its text in their order, and what is noted of blocks takes less than the
// input.
func FuzzMain(f *testing.F) {
	for site, page := range sites {
		f.Add([]byte(page(site, paragraphs(articles[0]))))
	}
	for _, s := range []string{"<p>a<p>b", "<nav><nav></nav>x", "<a><p>x</a>", "<div class='nav-'>", "<title>t</title><svg><title>u</title>", "<main role=navigation>x", "\x00<\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		p := page{judged: true}
		p.read(src)
		p.finish(0)
		if 2*len(p.marks)+2*len(p.open) > 2*len(src)+16 {
			t.Fatalf("%d bytes of marks and %d open elements of %d bytes", len(p.marks), len(p.open), len(src))
		}
		main := AppendMainText([]byte("kept"), src)
		if !bytes.Equal(src, before) || !bytes.HasPrefix(main, []byte("kept")) {
			t.Fatal("input or dst changed")
		}
		words := bytes.Fields(AppendText(nil, src))
		for _, w := range bytes.Fields(AppendMainText(nil, src)) {
			i := slices.IndexFunc(words, func(other []byte) bool { return bytes.Equal(w, other) })
			if i < 0 {
				t.Fatalf("%q is no word of the text, or not in its order", w)
			}
			words = words[i+1:]
		}
		if !bytes.ContainsAny(src, "<") && len(words) > 0 {
			t.Fatalf("%q is lost of a text", words)
		}
	})
}

func BenchmarkMain(b *testing.B) {
	page := []byte(sites["names"]("A title", strings.Repeat(paragraphs(articles[0]), 20)))
	for name, read := range map[string]func(dst, src []byte) []byte{"all": AppendText, "main": AppendMainText} {
		b.Run(name, func(b *testing.B) {
			var dst []byte
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				dst = read(dst[:0], page)
			}
		})
	}
}
