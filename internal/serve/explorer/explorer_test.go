package explorer

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"simsearch/internal/clean/copied"
	"simsearch/internal/quality/truth"
	"simsearch/internal/serve/service"
)

const (
	paragraph = "The old mill by the river was sold to the town in the spring of that year, and nobody knew what would become of its wheel. " +
		"Some wanted a museum with a garden, others a school, and the miller asked for nothing but his cat and the clock over the door."
	other = "Seven ships left the harbour before dawn and sailed to the north, where the wind was cold and the nights were long and still. " +
		"Their captains had charts of every coast but this one, and steered by stars that no sailor of their country had ever named or seen from there before."
)

// essays returns a collection in which two documents share a paragraph, and two others are near.
func essays() *fake {
	return newFake("essays",
		document("a/mill.txt", "A history of the valley. "+paragraph+" It was built of oak and stone."),
		document("a/copied.txt", "My essay about something else begins here with words of its own. "+paragraph+" And it ends here with quite other words again."),
		document("b/ships.txt", other), document("b/ships2.txt", other+" Slowly."),
		document("c.txt", "Nothing in this text is in any of the others, so it stays alone."))
}

// get asks a handler for a page, and fails unless the answer has the status.
func get(t *testing.T, h http.Handler, address string, status int) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	if w.Code != status {
		t.Fatalf("%s: %d, want %d: %s", address, w.Code, status, w.Body)
	}
	return strings.ReplaceAll(w.Body.String(), "<wbr>", "") // which stands in names
}

// A sent field of a form is a file if it has a name.
type sent struct{ field, file, data string }

// post sends a form and returns the answer.
func post(t *testing.T, h http.Handler, address string, parts ...sent) *httptest.ResponseRecorder {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, p := range parts {
		var w io.Writer
		var err error
		if p.file == "" {
			w, err = m.CreateFormField(p.field)
		} else {
			w, err = m.CreateFormFile(p.field, p.file)
		}
		if err == nil {
			_, err = io.WriteString(w, p.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, address, &b)
	r.Header.Set("Content-Type", m.FormDataContentType())
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// asked sends a form, follows the answer, and returns the page and its address.
func asked(t *testing.T, h http.Handler, parts ...sent) (page, address string) {
	t.Helper()
	w := post(t, h, "/c/essays/near", parts...)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	address = w.Header().Get("Location")
	return get(t, h, address, 200), address
}

func mustHave(t *testing.T, page string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(page, w) {
			t.Errorf("%q is not in the page:\n%s", w, plain(page))
		}
	}
}

// plain returns what a page says, without its head.
func plain(page string) string {
	if _, body, has := strings.Cut(page, "<body>"); has {
		page, _, _ = strings.Cut(body, "<script>")
	}
	return page
}

// Everything can be reached from the start without a script, by links and by the form.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	f := essays()
	f.add(service.Info{Name: "other / \"one\" %", Settings: service.Settings{Jaccard: 0.8}}, document("x", "some words"), document("y", "some words"))
	f.add(service.Info{Name: "prints", Settings: service.Settings{Holds: "fingerprints", K: 3}})
	h := New(f, Options{})
	seen, queue := map[string]bool{}, []string{"/"}
	link := regexp.MustCompile(` (?:href|action)="(/[^"]*)"`)
	for len(queue) > 0 {
		address := queue[0]
		queue = queue[1:]
		if seen[address] {
			continue
		}
		seen[address] = true
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		if w.Code == http.StatusSeeOther {
			queue = append(queue, w.Header().Get("Location"))
			continue
		}
		if w.Code != 200 {
			t.Fatalf("%s: %d: %s", address, w.Code, plain(w.Body.String()))
		}
		for _, m := range link.FindAllStringSubmatch(w.Body.String(), -1) {
			queue = append(queue, html.UnescapeString(m[1]))
		}
	}
	for _, view := range []string{"groups", "passages", "documents", "near", "group"} {
		if !slices.ContainsFunc(keys(seen), func(a string) bool { return strings.HasPrefix(a, "/c/essays/"+view) }) {
			t.Errorf("nothing leads to %s", view)
		}
	}
	if len(seen) < 25 {
		t.Errorf("%d pages", len(seen))
	}
}

func keys(m map[string]bool) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// A copied paragraph is found by a pasted text, by a file, and in the collection itself.
func TestCopiedParagraph(t *testing.T) {
	h := New(essays(), Options{})
	page, address := asked(t, h, sent{"text", "", "An introduction that is new. " + paragraph + " The end."})
	if !strings.HasPrefix(address, "/c/essays/near?text=") {
		t.Errorf("a short text is not in the address %s", address)
	}
	mustHave(t, page, "2 documents share passages", "a/mill.txt", "a/copied.txt", `class="passage"`, `href="/c/essays/near?id=a%2Fmill.txt"`)
	long := strings.Repeat("Words of no document at all, which make the text long. ", 50) + paragraph
	page, address = asked(t, h, sent{"text", "", ""}, sent{"file", "essay.txt", long}, sent{"file", "empty.txt", ""})
	if !regexp.MustCompile(`^/c/essays/asked/[A-Z2-7]{26}$`).MatchString(address) {
		t.Errorf("a file is at %s", address)
	}
	mustHave(t, page, "2 documents share passages", "essay.txt")
	mustHave(t, get(t, h, "/c/essays/passages", 200), "2 pairs of documents share passages", "The old mill by the river was sold",
		"a/copied.txt", "51 words in 1 passage; once in 1,000,000,000")
	mustHave(t, get(t, New(manyOf(essays()), Options{}), "/c/essays/passages", 200), "Too large for this page", "This page compares up to 2,000 documents, which take 8.39 MB at most",
		"The 2,001 of this collection take", "simsearch pairs --passages --index DIR</code> prints all pairs")
	mustHave(t, get(t, h, "/c/essays/near?id=a/copied.txt&with=c.txt", 200), `<bdi>c.txt</bdi>`)
	mustHave(t, get(t, h, "/c/essays/near?text=Quite+new+words", 200), "Nothing is near", "This is the nearest")
	mustHave(t, get(t, h, "/c/essays/near?text=...", 200), "Nothing to compare")
}

// Of several texts there is a list, and a page for each, with the texts before and after.
func TestSeveralTexts(t *testing.T) {
	h := New(essays(), Options{})
	page, address := asked(t, h, sent{"file", "new.txt", "Words that nobody has used here."}, sent{"file", "ships.txt", other},
		sent{"file", "mill.txt", paragraph + " New words follow, more and more of them, until there are quite a few."})
	mustHave(t, page, "2 of 3 texts have something near", "1 text without anything near", `text=2&amp;with=b%2Fships.txt`)
	if strings.Index(page, "ships.txt") > strings.Index(page, "mill.txt") {
		t.Error("the nearest text is not the first")
	}
	mustHave(t, get(t, h, address+"?text=2", 200), "text 2 of 3", "Previous text", "Next text", "2 documents are near")
	get(t, h, address+"?text=4", 404)
	get(t, h, address+"?text=x", 400)
	get(t, h, "/c/essays/asked/NOBODYKNOWS", 404)
}

// A form of files from which no text comes leads to a page that says of each why it was left out.
func TestNoTexts(t *testing.T) {
	h := New(essays(), Options{})
	broken := "PK\x03\x04 broken"
	files := []sent{
		{"file", "a.png", "\x89PNG\r\n\x1a\nxxx"}, {"file", "a.pdf", "%PDF-1.4 abc"}, {"file", "a.docx", broken},
		{"file", "a.bin", "\x00\x01\x02\x03"}, {"file", "bad.jsonl", "{bad\n"}, {"file", "field.jsonl", `{"body":"words"}`},
		{"file", "open.csv", "id,text\n1,\"never closed\n"}, {"file", "a.zip", zipOf(t, [2]string{"in.docx", broken})},
	}
	for _, f := range files {
		page, _ := asked(t, h, f)
		mustHave(t, page, "<h1>Nothing could be read</h1>", strings.TrimSuffix(f.file, ".zip"), " was left out: ",
			"Search for something else")
	}
	page, _ := asked(t, h, files...)
	if n := strings.Count(page, " was left out: "); n != len(files) {
		t.Errorf("%d files were left out, want %d:\n%s", n, len(files), plain(page))
	}
	mustHave(t, page, "a.png was left out: a picture, and no text.")
}

// A document that is asked for beside another one is shown, and counted only if it is near.
func TestWithOneThatIsNotNear(t *testing.T) {
	h := New(essays(), Options{})
	c := "/c/essays/near?id="
	mustHave(t, get(t, h, c+"c.txt&with=a/mill.txt", 200), "<h1>Nothing is near</h1>", "This is the nearest")
	page := get(t, h, c+"c.txt&with=b/ships.txt", 200)
	mustHave(t, page, "<h1>Nothing is near</h1>", "not near", "Seven ships left", "so it stays alone")
	if strings.Contains(page, "This is the nearest") {
		t.Error("a document that was asked for is called the nearest")
	}
	mustHave(t, get(t, h, c+"b/ships.txt&with=c.txt", 200), "<h1>1 document is near", "not near", "so it stays alone",
		"b/ships2.txt")
	mustHave(t, get(t, h, c+"a/mill.txt&with=c.txt", 200), "<h1>1 document shares passages", "not near",
		"so it stays alone")
	mustHave(t, get(t, h, c+"b/ships.txt&with=b/ships.txt", 200), "<h1>1 document is near", "the same document")
	if page := get(t, h, c+"b/ships.txt&with=b/ships2.txt", 200); strings.Contains(page, "not near") {
		t.Errorf("a near document is called not near:\n%s", plain(page))
	}
	get(t, h, c+"c.txt&with=nope", 404)
	docs := []service.Document{document("alone", paragraph)}
	for i := range 30 {
		docs = append(docs, document(fmt.Sprintf("ships%02d", i), other))
	}
	h = New(newFake("essays", docs...), Options{})
	page = get(t, h, c+"ships00&with=ships29&limit=5", 200)
	mustHave(t, page, "documents are near</h1>", "<bdi>ships29</bdi>", "similarity 1", "Show more documents")
	if strings.Contains(page, "not near") {
		t.Error("a near document that is not among the first is called not near")
	}
	mustHave(t, get(t, h, c+"ships00&with=alone&limit=29", 200), "<h1>29 documents are near", "not near",
		"Show more documents")
}

// A parameter that a page does not take, or a wrong value, is refused on every page, and the answer names it.
func TestWrongParameters(t *testing.T) {
	h := New(essays(), Options{})
	_, address := asked(t, h, sent{"file", "one.txt", paragraph}, sent{"file", "two.txt", other})
	const c = "/c/essays/"
	for _, page := range []string{"/", c, c + "near", c + "documents", c + "passages", c + "groups", c + "group", address} {
		mustHave(t, get(t, h, page+"?colour=red", 400), "This page has no parameter &#34;colour&#34;.", `href="/`)
		get(t, h, page+"?%zz", 400)
	}
	for wrong, want := range map[string]string{
		c + "near?id=c.txt&limit=x": "limit is a whole number from 1 on, and not &#34;x&#34;", c + "near?id=c.txt&limit=0": "parameter limit",
		c + "groups?from=-1": "parameter from", c + "groups?from=1.5": "parameter from", c + "group?of=b/ships.txt&n=x": "parameter n",
		c + "groups?jaccard=x": "parameter jaccard", c + "groups?k=1&k=2": "k is given 2 times", address + "?text=x": "parameter text", c + "near?with=x": "parameter with",
	} {
		mustHave(t, get(t, h, wrong, 400), want)
	}
	if w := post(t, h, c+"near?colour=red", sent{"text", "", "words"}); w.Code != 400 {
		t.Errorf("a form with a parameter: %d", w.Code)
	}
}

// The collection without a name of its own is called what the server serves.
func TestTitle(t *testing.T) {
	f := newFake(service.DefaultCollection, document("x", "some words"))
	for title, want := range map[string]string{"My essays": "<h1>My essays</h1>", "": "<h1>default</h1>"} {
		mustHave(t, get(t, New(f, Options{Title: title}), "/c/default/", 200), want)
	}
}

// hostile has what a page, an attribute, a script, an address and a terminal take for something else.
const hostile = `</script></style><script>bad()</script><img src=x onerror=bad()>" onload="bad()' javascript:bad() {{.}} &amp; %3Cb%3E` + "\u202e\x1b[31m\x00\n"

// Whatever ids, texts, fields, names of files and errors have, it is shown and does nothing.
func TestHostile(t *testing.T) {
	text := hostile + paragraph
	f := &fake{docs: map[string][]service.Document{}}
	docs := []service.Document{document(hostile+"1", text), document(hostile+"2", text+" more"), document("third", text)}
	for i := range docs {
		docs[i].Fields = map[string]any{hostile: hostile, "lang": hostile}
	}
	f.add(service.Info{Name: hostile, Settings: service.Settings{Jaccard: 0.8, Passages: true, Fields: []string{hostile}}}, docs...)
	f.add(service.Info{Name: "essays", Settings: service.Settings{Jaccard: 0.8, Passages: true}}, docs...)
	f.err = fmt.Errorf("trouble: %s", hostile)
	h := New(f, Options{})
	c := "/c/" + url.PathEscape(hostile) + "/"
	q := url.QueryEscape(hostile)
	pages := map[string]string{}
	for _, address := range []string{
		"/", c, c + "groups", c + "groups?prefix=" + q, c + "group?of=third", c + "passages", c + "documents", c + "documents?prefix=" + q,
		c + "near?id=" + q + "1", c + "near?id=" + q + "1&with=third", c + "near?text=" + q + url.QueryEscape(paragraph), c + "near?id=third",
	} {
		pages[address] = get(t, h, address, 200)
	}
	for address, status := range map[string]int{c + "near?id=" + q: 404, "/c/x" + q + "/": 404, c + "groups?jaccard=" + q: 400, "/" + q: 404} {
		pages[address] = get(t, h, address, status)
	}
	file := strings.NewReplacer("\x1b", "", "\x00", "", "\n", "", "/", "_").Replace(hostile) // what a header can have
	files, address := asked(t, h, sent{"file", "dir/a\".txt", file + paragraph}, sent{"file", file + ".png", "\x89PNG\r\n\x1a\n"}, sent{"file", file, file + paragraph})
	mustHave(t, files, "dir/a&#34;.txt")
	pages["files"], pages["file"] = files, get(t, h, address+"?text=2", 200)
	for address, page := range pages {
		checkPage(t, address, page)
	}
	mustHave(t, pages[c+"near?id="+q+"1"], "&lt;script&gt;bad()")
}

// checkPage checks that a page has only what its templates have.
func checkPage(t *testing.T, address, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for n := range root.Descendants() {
		if n.Type == html.TextNode && strings.ContainsAny(n.Data, "\x1b\u202e") {
			t.Errorf("%s: %q has control characters", address, n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "script":
			scripts++
		case "img", "iframe", "object", "base", "link", "embed":
			t.Errorf("%s has <%s>", address, n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on") || a.Key == "style":
				t.Errorf("%s: <%s %s=%q>", address, n.Data, a.Key, a.Val)
			case (a.Key == "href" || a.Key == "action") && !strings.HasPrefix(a.Val, "/c/") && !strings.HasPrefix(a.Val, "#") && a.Val != "/" && a.Val != "/?all" && !strings.HasPrefix(a.Val, "/?"):
				t.Errorf("%s leads to %q", address, a.Val)
			}
		}
	}
	if scripts != 1 {
		t.Errorf("%s has %d scripts", address, scripts)
	}
}

// Each page says what it may load, and the server what may be done with it.
func TestHeaders(t *testing.T) {
	h := New(essays(), Options{})
	for _, address := range []string{"/c/essays/", "/c/essays/near?id=c.txt", "/c/essays/nothing", "/c/essays/groups"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || !strings.Contains(policy, "; script-src 'sha256-") ||
			!strings.HasSuffix(policy, "; frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %s", address, policy)
		}
		if !strings.Contains(w.Body.String(), `content="`+strings.TrimSuffix(policy, "; frame-ancestors 'none'")+`"`) {
			t.Errorf("%s says something else than its head", address)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", address, name, got)
			}
		}
	}
}

func TestGroupsByFilter(t *testing.T) {
	h := New(essays(), Options{})
	mustHave(t, get(t, h, "/c/essays/groups", 200), "1 group of near documents", "b/ships2.txt", `type="range"`, `min="0.8"`, `value="0.8"`, "1 document")
	page := get(t, h, "/c/essays/groups?jaccard=0.99", 200)
	mustHave(t, page, "No groups of near documents", `value="0.99"`, `class="out"`, "No groups are like this", "all groups")
	mustHave(t, get(t, h, "/c/essays/groups?prefix=b/", 200), "1 group of near documents")
	mustHave(t, get(t, h, "/c/essays/groups?prefix=a/", 200), "No groups of near documents", `value="a/"`)
	mustHave(t, get(t, h, "/c/essays/groups?where=lang%3Dde", 200), "No groups of near documents")
	mustHave(t, get(t, h, "/c/essays/group?of=b/ships.txt&n=1", 200), "Group 1: 2 documents", "data-note", "<kbd>y</kbd>")
	for _, bad := range []string{"jaccard=2", "jaccard=x", "jaccard=-1", "copy=NaN", "k=-1", "k=x"} {
		get(t, h, "/c/essays/groups?"+bad, 400)
	}
	get(t, h, "/c/essays/group?of=c.txt", 404)
}

// Many groups come in pages, in which the groups are numbered on.
func TestPagesOfGroups(t *testing.T) {
	var docs []service.Document
	for i := range 45 {
		text := ""
		for j := range 12 {
			text += fmt.Sprintf("word%dof%d ", j, i)
		}
		docs = append(docs, document(fmt.Sprintf("%d/a", i), text), document(fmt.Sprintf("%d/b", i), text))
	}
	h := New(newFake("essays", docs...), Options{})
	page := get(t, h, "/c/essays/groups", 200)
	n := 0
	for address := ""; ; {
		n += strings.Count(page, `class="pair group"`)
		m := regexp.MustCompile(`href="([^"]*)">More groups`).FindStringSubmatch(page)
		if m == nil {
			break
		}
		if address == m[1] || n > 100 {
			t.Fatal("the pages do not end")
		}
		address = m[1]
		page = get(t, h, html.UnescapeString(address), 200)
	}
	mustHave(t, page, "Group 45:", "The first groups")
	if n != 45 {
		t.Errorf("%d groups on all pages", n)
	}
}

// A number in an address that is beyond what there is, is not shown.
func TestNumbersBeyond(t *testing.T) {
	h := New(essays(), Options{})
	const c = "/c/essays/"
	for address, want := range map[string]string{
		"groups?from=9999": "Group 1: 2 documents", "groups?from=9999&cursor=0": "Group 1: 2 documents",
		"group?of=b/ships.txt&n=99": "<h1>Group of 2 documents",
	} {
		page := get(t, h, c+address, 200)
		mustHave(t, page, want)
		page = strings.ReplaceAll(plain(page), "9,999", "9999")
		back := strings.Contains(page, "From the beginning")
		if strings.Contains(page, "9999") || back != strings.Contains(address, "cursor=3") {
			t.Errorf("%s: %s", address, page)
		}
	}
}

// What the page keeps of a pair, with a label, is a line that eval reads.
func TestLabels(t *testing.T) {
	for _, id := range []string{"a", `"quoted" \ `, "new\nline\x00\x7f", "émoji 🎈", "\u202e"} {
		var got struct{ A, B string }
		data := label(id, "b")
		if err := json.Unmarshal([]byte(data), &got); err != nil || got.A != id || got.B != "b" {
			t.Errorf("%s: %+v, %v", data, got, err)
		}
		if strings.ContainsFunc(data, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			t.Errorf("%q is not ASCII", data)
		}
	}
	line := strings.TrimSuffix(label("x", "y"), "}") + `,"label":"no","note":"other dates"}` + "\n" + `{"a":"x","b":"z","label":"yes"}`
	numbers := map[string]uint32{"x": 0, "y": 1, "z": 2}
	labels, err := truth.ReadLabels(strings.NewReader(line), func(id string) (uint32, bool) { n, ok := numbers[id]; return n, ok }, 100)
	if err != nil || labels.Near != 1 {
		t.Errorf("%+v, %v", labels, err)
	}
}

// zipOf returns a .zip with files.
func zipOf(t *testing.T, files ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f[0])
		if err == nil {
			_, err = io.WriteString(w, f[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// read returns what is read of a form.
func read(t *testing.T, o Options, parts ...sent) (*inquiry, error) {
	t.Helper()
	x := &explorer{o: o.defaults(), large: make(chan struct{}, 1)}
	var q *inquiry
	var err error
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { q, err = x.read(w, r, 0) })
	post(t, h, "/", parts...)
	return q, err
}

func names(q *inquiry) (all []string) {
	for _, t := range q.texts {
		all = append(all, t.Name)
	}
	return all
}

// Files are read as a collection reads them, out of a .zip, too.
func TestFiles(t *testing.T) {
	q, err := read(t, Options{},
		sent{"file", "page.html", "<html><body><main><p>Words &amp; more words of a page that is long enough.</p></main></body></html>"},
		sent{"file", "wide.txt", "\xff\xfea\x00b\x00 \x00c\x00"},
		sent{"file", "rows.jsonl", `{"id":"r1","text":"first"}` + "\n" + `{"text":"second"}` + "\n"},
		sent{"file", "all.zip", zipOf(t, [2]string{"dir/", ""}, [2]string{"dir/one.txt", "one"}, [2]string{"../../up.txt", "up"}, [2]string{"/etc/abs.txt", "abs"},
			[2]string{"__MACOSX/x.txt", "no"}, [2]string{".git/config", "no"}, [2]string{"in.zip", zipOf(t, [2]string{"deep.txt", "deep"})})},
		sent{"text", "", "  pasted\r\ntext "})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"page.html", "wide.txt", "rows.jsonl r1", "rows.jsonl#2", "all.zip/dir/one.txt", "all.zip/up.txt", "all.zip/etc/abs.txt", pasted}
	if got := names(q); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(q.texts) == len(want) && (strings.Contains(q.texts[0].Text, "<") || q.texts[1].Text != "ab c" || q.texts[2].Text != "first" || q.texts[7].Text != "  pasted\ntext ") {
		t.Errorf("%v", q.texts)
	}
	if len(q.notes) != 1 || !strings.HasPrefix(q.notes[0], "all.zip/in.zip was left out: ") {
		t.Errorf("%q", q.notes)
	}
}

// Nothing is read without a bound: bodies, files, texts, archives and what they say of themselves.
func TestBounds(t *testing.T) {
	bomb := zipOf(t, [2]string{"zeros.txt", strings.Repeat("0", 30<<20)})
	if len(bomb) > 100<<10 {
		t.Fatalf("the bomb has %d bytes", len(bomb))
	}
	q, err := read(t, Options{}, sent{"file", "bomb.zip", bomb})
	if err != nil || len(q.texts) != 0 || !strings.Contains(q.notes[0], "zeros.txt was left out: it has more than") {
		t.Errorf("%+v, %v", q, err)
	}
	var many [][2]string
	for i := range 100 {
		many = append(many, [2]string{fmt.Sprint(i, ".txt"), strings.Repeat("many words ", 1000)})
	}
	q, err = read(t, Options{Unpacked: 100_000}, sent{"file", "many.zip", zipOf(t, many...)})
	if err != nil || len(q.texts) != 9 || !strings.HasPrefix(q.notes[0], "Only the first 9 texts are shown") {
		t.Errorf("%d texts, %v", len(q.texts), err)
	}
	q, err = read(t, Options{Texts: 7}, sent{"file", "many.zip", zipOf(t, many...)}, sent{"text", "", "one more"})
	if err != nil || len(q.texts) != 7 || len(q.notes) != 1 {
		t.Errorf("%d texts, %q, %v", len(q.texts), q.notes, err)
	}
	for name, data := range map[string]string{"cut.zip": bomb[:len(bomb)/2], "no.zip": "PK\x03\x04 nothing", "picture.bin": "\x00\x01\x02\x03"} {
		if q, err := read(t, Options{}, sent{"file", name, data}); err != nil || len(q.texts) != 0 || len(q.notes) != 1 {
			t.Errorf("%s: %+v, %v", name, q, err)
		}
	}
	h := New(essays(), Options{Upload: 1000})
	for _, parts := range [][]sent{{{"text", "", strings.Repeat("x", 2000)}}, {{"file", "f", strings.Repeat("x", 2000)}}} {
		if w := post(t, h, "/c/essays/near", parts...); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%d: %s", w.Code, plain(w.Body.String()))
		}
	}
	for _, parts := range [][]sent{{}, {{"text", "", " \r\n"}}} {
		if w := post(t, h, "/c/essays/near", parts...); w.Code != http.StatusBadRequest {
			t.Errorf("%d: %s", w.Code, plain(w.Body.String()))
		}
	}
	if w := post(t, h, "/c/nowhere/near", sent{"text", "", "x"}); w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}
	r := httptest.NewRequest(http.MethodPost, "/c/essays/near", strings.NewReader("text=x"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusBadRequest {
		t.Errorf("%d", w.Code)
	}
}

// Texts are kept within a number of bytes and for some hours, the last ones used first.
func TestMemory(t *testing.T) {
	m := newMemory(100)
	now := time.Unix(0, 0)
	m.now = func() time.Time { return now }
	of := func(n int) *inquiry { return &inquiry{texts: []text{{Text: strings.Repeat("x", n)}}} }
	a, b := m.keep(of(40)), m.keep(of(40))
	if a == b || m.get(a) == nil {
		t.Fatal("what was kept is forgotten")
	}
	c := m.keep(of(40))
	if m.get(b) != nil || m.get(a) == nil || m.get(c) == nil || m.bytes != 80 {
		t.Errorf("%d bytes are kept", m.bytes)
	}
	large := m.keep(of(1000))
	if m.get(large) == nil || m.get(a) != nil || m.bytes != 1000 {
		t.Errorf("%d bytes are kept", m.bytes)
	}
	now = now.Add(keptFor + time.Second)
	if m.get(large) != nil || m.bytes != 0 || len(m.all) != 0 {
		t.Errorf("%d bytes are kept for ever", m.bytes)
	}
}

func writeFile(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The page asks a real service as it asks the one of these tests.
func TestRealService(t *testing.T) {
	svc, err := service.Open(service.Options{Data: t.TempDir(), Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, passages := range []bool{true, false} {
		name := fmt.Sprint("essays-", passages)
		if _, _, err := svc.Create(t.Context(), name, &service.Settings{Jaccard: 0.8, Passages: passages, Fields: []string{"lang"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := svc.Put(t.Context(), name, essays().docs["essays"]); err != nil {
			t.Fatal(err)
		}
		c := "/c/" + name + "/"
		h := New(svc, Options{})
		mustHave(t, get(t, h, "/?all", 200), name)
		mustHave(t, get(t, h, c, 200), "5 documents", "Shared passages")
		mustHave(t, get(t, h, c+"passages", 200), "2 pairs of documents share passages", "The old mill by the river", "a/copied.txt")
		mustHave(t, get(t, h, c+"near?id=a/copied.txt", 200), "1 document shares passages", `class="passage"`, "lang = en")
		mustHave(t, get(t, h, c+"near?text=Quite+new+words+here", 200), "Nothing is near", "This is the nearest")
		mustHave(t, get(t, h, c+"near?text=...", 200), "Nothing is near")
		mustHave(t, get(t, h, c+"groups", 200), "1 group of near documents", "b/ships2.txt", `min="0.8"`, "1 document</span>")
		mustHave(t, get(t, h, c+"groups?jaccard=0.99", 200), "No groups of near documents", `class="out"`)
		mustHave(t, get(t, h, c+"groups?prefix=a/", 200), "No groups of near documents")
		mustHave(t, get(t, h, c+"groups?where=lang%3Den", 200), "1 group of near documents")
		mustHave(t, get(t, h, c+"group?of=b/ships2.txt", 200), "Group of 2 documents", "data-note")
		mustHave(t, get(t, h, c+"documents?prefix=a/", 200), "a/mill.txt", "lang = en", "A history of the valley")
		get(t, h, c+"group?of=c.txt", 404)
		get(t, h, c+"groups?where=nofield%3Dx", 400)
		get(t, h, c+"near?id=nope", 404)
	}
}

// A stuck service answers no queries until it is let.
type stuck struct {
	*fake
	asked, let chan struct{}
}

func (s *stuck) wait() {
	s.asked <- struct{}{}
	<-s.let
}

func (s *stuck) Near(ctx context.Context, name string, r *service.NearRequest) (*service.NearAnswer, error) {
	s.wait()
	return s.fake.Near(ctx, name, r)
}

func (s *stuck) NearAll(ctx context.Context, name string, rs []service.NearRequest) ([]service.NearAnswer, error) {
	s.wait()
	return s.fake.NearAll(ctx, name, rs)
}

// A broken service panics.
type broken struct{ *fake }

func (broken) Near(context.Context, string, *service.NearRequest) (*service.NearAnswer, error) {
	panic("a mistake")
}

// A panic is answered with a page, which does not tell it, and goes on. It keeps no place.
func TestPanic(t *testing.T) {
	h := New(broken{essays()}, Options{})
	for range 2 * largeAtOnce {
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if bug := recover(); bug != "a mistake" {
					t.Errorf("the panic is %v", bug)
				}
			}()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/c/essays/near?text=ships", nil))
		}()
		page := w.Body.String()
		if w.Code != http.StatusInternalServerError || strings.Contains(page, "mistake") {
			t.Errorf("%d: %s", w.Code, plain(page))
		}
		mustHave(t, page, "<h1>That did not work</h1>", "its log says more", "Back to the collection")
		checkPage(t, "a panic", page)
	}
}

// Pages that show texts take much memory, so that few are made at once. Others are told to come again, and other
// pages are shown.
func TestFewPagesWithTextsAtOnce(t *testing.T) {
	s := &stuck{essays(), make(chan struct{}, 100), make(chan struct{})}
	h := New(s, Options{})
	var wg sync.WaitGroup
	for range largeAtOnce {
		wg.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/c/essays/near?text=ships", nil))
			if w.Code != http.StatusOK {
				t.Errorf("%d: %s", w.Code, w.Body)
			}
		})
		<-s.asked
	}
	get(t, h, "/c/essays/near?text=mill", http.StatusServiceUnavailable)
	get(t, h, "/c/essays/documents", http.StatusOK)
	if w := post(t, h, "/c/essays/near", sent{"text", "", "a mill"}); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a form: %d", w.Code)
	}
	close(s.let)
	wg.Wait()
	get(t, h, "/c/essays/near?text=mill", http.StatusOK)
}

// What many documents have does not count on the page of shared passages, unless it is asked for.
func TestWhatManyHave(t *testing.T) {
	r := rand.New(rand.NewPCG(59, 4))
	words := func(n int) string {
		var list []string
		for range n {
			list = append(list, fmt.Sprintf("w%x", r.IntN(1<<20)))
		}
		return strings.Join(list, " ")
	}
	task, own := words(40), words(60)
	var docs []service.Document
	for i := range 60 {
		docs = append(docs, document(fmt.Sprint(i), map[bool]string{true: task + " "}[i < 12]+words(200)+map[bool]string{true: " " + own + " " + words(50)}[i < 2]))
	}
	docs = append(docs, document("copy", *docs[59].Text))
	h := New(newFake("essays", docs...), Options{})
	page := get(t, h, "/c/essays/passages", 200)
	mustHave(t, page, "<h1>67 pairs of documents share passages", "12 of 61 documents have this: “"+task[:40], "passages?common=left")
	known := New(newFake("essays", docs...), Options{Boilerplate: []copied.Named{{Name: "task.txt", Text: task}}, PassageWords: 20})
	page = get(t, known, "/c/essays/passages", 200)
	mustHave(t, page, "<h1>2 pairs of documents share passages", `data-words="60"`)
	if strings.Contains(page, "12 of 61 documents have this") {
		t.Error("what --boilerplate has is offered")
	}
	page = get(t, New(newFake("essays", docs[:20]...), Options{Common: -1}), "/c/essays/passages", 200)
	mustHave(t, page, "<h1>66 pairs of documents share passages", "passages?common=left")
	page = get(t, h, "/c/essays/passages?common=left", 200)
	mustHave(t, page, "<h1>2 pairs of documents share passages", "12 of 61 documents have this, which does not count: “"+task[:40],
		"passages?common=counted", `data-words="60" data-edits="0" data-once="`)
	page = get(t, h, "/c/essays/passages?common=counted", 200)
	mustHave(t, page, "<h1>67 pairs of documents share passages", "Leave out what many have")
	get(t, h, "/c/essays/passages?common=x", 400)
	get(t, h, "/c/essays/groups?common=counted", 400)
	mustHave(t, get(t, h, "/c/essays/near?id=0", 200), "<h1>1 document shares passages", "10 of 61 documents share only this, which does not count: “"+task[:40])
	page = get(t, h, "/c/essays/near?id=2", 200)
	mustHave(t, page, "<h1>Nothing is near", "11 of 61 documents share only this", "/c/essays/near?common=counted&amp;id=2")
	mustHave(t, get(t, h, "/c/essays/near?common=counted&id=2", 200), "<h1>11 documents share passages")
	mustHave(t, get(t, h, "/c/essays/near?text="+url.QueryEscape(task), 200), "<h1>12 documents share passages")
	page, _ = asked(t, h, sent{"file", "a.txt", *docs[0].Text}, sent{"file", "b.txt", task + " " + words(200)}, sent{"file", "c.txt", words(200)})
	mustHave(t, page, "1 of 3 texts has something near")
}

// Lists show the subject of mail. The page of a folder says what was not read, and which command compares more.
func TestFolder(t *testing.T) {
	f := manyOf(newFake("default", document("mail/anna/1", "Hi Eva, all is well"), document("mail/ben/1", "FYI")))
	f.docs["default"][0].Fields["subject"] = "About the mill"
	h := New(f, Options{Title: "mail", Pairs: "simsearch pairs --passages f/mail", Bad: 7})
	page := get(t, h, "/c/default/documents?prefix=anna", 200)
	mustHave(t, page, "<title>Documents whose id has “anna” – mail – simsearch</title>", "About the mill")
	if strings.Contains(page, "Hi Eva") || strings.Contains(page, "subject =") {
		t.Error("the subject comes in place of the first line, and once")
	}
	mustHave(t, get(t, h, "/c/default/", 200), "7 more documents were bad and left out")
	mustHave(t, get(t, h, "/c/default/passages", 200), "<code>simsearch pairs --passages f/mail</code> prints all pairs")
}

// Short stretches that two essays share are found in a small collection, and are marked in both texts.
func TestRewordedEssay(t *testing.T) {
	r := rand.New(rand.NewPCG(59, 3))
	sentence := func() (list []string) {
		for range 200 {
			list = append(list, fmt.Sprintf("w%x", r.IntN(1<<20)))
		}
		return list
	}
	one, other := sentence(), sentence()
	for i := range 60 {
		if i%5 > 0 {
			other[40+i] = one[100+i]
		}
	}
	docs := []service.Document{document("one.txt", strings.Join(one, " ")), document("other.txt", strings.Join(other, " "))}
	for i := range 10 {
		docs = append(docs, document(fmt.Sprint(i), strings.Join(sentence(), " ")))
	}
	h := New(newFake("essays", docs...), Options{})
	page := get(t, h, "/c/essays/passages", 200)
	mustHave(t, page, "<h1>1 pair of documents shares passages", "near?id=one.txt&amp;with=other.txt")
	page = get(t, h, "/c/essays/near?id=one.txt&with=other.txt", 200)
	mustHave(t, page, "<h1>1 document shares passages", `class="passage"`, one[101], other[41])
	if strings.Contains(page, "not near") {
		t.Error("a document that shares passages is said not to be near")
	}
}
