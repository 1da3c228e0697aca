package eval

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/quality/report"
	"simsearch/internal/tests/testkit"
)

// A real browser must show everything on the page, light, dark and in print. The page must cause no
// complaint and no request, even if the name of the collection is hostile.
func TestReportInABrowser(t *testing.T) {
	hostile := `<script>alert("x")</script> & "quotes" <img src=x onerror=alert(1)>`
	texts, clusters := generated()
	c := load(t, texts, clusters, LoadOptions{Truth: "word:3", Threads: 2})
	c.o.Name = hostile
	experiments, err := FindExperiments(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), c, experiments, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Sections[0].Plots = append(r.Sections[0].Plots, &report.Plot{Title: hostile})
	dir := t.TempDir()
	var source bytes.Buffer
	if err := r.WriteHTML(&source); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "report.html")
	if err := os.WriteFile(page, source.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(src|href)="[^#"][^"]*"|url\(|@import`).Find(source.Bytes()); found != nil {
		t.Errorf("the page asks for %s", found)
	}
	dom := testkit.Browse(t, page, "--dump-dom")
	if strings.Contains(dom, "<script>") || !strings.Contains(dom, "&lt;script&gt;alert") {
		t.Error("a name is taken for a part of the page")
	}
	plots := 0
	for _, s := range r.Sections {
		if !strings.Contains(dom, `<section id="`+s.Name+`"`) {
			t.Errorf("section %s is not there", s.Name)
		}
		plots += len(s.Plots)
	}
	if got := strings.Count(dom, "<svg"); got != plots {
		t.Errorf("%d plots are shown, want %d", got, plots)
	}
	for i, extent := range testkit.Widths(t, page, 1280, 600, 360) {
		if extent.Page > extent.Window || extent.Window < 340 {
			t.Errorf("window %d: the page is %d wide, the window %d", i, extent.Page, extent.Window)
		}
	}
	light := testkit.Brightness(t, page, 1000)
	dark := testkit.Brightness(t, page, 1000, "--blink-settings=preferredColorScheme=0")
	if light < 0.8 || dark > 0.4 {
		t.Errorf("the page is %.2f bright, and %.2f in the dark", light, dark)
	}
	// Tables that unfold are whole in print.
	opened := filepath.Join(dir, "opened.html")
	if err := os.WriteFile(opened, []byte(strings.ReplaceAll(source.String(), "<details ", "<details open ")), 0o666); err != nil {
		t.Fatal(err)
	}
	if a, b := printed(t, page), printed(t, opened); !strings.Contains(source.String(), "<details ") || a != b || a == 0 {
		t.Errorf("%d pages are printed, %d with all tables unfolded", a, b)
	}
	pdf := filepath.Join(dir, "report.pdf")
	testkit.Browse(t, page, "--print-to-pdf="+pdf)
	if data, err := os.ReadFile(pdf); err != nil || !strings.HasPrefix(string(data), "%PDF") || len(data) < 20_000 {
		t.Errorf("printing gives %d bytes, %v", len(data), err)
	}
}

// printed returns how many pages of paper a page takes.
func printed(t *testing.T, page string) int {
	t.Helper()
	pdf := filepath.Join(t.TempDir(), "page.pdf")
	testkit.Browse(t, page, "--print-to-pdf="+pdf)
	data, err := os.ReadFile(pdf)
	if err != nil {
		t.Fatal(err)
	}
	return len(regexp.MustCompile(`/Type /Page\b`).FindAll(data, -1))
}
