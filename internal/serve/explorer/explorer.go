// Package explorer is the page of a server: a person pastes a text or drops files and sees what is near them and
// which passages they share, looks through groups of near documents, and marks pairs. It is plain HTML, which works
// without its script.
//
// What a person asks stands in the address of a page. A text that is too long for it is kept in memory for a while,
// under a name that nobody can guess. Nothing is written.
package explorer

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"simsearch/internal/clean/copied"
	"simsearch/internal/clean/review"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

// A Service is what the page asks. It is what *service.Service has.
type Service interface {
	service.API
	Browse(ctx context.Context, name, prefix, cursor string, limit int) (documents []service.Document, next string, err error)
	Picture(ctx context.Context, name, id string, side int) (*service.Picture, error)
}

// Options bound what one page may ask. The zero value is good.
type Options struct {
	Upload   int64 // bytes of a form; 0 is 32 MB
	Unpacked int64 // bytes of the texts of a form, out of .zip files too; 0 is Unpacked
	Texts    int   // texts of a form; 0 is 1,000
	Kept     int64 // bytes of texts that are kept for a while; 0 is Kept
	// Title is what pages call the collection service.DefaultCollection, such as its folder; "" is its name.
	Title string
	Pairs string // the command that prints pairs that share passages of that one; "" names no index
	Bad   int    // documents that could not be read for it
	// PassageWords are those of the service; 0 is those of sequences.Usual. Boilerplate and Common are as those
	// of copied.Options.
	PassageWords int
	Boilerplate  []copied.Named
	Common       float64
}

// Kept is how many bytes of texts are kept, if nobody says.
const Kept = 128_000_000

// Unpacked is how many bytes the texts of a form have, if nobody says.
const Unpacked = 64_000_000

func (o Options) defaults() Options {
	o.Upload = cmp.Or(o.Upload, 32_000_000)
	o.Unpacked = cmp.Or(o.Unpacked, Unpacked)
	o.Texts = cmp.Or(o.Texts, 1000)
	o.Kept = cmp.Or(o.Kept, Kept)
	return o
}

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// An explorer answers requests of browsers.
type explorer struct {
	svc  Service
	o    Options
	kept *memory
	// large is full when so many forms are read, and pages with texts are made, that no other one may be, since each
	// takes memory: a page many times as much as its texts, of which it has some megabytes at most.
	large chan struct{}
}

const largeAtOnce = 2

// patience is how long a request waits for others that take much memory. It takes the place of other requests
// meanwhile.
const patience = time.Second

// enter waits for patience until one more request may take much memory, which ends with leave.
func (x *explorer) enter(ctx context.Context, patience time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	select {
	case x.large <- struct{}{}:
		return nil
	case <-ctx.Done():
		return service.Errorf(service.Unavailable, "", "others are asking about long texts: try again in a moment")
	}
}

func (x *explorer) leave() { <-x.large }

// New returns the handler of the page: of "/" and of all below "/c/". A panic is answered with a page of status 500
// and goes on to the caller, which logs it.
func New(svc Service, o Options) http.Handler {
	o = o.defaults()
	x := &explorer{svc, o, newMemory(o.Kept), make(chan struct{}, largeAtOnce)}
	mux := http.NewServeMux()
	for route, page := range map[string]struct {
		show  func(c *collection, r *http.Request) (*view, error) // c is nil at the start
		texts bool                                                // are shown
		takes string                                              // parameters
	}{
		"GET /{$}":                  {x.start, false, "all"},
		"GET /c/{name}/{$}":         {x.collection, false, ""},
		"GET /c/{name}/near":        {(*collection).near, true, "id text with limit common"},
		"GET /c/{name}/asked/{key}": {x.asked, true, "text with limit common"},
		"GET /c/{name}/documents":   {(*collection).documents, false, "prefix cursor"},
		"GET /c/{name}/passages":    {(*collection).passages, true, "common"},
		"GET /c/{name}/groups":      {(*collection).groups, false, "prefix where jaccard copy k cursor from"},
		"GET /c/{name}/group":       {(*collection).group, true, "prefix where jaccard copy k of n"},
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			var c *collection
			var v *view
			err := checkQuery(r, page.takes)
			if err == nil && page.texts {
				if err = x.enter(r.Context(), patience); err == nil {
					defer x.leave()
				}
			}
			if err == nil && r.PathValue("name") != "" {
				c, err = x.of(r)
			}
			if err == nil {
				v, err = page.show(c, r)
			}
			x.answer(w, r, v, err)
		})
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		x.answer(w, r, nil, service.Errorf(service.NotFound, "", "There is no such page."))
	})
	mux.HandleFunc("GET /c/{name}/picture", x.picture)
	mux.HandleFunc("POST /c/{name}/near", x.ask)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if bug := recover(); bug != nil {
				x.answer(w, r, nil, fmt.Errorf("a bug: %v", bug)) // which does not tell it
				panic(bug)
			}
		}()
		mux.ServeHTTP(w, r)
	})
}

// checkQuery returns an error unless the query of a request has the parameters that a page takes, each at most once,
// and whole numbers from 1 on where numbers belong.
func checkQuery(r *http.Request, takes string) error {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return service.Errorf(service.BadRequest, "", "the address is broken behind its question mark: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		value := q.Get(name)
		number, err := strconv.Atoi(value)
		isNumber := slices.Contains([]string{"limit", "from", "n"}, name) || name == "text" && r.PathValue("key") != ""
		switch {
		case !slices.Contains(strings.Fields(takes), name):
			return service.Errorf(service.BadRequest, "", "this page has no parameter %q", name)
		case name == "common" && value != "counted" && value != "left":
			return service.Errorf(service.BadRequest, "", "the parameter common is counted, left or not there, and not %q", value)
		case len(q[name]) > 1:
			return service.Errorf(service.BadRequest, "", "the parameter %s is given %d times", name, len(q[name]))
		case isNumber && value != "" && (err != nil || number < 1):
			return service.Errorf(service.BadRequest, "", "the parameter %s is a whole number from 1 on, and not %q",
				name, value)
		}
	}
	return nil
}

// A view is what a page shows.
type view struct {
	kind, title string
	to          string      // where the browser goes instead
	of          *collection // or nil
	body        report.HTML
}

// view returns a view of the collection.
func (c *collection) view(kind, title string, body report.HTML) *view {
	return &view{kind: kind, title: title, of: c, body: body}
}

// nav leads to the other views.
func (v *view) nav() report.HTML {
	var links report.Builder
	for _, l := range [][3]string{
		{"Search", "", "search answers files"}, {"Groups", "groups", "groups group"},
		{"Shared passages", "passages", "passages"},
		{"Documents", "documents", "documents"},
	} {
		here := slices.Contains(strings.Fields(l[2]), v.kind)
		if v.of != nil && (here || l[1] != "passages" || v.of.findsPassages()) {
			links.Add(`<li><a href="%s"%s>%s</a></li>`, at(v.of.name, l[1]), report.If(here, ` aria-current="page"`), l[0])
		}
	}
	return report.H("<nav aria-label=\"Views\"><ul>%s<li><a href=\"/?all\">Collections</a></li></ul></nav>\n",
		links.HTML())
}

// way returns a link, if it leads anywhere.
func way(is bool, text, to string) report.HTML { return report.If(is, report.Link(text, to)) }

// steps returns ways back and on, around where they begin.
func steps(back, here, on report.HTML) report.HTML {
	return report.If(back+here+on != "",
		report.H("<p class=\"step\"><span>%s</span> <span>%s</span> <span>%s</span></p>\n", back, here, on))
}

// notices returns a paragraph for each of some texts.
func notices(texts []string) report.HTML { return report.Each("<p class=\"notice\">%s</p>\n", texts) }

// folded returns links to documents, or texts, on demand.
func folded(open bool, summary string, links []navLink) report.HTML {
	var list report.Builder
	for _, l := range links {
		list.Add(`<li><a href="%s"><bdi>%s</bdi></a></li>`, l.url, report.Path(l.name))
	}
	return report.Fold(open, summary, report.H("<ul class=\"documents ids\">%s</ul>\n", list.HTML()))
}

// A navLink leads to another page.
type navLink struct{ name, url string }

// at returns the address of a view of a collection, with the pairs of a query.
func at(name, view string, pairs ...string) string {
	address := "/c/" + url.PathEscape(name) + "/" + view
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return address
}

// answer writes a view, or what is wrong.
func (x *explorer) answer(w http.ResponseWriter, r *http.Request, v *view, err error) {
	status := http.StatusOK
	if err != nil {
		v, status = x.failure(r, err)
	}
	if v.to != "" {
		http.Redirect(w, r, v.to, http.StatusSeeOther)
		return
	}
	command := "simsearch"
	if v.of != nil && v.kind != "search" { // whose title it is
		command = x.title(v.of.name) + " – " + command
	}
	page := &report.Page{Command: command, Title: v.title, Nav: v.nav(), Style: pageStyle, Script: true,
		More:   review.MarksScript + pageScript,
		Served: true, Pictures: v.of != nil && v.of.info.Pictures != 0, Lead: v.body}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", page.Policy()+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = page.Write(w) // who has gone away gets nothing
}

// failure returns the view of an error, and its status.
func (x *explorer) failure(r *http.Request, err error) (*view, int) {
	e, _ := service.ErrorOf(err)
	status := service.Status(e)
	v := &view{kind: "error", title: report.Either(status == http.StatusNotFound, "That did not work", "Not found")}
	back := report.Link("Back to the start", "/")
	if c, err := x.of(r); c.name != "" && err == nil {
		v.of, back = c, report.Link("Back to the collection", at(c.name, ""))
	}
	said := terminal.If(e.Where != "" && status == http.StatusBadRequest, "the parameter %s is wrong: ", e.Where) + e.Message
	v.body = report.H("<p class=\"warning\" role=\"alert\">%s</p>\n<p>%s</p>\n", sentence(said), back)
	return v, status
}

// sentence returns a message as a sentence.
func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}

// start shows the collections. A single one is shown itself.
func (x *explorer) start(_ *collection, r *http.Request) (*view, error) {
	all, err := x.svc.List(r.Context())
	if err != nil {
		return nil, err
	}
	if len(all) == 1 && !r.URL.Query().Has("all") {
		return &view{to: at(all[0].Name, "")}, nil
	}
	body, _ := x.health(r.Context())
	if len(all) == 0 {
		body += report.P("verdict", "There is no collection yet. A client makes one:") +
			"<pre tabindex=\"0\"><code>curl -X PUT http://localhost:8080/v1/collections/notes</code></pre>\n"
		return &view{kind: "start", title: "0 collections", body: body}, nil
	}
	t := report.NewTable("Choose a collection to search it.", "collection", "documents", "size", "holds")
	for _, c := range all {
		t.Add(report.Styled{Class: "name", Of: report.Link(x.title(c.Name), at(c.Name, ""))}, c.Documents,
			report.Number(terminal.Bytes(int64(c.Bytes))), kindOf(c))
	}
	body += t.InTwo("sources", 100, "collection")
	return &view{kind: "start", title: terminal.Plural(len(all), "collection"), body: body}, nil
}

// title returns what a collection is called.
func (x *explorer) title(name string) string {
	if name == service.DefaultCollection {
		return cmp.Or(x.o.Title, name)
	}
	return name
}

// health says whether all is well, by what a query of each collection says.
func (x *explorer) health(ctx context.Context) (said report.HTML, well bool) {
	if err := x.svc.Health(ctx); err != nil {
		return report.P("warning", "<strong>Trouble:</strong> %s", sentence(err.Error())), false
	}
	return "<p class=\"well\"><span aria-hidden=\"true\">●</span> All collections answer.</p>\n", true
}

// kindOf says in a few words what a collection holds, and what is near in it.
func kindOf(c service.Info) string {
	s := c.Settings
	kind := cmp.Or(s.Holds, "texts")
	if c.Pictures != 0 {
		kind = "pictures"
	}
	switch {
	case s.Copy > 0:
		kind += fmt.Sprintf(", near from a probability of a copy of %v", s.Copy)
	case s.Holds == "fingerprints" || s.Jaccard == 0 && s.K > 0:
		kind += ", near within " + terminal.Plural(s.K, "bit")
	case s.Jaccard > 0:
		kind += fmt.Sprintf(", near from a similarity of %v", s.Jaccard)
	}
	return kind + terminal.If(s.Passages, ", with passages") + terminal.If(c.ReadOnly, ", read-only")
}

// collection shows where to ask, and ways into the collection.
func (x *explorer) collection(c *collection, r *http.Request) (*view, error) {
	health, well := x.health(r.Context())
	what := map[string]string{service.Fingerprints: "A fingerprint, in hexadecimal digits",
		service.Sets: "A set, an item on each line"}[c.holds()]
	pictures, one := c.info.Pictures != 0, "text"
	if pictures {
		what, one = "Or paste the fingerprint of a picture, in hexadecimal digits", "picture"
	}
	drop := report.If(c.holds() == service.Texts || pictures, report.H(`<div class="drop" id="drop"><p class="big">%s
here</p>
<p class="notes">a file, a folder or a .zip, up to %s and %s, each of %s at most</p>
<p class="pick"><label for="files">Files</label> <input type="file" id="files" name="file" multiple%s></p>
<p class="pick"><label for="folder">A folder</label> <input type="file" id="folder" name="file" multiple
webkitdirectory></p></div>
`, report.Either(pictures, "or drop files", "Drop pictures"), terminal.Bytes(x.o.Upload), terminal.Plural(x.o.Texts, one), terminal.Bytes(fileBytes),
		report.If(pictures, ` accept="image/*,.zip"`)))
	paste := report.H(`<div class="paste"><label for="text">%s</label>
<textarea id="text" name="text" rows="%s" spellcheck="false" dir="auto"></textarea></div>
`, cmp.Or(what, "Paste a text"), report.Either(pictures, "9", "2"))
	if pictures {
		paste, drop = drop, paste
	}
	body := report.P("notes", "%s, %s: %s.%s", terminal.Plural(c.info.Documents, "document"),
		terminal.Bytes(int64(c.info.Bytes)), kindOf(c.info), report.If(c.o.Bad > 0, report.H(" <strong>%s bad and left out</strong>, as the server has told.", terminal.Plural(c.o.Bad, "more document")+report.Verb(c.o.Bad, " was", " were")))) +
		report.If(!well, health) +
		report.H(`<form class="ask" method="post" action="%s" enctype="multipart/form-data" id="ask">
%s%s<p class="go"><button type="submit">Find what is near</button> <span role="status" id="status"></span></p>
</form>
`, at(c.name, "near"), paste, drop) +
		report.H(`<section aria-labelledby="ways-h">
<h2 id="ways-h">Look into the collection</h2>
<ul class="ways">%s<li><a href="%s"><strong>Groups</strong> <span>Documents that are nearly the same, the nearest copies
first</span></a></li><li><a href="%s"><strong>Documents</strong> <span>All of them, and what is near
each</span></a></li></ul>
</section>
`, report.If(c.findsPassages(), report.H(`<li><a href="%s"><strong>Shared passages</strong> <span>Paragraphs that two
documents have in common, some words changed</span></a></li>`,
			at(c.name, "passages"))), at(c.name, "groups"), at(c.name, "documents")) + report.If(well, health)
	return c.view("search", x.title(c.name), body), nil
}
