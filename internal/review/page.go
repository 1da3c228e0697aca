package review

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// A Sample is what a person is asked about.
type Sample struct {
	Population
	Command string // that writes the page, such as "simsearch dedup"
	A, B    string // what the two documents of a pair are called; "" stands for removed and kept
	Pairs   []Pair
}

// A Pair is two documents of the sample. Its texts may be cut.
type Pair struct {
	Stratum            int
	ID, Kept           string
	Similarity         float64
	Distance           *int     // in bits, if that is what makes documents near
	Differs            []string // facts in which the whole texts differ
	A, B               string   `text:"lines"` // the texts of ID and Kept
	Cut                bool     // there is more of one of the texts at least
	PictureA, PictureB []byte   // small copies of pictures as JPEGs, or nil
}

var (
	//go:embed page.html.tmpl
	pageSource string
	//go:embed page.js
	pageScript string
	// MarksScript is the part of the script that takes marks of report.Pairs that are asked about, keeps them, and saves files.
	//go:embed marks.js
	MarksScript string
)

var pages = report.Templates(pageSource, template.FuncMap{"similarities": Stratum.name})

// Key identifies the sample: a page keeps the marks of each apart.
func (s *Sample) Key() string {
	h := murmur3.New64()
	fmt.Fprintf(h, "%+v", s.Population)
	for _, p := range s.Pairs {
		fmt.Fprintf(h, "%q %q ", p.ID, p.Kept)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// JSON returns the population as JSON, for the script of the page.
func (s *Sample) JSON() (string, error) {
	data, err := json.Marshal(&s.Population)
	return string(data), err
}

// WriteHTML writes the page. It needs no other file and no network, keeps marks in the browser, and saves them in a file that
// ReadMarks reads. What ids and texts have of markup and control characters is shown and has no effect. The error is that of w.
func (s *Sample) WriteHTML(w io.Writer) error {
	s = report.Harmless(s)
	return pages().ExecuteTemplate(w, "review", &report.Page{
		Command: s.Command, Title: fmt.Sprintf("Are these %s right?", s.What), Pictures: s.hasPictures(), Script: true, More: MarksScript + pageScript, Of: s,
	})
}

func (s *Sample) hasPictures() bool {
	for _, p := range s.Pairs {
		if p.PictureA != nil {
			return true
		}
	}
	return false
}

// All returns how many pairs there are.
func (s *Sample) All() int {
	n := s.Same
	for _, stratum := range s.Strata {
		n += stratum.Pairs
	}
	return n
}

// Compared returns the pairs with their differences.
func (s *Sample) Compared() report.Pairs {
	var pairs report.Pairs
	for _, p := range s.Pairs {
		near := terminal.Similarity(p.Similarity)
		if p.Distance != nil {
			near = terminal.Plural(*p.Distance, "bit")
		}
		pair := &report.Pair{ID: p.ID, Kept: p.Kept, Nearness: near, A: p.A, B: p.B, Cut: p.Cut, Differs: p.Differs, Asked: true,
			Stratum: p.Stratum, LabelA: s.A, LabelB: s.B}
		if urls := report.Pictures(p.PictureA, p.PictureB); len(urls) == 2 {
			pair.PictureA, pair.PictureB = urls[0], urls[1]
		}
		pairs = append(pairs, pair)
	}
	return pairs.Compared()
}
