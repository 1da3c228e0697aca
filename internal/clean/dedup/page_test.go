package dedup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"simsearch/internal/clean/run"
	"simsearch/internal/clean/warnings"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/tests/testkit"
)

// reportOf returns a report with name in each of its strings.
func reportOf(name string) *Report {
	return &Report{
		V: 1, Command: "simsearch dedup --out kept " + name, Settings: []report.Fact{{Name: "set", Value: "word:3 " + name}}, Threshold: 0.7,
		Documents: 100, Kept: 60, Removed: 40, Exact: 30, Near: 10, Bad: 1, Empty: 2, Bytes: 123456, KeptBytes: 65432, Seconds: 1.5,
		Sources:   []warnings.Source{{Path: name, Documents: 20, Removed: 19, Exact: 15, Near: 4, Bad: 1}, {Path: "other", Documents: 80, Removed: 21, Exact: 15, Near: 6}},
		Groups:    12,
		Sizes:     []report.Size{{Size: 2, Groups: 6}, {Size: 3, Groups: 4}, {Size: 13, Groups: 2}},
		Histogram: []report.Bin{{From: 0.6, To: 0.7, Documents: 1}, {From: 0.7, To: 0.8, Documents: 4}, {From: 0.8, To: 0.9, Documents: 5}, {From: 0.9, To: 1, Documents: 10}, {From: 1, To: 1, Documents: 20}},

		Largest: []Group{{Kept: name, Size: 13, Similarity: 0.65, IDs: []string{name, "b"}, More: 10}, {Kept: "c", Size: 3, Similarity: 0.8, IDs: []string{"d", "e"}}},
		Borderline: []Pair{
			{ID: name, Kept: "k" + name, Similarity: 0.701, A: "The gate opens at nine and closes " + name, B: "The gate opens at ten and closes " + name},
			{ID: "x", Kept: "y", Similarity: 0.71, A: "one two three", B: "one two four", Cut: true},
		},
		LargestGroup: 13,
		Files:        Files{Input: 3, Kept: 2, LeftOut: 1, Named: []run.LeftOut{{Source: "left out " + name, Reason: "no " + name}}},
		Warnings:     []string{"Look at " + name},
	}
}

// hostileNames try to become markup, scripts or requests.
var hostileNames = []string{
	"<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</title><script>", "</style><style>*{display:none}", "<!-- ", "-->", "]]>", "<svg onload=alert(1)>",
	`" onload="alert(1)`, "' x='", "`x`", "javascript:alert(1)", "https://evil.example/?a=b", "&lt;script&gt;", "&#96;", "{{.}}", "${x}", "</pre></details></main>", "<base href=//evil.example>", "<meta http-equiv=refresh content=0>",
	"\x1B[2J", "\u202Eabc", "\x00", "\xff\xfe", "a\u2028b", "\uFFFD41", "\r", "\t",
}

// A written is a report or the like.
type written interface {
	WriteHTML(io.Writer) error
}

func pageOf(t *testing.T, w written) string {
	t.Helper()
	var b bytes.Buffer
	if err := w.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hostilePages checks that the page with a hostile name has the elements that it has with a plain name, and nothing
// that acts on a screen.
func hostilePages[W written](t *testing.T, of func(name string) W) {
	t.Helper()
	want := testkit.Elements(pageOf(t, of("plain")))
	if len(want) < 300 {
		t.Fatalf("only %d elements", len(want))
	}
	for _, name := range hostileNames {
		page := pageOf(t, of(name))
		if got := testkit.Elements(page); !slices.Equal(got, want) {
			t.Errorf("%q changes the elements of the page", name)
		}
		if plain := strings.NewReplacer("\n", " ", "\t", " ").Replace(page); terminal.Harmless(plain) != plain {
			t.Errorf("%q is on the page with a control character", name)
		}
	}
}

// hostileJSON checks that the JSON has all strings, and is JSON whatever they are. W is a pointer to a V.
func hostileJSON[V any, W interface {
	*V
	written
}](t *testing.T, of func(name string) W) {
	t.Helper()
	for _, name := range append(hostileNames, "plain") {
		var b bytes.Buffer
		w := of(name)
		if err := run.WriteJSON(&b, w); err != nil {
			t.Fatal(err)
		}
		var got V
		d := json.NewDecoder(&b)
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		original := report.Filled(got, func(s string) string { return string(terminal.String.AppendID(nil, []byte(s))) })
		if want := report.Filled(*w, strings.Clone); fmt.Sprintf("%+v", original) != fmt.Sprintf("%+v", want) {
			t.Errorf("%q is read as\n%+v\nwant\n%+v", name, original, want)
		}
	}
}

func TestReportsOfHostileNames(t *testing.T) {
	hostilePages(t, reportOf)
	hostileJSON(t, reportOf)
}

func TestCutsOfHostileNames(t *testing.T) {
	hostilePages(t, cutsOf)
	hostileJSON(t, cutsOf)
}

func TestWriteErrors(t *testing.T) {
	for _, w := range []written{reportOf("x"), cutsOf("x")} {
		if err := w.WriteHTML(failing{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("HTML: %v", err)
		}
		if err := run.WriteJSON(failing{}, w); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("JSON: %v", err)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// sentences returns the texts of a page, joined by spaces.
func sentences(page string) string {
	var b strings.Builder
	skip := false
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.StartTagToken:
			name, _ := z.TagName()
			skip = string(name) == "style" || string(name) == "script"
		case html.EndTagToken:
			skip = false
		case html.TextToken:
			if !skip {
				b.Write(z.Text())
				b.WriteByte(' ')
			}
		}
	}
}

func TestWhatThePageSays(t *testing.T) {
	usual := reportOf("docs.jsonl")
	none := &Report{V: 1, Threshold: 0.7, Documents: 1234, Kept: 1234}
	none.Sources = []warnings.Source{{Path: "a", Documents: 1234}}
	noSources := reportOf("x")
	noSources.Sources = nil
	everything := &Report{V: 1, Threshold: 1, Documents: 5, Removed: 4, Exact: 4, Kept: 1, Groups: 1, LargestGroup: 5, Sizes: []report.Size{{Size: 5, Groups: 1}}, Histogram: []report.Bin{{From: 1, To: 1, Documents: 4}}, Largest: []Group{{Kept: "a", Size: 5, Similarity: 1, IDs: []string{"b", "c", "d", "e"}}}}
	for _, test := range []struct {
		name      string
		r         *Report
		want, not []string
	}{
		{"usual", usual, []string{
			"40 of 100 documents removed", "What is kept is 60 documents, 65.4 kB of 123 kB.", "40.0 % of 100", "30 exact copies", "10 near copies", "1 document could not be read, and stays as it is.",
			"2 documents have nothing to compare, and are kept.", "It took 1.5 seconds.", "Warning: Look at docs.jsonl", "⚠ 95.0 % 19 of 20",
			"threshold 0.70", "1 document is less similar to the one kept than 0.70.", "0.90 to 1.00 10 1.00 20", "There are 12 groups", "The largest has 13 documents.", "10 to 49 2 24", "These are the 2 largest of 12 groups; clusters.jsonl has all.",
			"and 10 more", "they differ in a number: nine / ten", "The gate opens at nine and closes docs.jsonl", "pair 1 of 2", "The texts are cut here.", "simsearch dedup --out kept docs.jsonl",
		}, nil},
		{"nothing removed", none, []string{"None of 1,234 documents removed", "all of them are kept", "0 % of 1,234", "nothing is removed", "There are no groups", "There are none."}, []string{"Warning", "NaN", "kept of", "took"}},
		{"no documents", &Report{V: 1}, []string{"There were no documents", "Sources There are none."}, []string{"NaN", "Inf", "Warning", "The command"}},
		{"no sources", noSources, []string{"40 of 100 documents removed", "Sources There are none."}, []string{"What was removed of each source"}},
		{"all but one removed", everything, []string{"4 of 5 documents removed", "There is 1 group of documents", "5 to 9 1 4"}, []string{"NaN", "less similar", "These are the", "0 B", "are below"}},
	} {
		text := html.UnescapeString(sentences(pageOf(t, test.r)))
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", test.name, want, text)
			}
		}
		for _, not := range test.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q in\n%s", test.name, not, text)
			}
		}
	}
}

// largeReport returns a report with more of everything than the page shows.
func largeReport() *Report {
	const many = 1_000_000_000
	r := &Report{
		V: 1, Command: strings.Repeat("x", 100_000), Threshold: 1, Documents: many, Kept: 1, Removed: many - 1, Exact: 1, Near: many - 2, Bad: many, Empty: 1,
		Bytes: 1 << 62, KeptBytes: 1, Seconds: 1e9, Groups: many, LargestGroup: many, Sizes: []report.Size{{Size: many, Groups: many}}, Histogram: []report.Bin{{From: 0, To: 1, Documents: many}},
	}
	for i := range 100_000 {
		r.Sources = append(r.Sources, warnings.Source{Path: fmt.Sprintf("%06d/%s", i, strings.Repeat("path", 50)), Documents: 1000, Removed: i % 1001})
	}
	for i := range 100_000 {
		r.Sizes = append(r.Sizes, report.Size{Size: i, Groups: many})
	}
	for i := range 1000 {
		from, to := 1+float64(i)/1e6, 1+float64(i+1)/1e6
		r.Histogram = append(r.Histogram, report.Bin{From: from, To: to, Documents: many})
		r.Largest = append(r.Largest, Group{Kept: strings.Repeat("id", 500), Size: many, IDs: slices.Repeat([]string{strings.Repeat("long", 500)}, 20), More: many - 21})
		r.Borderline = append(r.Borderline, Pair{ID: "a", Kept: "b", Similarity: 1, A: "x", B: "y"})
	}
	r.Borderline[0].A, r.Borderline[0].B = strings.Repeat("word ", 1<<20), strings.Repeat("x", 5<<20)
	r.Borderline[1].A, r.Borderline[1].B = strings.Repeat("é", 1<<20), strings.Repeat("é\n", 1<<20)
	return r
}

// A page of very much is not long to write and to read, and says what it leaves out.
func TestLargeReport(t *testing.T) {
	testkit.Long(t, "a large report")
	r := largeReport()
	start := time.Now()
	page := pageOf(t, r)
	took := time.Since(start)
	t.Logf("%d bytes in %v", len(page), took)
	if len(page) > 12<<20 || took > 30*time.Second && !testkit.Race {
		t.Errorf("the page has %d bytes and takes %v", len(page), took)
	}
	text := html.UnescapeString(sentences(page))
	for _, want := range []string{
		"999,999,999 of 1,000,000,000 documents removed", "> 99.9 %", "277777.8 hours",
		"These are the first 100 of 100,000; report.json has all.", "90 more groups", "These are the 100 largest of 1,000,000,000 groups; clusters.jsonl has all.",
		"These are the first 100 of 1,000 pairs; report.json has all.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	if n := strings.Count(page, `class="pair"`); n != mostRows {
		t.Errorf("%d pairs are shown", n)
	}
	if n := len(regexp.MustCompile(`<th scope="row" class="id">`).FindAllString(page, -1)); n != 2*mostRows {
		t.Errorf("%d sources and groups are shown", n)
	}
	var b bytes.Buffer
	if err := run.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		n, all int
		want   string
	}{{0, 0, "0 %"}, {0, 9, "0 %"}, {1, 100_000, "< 0.1 %"}, {1, 3, "33.3 %"}, {99_999, 100_000, "> 99.9 %"}, {5, 5, "100 %"}} {
		if got := strings.ReplaceAll(report.Percent(test.n, test.all), "\u00a0", " "); got != test.want {
			t.Errorf("percent(%d, %d) = %s, want %s", test.n, test.all, got, test.want)
		}
	}
	for x, want := range map[float64]string{0: "0.00", 0.7: "0.70", 0.725: "0.725", 1: "1.00"} {
		if got := report.Threshold(x); got != want {
			t.Errorf("threshold(%v) = %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0.04: "0.0 seconds", 9.9: "9.9 seconds", 83: "83 seconds", 600: "10 minutes", 9000: "2.5 hours"} {
		if got := duration(x); got != want {
			t.Errorf("duration(%v) = %s, want %s", x, got, want)
		}
	}
}
