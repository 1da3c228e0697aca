package dedup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"simsearch/internal/quality/report"
	"simsearch/internal/tests/testkit"
)

// cutsOf returns a report with name in each of its strings.
func cutsOf(name string) *Cuts {
	c := &Cuts{
		V: 1, Command: "simsearch dedup --by line " + name, Settings: []report.Fact{{Name: "by", Value: "line " + name}}, By: "line", Threshold: 0.8,
		Documents: 100, Changed: 30, Removed: 2, Bad: 1, Parts: 2000, Short: 500, Exact: 300, Near: 40, Bytes: 123456, CutBytes: 23456,
		Sources:  []cutSource{{Path: name, Documents: 20, Changed: 19, Removed: 1, Parts: 100, Exact: 95, Near: 4, CutBytes: 20000}, {Path: "other", Documents: 80, Parts: 1900, Exact: 205, Near: 36, CutBytes: 3456}},
		Warnings: []string{"Look at " + name},
		Borderline: []Pair{
			{ID: name, Kept: "k" + name, Similarity: 0.801, A: "The gate opens at nine and closes " + name, B: "The gate opens at ten and closes " + name},
			{ID: "x", Kept: "y", Similarity: 0.81, A: "one two three", B: "one two four", Cut: true},
		},
	}
	for i := range 25 {
		c.Repeated = append(c.Repeated, Repeated{Times: 30 - i, ID: name, Part: i + 1, Text: "All rights reserved\n\tby " + name, Cut: i == 3})
	}
	return c
}

func TestWhatThePageSaysOfCuts(t *testing.T) {
	exact := cutsOf("a")
	exact.Threshold = 1
	for _, test := range []struct {
		name      string
		c         *Cuts
		want, not []string
	}{
		{"usual", cutsOf("docs.jsonl"), []string{
			"340 of 2,000 lines cut", "at a similarity of 0.80 or more", "This takes 23.5 kB out of 123 kB. 30 documents are changed, and 2 are removed, since nothing of them is left.", "17.0 % of 2,000",
			"300 occur again", "40 near", "500 lines are too short to be cut.", "1 document could not be read, and stays as it is.", "The most repeated lines", "30 All rights reserved by docs.jsonl docs.jsonl, line 1",
			"5 more", "99.0 % 99 of 100 20.0 kB 95 4 1", "If they do not say the same, raise the threshold.", "they differ in a number: nine / ten", "pair 1 of 2", "simsearch dedup --by line docs.jsonl",
		}, []string{"NaN", "For all others together"}},
		{"exact", exact, []string{"The first occurrence of each line stays, and the others are cut."}, []string{"similarity of"}},
		{"nothing cut", &Cuts{V: 1, By: "paragraph", Threshold: 0.8, Documents: 5, Parts: 7}, []string{"None of 7 paragraphs cut", "No paragraph that is long enough occurs again.", "There are none."}, []string{"NaN", "Warning"}},
		{"no parts", &Cuts{V: 1, By: "paragraph"}, []string{"There were no paragraphs", "Sources There are none."}, []string{"NaN"}},
		{"others", &Cuts{V: 1, By: "line", Parts: 70, Exact: 20, Repeated: []Repeated{{Times: 3, ID: "a", Part: 1, Text: "x"}}}, []string{"For all others together, 17 lines were cut; cut.jsonl has each."}, nil},
	} {
		text := html.UnescapeString(sentences(pageOf(t, test.c)))
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

// A page of very much is not long to write and to read, and says what it leaves out.
func TestLargeCuts(t *testing.T) {
	testkit.Long(t, "a large report")
	c := cutsOf("x")
	for i := range 100_000 {
		c.Sources = append(c.Sources, cutSource{Path: fmt.Sprintf("%06d/%s", i, strings.Repeat("path", 50)), Documents: 1000, Parts: 1000, Exact: i % 1001})
		c.Repeated = append(c.Repeated, Repeated{Times: 1, ID: "a", Part: i, Text: strings.Repeat("text ", 100)})
	}
	start := time.Now()
	page := pageOf(t, c)
	if took := time.Since(start); len(page) > 2<<20 || took > 20*time.Second && !testkit.Race {
		t.Errorf("the page has %d bytes and takes %v", len(page), took)
	}
	if !strings.Contains(page, "These are the first 100 of 100,002; report.json has all.") {
		t.Error("the page does not say that it leaves out sources")
	}
}

// A real browser shows the page, wide and narrow, light and dark, and does nothing that a text says.
func TestCutsInABrowser(t *testing.T) {
	long := strings.Repeat("averylongwordwithoutanyspace", 12)
	c := cutsOf(`</script></style><script>document.title="run"</script><img src="x" onerror="document.title='run'"> "&' ` + long)
	c.Borderline = append(c.Borderline, Pair{ID: long, Kept: long, A: long, B: long + "y"})
	source := pageOf(t, c)
	dir := t.TempDir()
	page := filepath.Join(dir, "report.html")
	if err := os.WriteFile(page, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if dom := testkit.Browse(t, page, "--dump-dom"); !strings.Contains(dom, "<title>340 of 2,000 lines cut") {
		t.Error("a text of the report acts on the page")
	}
	for _, width := range []int{1280, 360} {
		got := probed(t, source, dir, width)
		if want := fmt.Sprintf("%d of %d", width, width); got["overflow"] != want || got["wide"] != "0" {
			t.Errorf("the page is %s wide, want %s; %s elements stand out", got["overflow"], want, got["wide"])
		}
		if want := "h1 h2 h2 h2 h3 h3 h3 h3 h3 h3 h2 h3"; got["headings"] != want {
			t.Errorf("the headings are %s, want %s", got["headings"], want)
		}
		light := testkit.Brightness(t, framed(t, page, width), width)
		dark := testkit.Brightness(t, framed(t, page, width), width, "--blink-settings=preferredColorScheme=0")
		if light < 0.8 || dark > 0.4 {
			t.Errorf("%d wide: the page is %.2f bright, and %.2f in the dark", width, light, dark)
		}
	}
}
