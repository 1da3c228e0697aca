// Package explorer is the page of a server: a person pastes a text or drops files and sees what is near them and which passages they
// share, looks through groups of near documents, and marks pairs. It is plain HTML, which works without its script.
//
// What a person asks stands in the address of a page. A text that is too long for it is kept in memory for a while, under a name that
// nobody can guess. Nothing is written.
package explorer

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"simsearch/internal/report"
	"simsearch/internal/review"
	"simsearch/internal/service"
	"simsearch/internal/terminal"
)

// A Service is what the page asks. It is what *service.Service has.
type Service interface {
	service.API
	Browse(ctx context.Context, name string, r *service.BrowseRequest) (*service.BrowsePage, error)
}

// Options bound what one page may ask. The zero value is good.
type Options struct {
	Upload   int64 // bytes of a form; 0 is 32 MB
	Unpacked int64 // bytes of the texts of a form, out of .zip files too; 0 is Unpacked
	Texts    int   // texts of a form; 0 is 1,000
	Kept     int64 // bytes of texts that are kept for a while; 0 is Kept
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
	//go:embed page.html.tmpl
	pageSource string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

var pages = report.Templates(pageSource, template.FuncMap{
	"bytes": func(n uint64) string { return terminal.Bytes(int64(n)) },
	"width": func(x float64) float64 { return 100 * x },
})

// An explorer answers requests of browsers.
type explorer struct {
	svc  Service
	o    Options
	kept *memory
	// large is full when so many forms are read, and pages with texts are made, that no other one may be, since each takes memory: a
	// page many times as much as its texts, of which it has some megabytes at most.
	large chan struct{}
}

const largeAtOnce = 2

// patience is how long a request waits for others that take much memory. It takes the place of other requests meanwhile.
const patience = time.Second

// withTexts are the pages that show texts.
var withTexts = map[string]bool{"GET /c/{name}/near": true, "GET /c/{name}/asked/{key}": true, "GET /c/{name}/passages": true, "GET /c/{name}/group": true}

// enter waits until one more request may take much memory, which ends with leave.
func (x *explorer) enter(ctx context.Context) error {
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

// New returns the handler of the page: of "/" and of all below "/c/".
func New(svc Service, o Options) http.Handler {
	o = o.defaults()
	x := &explorer{svc, o, newMemory(o.Kept), make(chan struct{}, largeAtOnce)}
	mux := http.NewServeMux()
	for route, show := range map[string]func(r *http.Request) (*view, error){
		"GET /{$}":                  x.start,
		"GET /c/{name}/{$}":         x.collection,
		"GET /c/{name}/near":        x.near,
		"GET /c/{name}/asked/{key}": x.asked,
		"GET /c/{name}/documents":   x.documents,
		"GET /c/{name}/passages":    x.passages,
		"GET /c/{name}/groups":      x.groups,
		"GET /c/{name}/group":       x.group,
		"GET /": func(*http.Request) (*view, error) {
			return nil, service.Errorf(service.NotFound, "", "There is no such page.")
		},
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			if withTexts[route] {
				if err := x.enter(r.Context()); err != nil {
					x.answer(w, r, nil, err)
					return
				}
				defer x.leave()
			}
			v, err := show(r)
			x.answer(w, r, v, err)
		})
	}
	mux.HandleFunc("POST /c/{name}/near", x.ask)
	return mux
}

// A view is what a page shows.
type view struct {
	kind    string // of its template
	title   string
	to      string // where the browser goes instead
	Name    string // of the collection, or ""
	Nav     []navLink
	Served  bool // the page is not one that was saved
	Address string
	Body    any
}

// A navLink leads to another view of the collection. Here says that it is this one.
type navLink struct {
	Name, URL string
	Here      bool
}

// view returns a view of the collection.
func (c *collection) view(kind, title string, body any) *view {
	v := &view{kind: kind, title: title, Name: c.name, Body: body}
	for _, l := range [][3]string{
		{"Search", "", "search answers files"}, {"Groups", "groups", "groups group"}, {"Shared passages", "passages", "passages"},
		{"Documents", "documents", "documents"},
	} {
		if here := slices.Contains(strings.Fields(l[2]), kind); here || l[1] != "passages" || c.findsPassages() {
			v.Nav = append(v.Nav, navLink{l[0], at(c.name, l[1]), here})
		}
	}
	return v
}

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

// links matches the addresses of other pages. Texts cannot have it, since their quotes are escaped.
var links = regexp.MustCompile(` href="/[^"]*"`)

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
	saved := r.Method == http.MethodGet && r.URL.Query().Has("save") && err == nil
	v.Served = !saved
	query := r.URL.Query()
	query.Set("save", "1")
	v.Address = r.URL.EscapedPath() + "?" + query.Encode()
	page := &report.Templated{Page: report.Page{Command: "simsearch", Title: terminal.Harmless(v.title), Style: pageStyle, Script: true, More: review.MarksScript + pageScript,
		Served: v.Served}}
	if saved {
		page.Foot = "Saved " + time.Now().UTC().Format("2006-01-02 15:04 MST") + " from the collection " + terminal.Harmless(v.Name) + "."
	}
	shown := *v
	shown.Body = report.Harmless(v.Body)
	page.Of = &shown
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, "page-"+v.kind, page); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", page.Policy()+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	body := b.Bytes()
	if saved {
		body = links.ReplaceAll(body, nil)
		h.Set("Content-Disposition", `attachment; filename="simsearch-`+fileName(v.Name+"-"+v.kind)+`.html"`)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // who has gone away gets nothing
}

// fileName returns a name with nothing but letters, digits and dashes of ASCII.
func fileName(name string) string {
	name = regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(name, "-")
	return strings.Trim(name[:min(len(name), 80)], "-")
}

// A failed request has a message, and a way on.
type failed struct {
	Message, Back, BackName string
}

// failure returns the view of an error, and its status.
func (x *explorer) failure(r *http.Request, err error) (*view, int) {
	var e *service.Error
	if !errors.As(err, &e) {
		e = service.Errorf(service.Internal, "", "%v", err)
	}
	status := service.Status(e)
	title := "That did not work"
	if status == http.StatusNotFound {
		title = "Not found"
	}
	body := failed{Message: sentence(e.Message), Back: "/", BackName: "Back to the start"}
	v := &view{kind: "error", title: title, Body: body}
	if c, err := x.of(r); c.name != "" && err == nil {
		body.Back, body.BackName = at(c.name, ""), "Back to the collection"
		v = c.view("error", title, body)
	}
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

// A home is the start page.
type home struct {
	Collections []homeRow
	Documents   int
	Trouble     string // of a query of each collection; "" if all is well
}

type homeRow struct {
	service.Info
	URL, Kind string
}

// start shows the collections. A single one is shown itself.
func (x *explorer) start(r *http.Request) (*view, error) {
	all, err := x.svc.List(r.Context())
	if err != nil {
		return nil, err
	}
	if len(all) == 1 && !r.URL.Query().Has("all") {
		return &view{to: at(all[0].Name, "")}, nil
	}
	h := home{}
	for _, c := range all {
		h.Collections = append(h.Collections, homeRow{c, at(c.Name, ""), kindOf(c)})
		h.Documents += c.Documents
	}
	h.Trouble = x.health(r.Context())
	return &view{kind: "start", title: terminal.Plural(len(all), "collection"), Body: h}, nil
}

func (x *explorer) health(ctx context.Context) string {
	if err := x.svc.Health(ctx); err != nil {
		return sentence(err.Error())
	}
	return ""
}

// kindOf says in a few words what a collection holds, and what is near in it.
func kindOf(c service.Info) string {
	s := c.Settings
	kind := cmp.Or(s.Holds, "texts")
	switch {
	case s.Holds == "fingerprints" || s.Jaccard == 0 && s.K > 0:
		kind += ", near within " + terminal.Plural(s.K, "bit")
	case s.Jaccard > 0:
		kind += fmt.Sprintf(", near from a similarity of %v", s.Jaccard)
	}
	if s.Passages {
		kind += ", with passages"
	}
	return kind
}

// A searchPage is what a collection is asked on.
type searchPage struct {
	service.Info
	Kind                        string
	Holds                       string
	Trouble                     string
	Groups, Passages, Documents string // addresses; that of passages is "" if the collection finds none
	Ask                         string
	MostBytes                   uint64
	MostTexts                   int
}

// collection shows where to ask, and ways into the collection.
func (x *explorer) collection(r *http.Request) (*view, error) {
	c, err := x.of(r)
	if err != nil {
		return nil, err
	}
	p := searchPage{Info: c.info, Kind: kindOf(c.info), Holds: c.holds(), Trouble: x.health(r.Context()),
		Groups: at(c.name, "groups"), Documents: at(c.name, "documents"), Ask: at(c.name, "near"), MostBytes: uint64(x.o.Upload), MostTexts: x.o.Texts}
	if c.findsPassages() {
		p.Passages = at(c.name, "passages")
	}
	return c.view("search", c.name, p), nil
}
