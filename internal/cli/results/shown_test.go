package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
)

// texts are those of documents 0, 1, … An error stands for a text that cannot be had.
type texts []any

func (x texts) Text(doc uint32) (string, error) {
	switch text := x[doc].(type) {
	case string:
		return text, nil
	case error:
		return "", text
	}
	panic("neither a text nor an error")
}

func (x texts) Close() error { return nil }

var shownTexts = texts{
	"The mill\n\nIt has 2 stones and stands at the river.",
	"The mill\n\nIt has 3 stones and stands at the river.",
	"Another mill\n\nIt has 2 stones and stands at the river.",
	errors.New("news/3.txt has changed since it was indexed"),
	errors.New("news/4.txt is gone"),
	fmt.Errorf("text of 5: %w", index.ErrCorrupt),
}

func TestShownPairs(t *testing.T) {
	for _, test := range []struct {
		a, b uint32
		want string // lines
		json string
	}{
		{0, 1, "The mill|The mill It has [-2-] {+3+} stones and stands at the river.|they differ in a number: 2 / 3|",
			`"a_title":"The mill","b_title":"The mill","differences":[{"before":"The mill It has","a":"2","b":"3","after":"stones and stands at the river."}],"verdict":"form","differs":["numbers"],"remarks":["they differ in a number: 2 / 3"]`},
		{0, 0, "The mill|the texts are equal|", `"a_title":"The mill","b_title":"The mill","differences":[],"verdict":"same","remarks":["the texts are equal"]`},
		{0, 2, "- The mill|+ Another mill|[-The-] {+Another+} mill It has 2 stones and stands at the …|",
			`"a_title":"The mill","b_title":"Another mill","differences":[{"before":"","a":"The","b":"Another","after":"mill It has 2 stones and stands at the …"}],"verdict":"form","differs":["words"]`},
		{0, 3, "- The mill|not shown: news/3.txt has changed since it was indexed|",
			`"a_title":"The mill","b_title":"","show_error":"news/3.txt has changed since it was indexed"`},
		{4, 3, "not shown: news/4.txt is gone; news/3.txt has changed since it was indexed|",
			`"a_title":"","b_title":"","show_error":"news/4.txt is gone; news/3.txt has changed since it was indexed"`},
	} {
		s := &Shower{Texts: shownTexts, Limit: 5}
		shown, err := s.Pair(test.a, test.b)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Lines(shown), "|"); got != test.want {
			t.Errorf("%d and %d: %q, want %q", test.a, test.b, got, test.want)
		}
		for _, asJSON := range []bool{false, true} {
			var out bytes.Buffer
			w := bufio.NewWriter(&out)
			if err := s.Print(terminal.NewRows(w, false, 0, asJSON), []terminal.Column{col("a", terminal.ID("x"))}, shown, "a_title", "b_title"); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			want := "x\n" + strings.ReplaceAll(test.want, "|", "\n") + "\n"
			if asJSON {
				want = `{"v":1,"a":"x",` + test.json + "}\n"
			}
			if out.String() != want {
				t.Errorf("%d and %d, JSON %v:\n%swant\n%s", test.a, test.b, asJSON, out.String(), want)
			}
		}
	}
}

// Damage of the index stops a command, whichever text it concerns.
func TestDamageIsNotShown(t *testing.T) {
	s := &Shower{Texts: shownTexts, Limit: 5}
	for _, pair := range [][2]uint32{{0, 5}, {5, 0}, {5, 3}} {
		if _, err := s.Pair(pair[0], pair[1]); !errors.Is(err, index.ErrCorrupt) {
			t.Errorf("%v: %v", pair, err)
		}
	}
	if _, err := s.Match("query", 5); !errors.Is(err, index.ErrCorrupt) {
		t.Error(err)
	}
	if _, err := s.Document(5); !errors.Is(err, index.ErrCorrupt) {
		t.Error(err)
	}
}

// A match is compared with the text of the query, and a document alone has a title.
func TestShownMatches(t *testing.T) {
	s := &Shower{Texts: shownTexts, Limit: 5, Style: explain.Style{Indent: " "}}
	match, err := s.Match("The mill\n\nIt has no stones and stands at the river.", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{" The mill", " The mill It has [-no-] {+2+} stones and stands at the river.", " they differ in a number: 2, and in a negation: no", ""}
	if got := s.Lines(match); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for doc, want := range map[uint32][]string{0: {" The mill", ""}, 4: {" not shown: news/4.txt is gone", ""}} {
		alone, err := s.Document(doc)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Lines(alone); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if columns := alone.Columns("query_title", "title"); columns[0].Key != "title" {
			t.Errorf("%v", columns)
		}
	}
}
