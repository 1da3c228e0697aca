package corpus

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A function of a source is a document, whose id has its lines, and the column where another one begins in its line.
func TestCode(t *testing.T) {
	body := strings.Repeat("a(); ", 15)
	files(t, map[string]string{
		"d/a.go":        "\ufeffpackage a\r\n\r\nfunc f() {\r\n" + body + "\r\n}\r\n\nfunc g() { h() }\nfunc (x) h() { " + body + "}; func i() { " + body + "}\n",
		"d/b.min.js.gz": gzipped("function f(){" + body + "}function g(){" + body + "}"),
		"d/README":      body, "d/c.bin": "\x00", "d/empty.py": "",
	})
	for tokens, want := range map[int]string{0: "", 9: "d/a.go:7-7 ", 1000: "none"} {
		r, err := Open([]string{"d"}, Options{Format: Code, Tokens: tokens})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for doc, err := range r.Documents() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %.6s", doc.ID, doc.Text))
			if at := r.Extent(); at.Start != doc.Origin.Offset || at.End != at.Start+int64(len(doc.Text)) || !strings.Contains(string(doc.ID), fmt.Sprintf(":%d", doc.Line)) {
				t.Errorf("%s: extent %v, origin %v, line %d", doc.ID, at, doc.Origin, doc.Line)
			}
		}
		all := []string{"d/a.go:3-5 func f", "d/a.go:8-8 func (", "d/a.go:8:94-8 func i", "d/b.min.js.gz:1-1 functi", "d/b.min.js.gz:1:90-1 functi"}
		switch want {
		case "none":
			all = nil
		case "":
		default:
			all = slices.Insert(all, 1, want+"func g")
		}
		if !slices.Equal(got, all) {
			t.Errorf("%d tokens: %q, want %q", tokens, got, all)
		}
		if leftOut(r, IsNoText) != 2 {
			t.Errorf("%d files are no sources, want 2: %v", leftOut(r, IsNoText), r.LeftOut())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	r, err := Open([]string{"d/README"}, Options{Format: Code})
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, r); len(got) != 1 || !strings.Contains(got[0], "no language") {
		t.Errorf("%q", got)
	}
}

// The text of a notebook is the code of its cells. A file that is none is a text, and no notebook has functions with
// places of their own.
func TestNotebook(t *testing.T) {
	files(t, map[string]string{
		"a.ipynb": `{"cells":[{"cell_type":"code","source":["x = 1\n","y"],"outputs":[{"text":["z"]}]},{"cell_type":"markdown","source":"m"},{"cell_type":"code","source":"π"},{"cell_type":"code"},{"cell_type":"code","source":[1]}]}`,
		"b.ipynb": `{"cells":3}`, "c.ipynb": "x = 1", "d.ipynb": `{"cells":[]}`, "e.ipynb": `{"cells":[null,{"cell_type":"code","source":{"a":[]}}]}`,
	})
	r, err := Open([]string{"."}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.ipynb=x = 1\ny\nπ\n\n", `b.ipynb={"cells":3}`, "c.ipynb=x = 1", "d.ipynb=", "e.ipynb=\n"}
	if got := readAll(t, r); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	checkReread(t, readOrigins(t, []string{"."}, Options{}), Options{})
	if r, err = Open([]string{"."}, Options{Format: Code}); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, r); len(got) > 0 || leftOut(r, IsNoText) != 5 {
		t.Errorf("%q", got)
	}
}

// leftOut returns how many files are left out, and not reported, for some reason.
func leftOut(r *Reader, is func(error) bool) (n int) {
	for _, l := range r.leftOut {
		if !l.Reported && is(l.Why) {
			n++
		}
	}
	return n
}

func isPicture(why error) bool { return errors.Is(why, ErrPicture) }
