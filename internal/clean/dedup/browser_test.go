package dedup

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"simsearch/internal/clean/warnings"
	"simsearch/internal/tests/testkit"
)

// hostileReport returns a report in which every string tries to run a script and to ask address for
// something, and has long words without a space.
func hostileReport(address string) *Report {
	long := strings.Repeat("averylongwordwithoutanyspace", 12)
	r := reportOf(fmt.Sprintf(`</script></style><script>document.title="run"</script><img src="%s/x" onerror="document.title='run'"> "&' %s`, address, long))
	for i := range 30 {
		r.Sources = append(r.Sources,
			warnings.Source{Path: fmt.Sprint(long, i), Documents: 1_000_000_000, Removed: 123_456_789})
		r.Largest = append(r.Largest, Group{Kept: fmt.Sprint(long, i), Size: 1_000_000, Similarity: 0.7, IDs: []string{long, "a b"}})
	}
	r.Borderline = append(r.Borderline, Pair{ID: long, Kept: long, A: strings.Repeat("\t", 40) + long + "\n" + strings.Repeat("same\n", 9) + "x", B: long + "y\n" + strings.Repeat("same\n", 9) + "z"})
	return r
}

// probe follows the link to the next pair, and tells in the attributes of the page what it finds then.
const probe = `
const root = document.documentElement, all = [...document.querySelectorAll("details.pair")];
const open = () => all.map((d) => d.open ? "1" : "0").join("");
root.dataset.before = open();
document.querySelector('a[href="#texts-2"]').click();
root.dataset.after = open();
root.dataset.focus = document.activeElement.closest("details").id;
document.querySelectorAll("details:not(.pair)").forEach((d) => { d.open = true; });
root.dataset.overflow = root.scrollWidth + " of " + innerWidth;
root.dataset.wide = [...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 1).length;
root.dataset.headings = [...document.querySelectorAll("h1,h2,h3")].map((h) => h.localName).join(" ");
parent.postMessage({...root.dataset}, "*");
`

// framed writes a page that shows another in a frame of the given width, since a window cannot be narrower
// than 500. It takes over the attributes that probe sets.
func framed(t *testing.T, page string, width int) string {
	t.Helper()
	frame := page + ".frame.html"
	source := fmt.Sprintf(`<!DOCTYPE html><html><head><meta name="color-scheme" content="light dark"></head>
<body style="margin:0"><script>onmessage = (event) => Object.assign(document.documentElement.dataset, event.data)</script>
<iframe src="%s" style="width:%dpx;height:1400px;border:0"></iframe></body></html>`, filepath.Base(page), width)
	if err := os.WriteFile(frame, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	return frame
}

// probed returns the attributes that probe sets on a page that is shown in the given width.
func probed(t *testing.T, source, dir string, width int) map[string]string {
	t.Helper()
	sum := sha256.Sum256([]byte(probe))
	allowed := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' "
	source = strings.Replace(source, "script-src ", allowed, 1)
	source = strings.Replace(source, "</body>", "<script>"+probe+"</script></body>", 1)
	page := filepath.Join(dir, "probed.html")
	if err := os.WriteFile(page, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	dom := testkit.Browse(t, framed(t, page, width), "--window-size=1300,1400", "--virtual-time-budget=3000", "--dump-dom")
	found := map[string]string{}
	root, _, _ := strings.Cut(dom, "<head>")
	for _, m := range regexp.MustCompile(`data-([a-z]+)="([^"]*)"`).FindAllStringSubmatch(root, -1) {
		found[m[1]] = html.UnescapeString(m[2])
	}
	return found
}

// A real browser must show the page, wide and narrow, light and dark and in print. The page must cause no
// complaint and no request, run nothing that ids and texts have, and never scroll sideways.
func TestPageInABrowser(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	r := hostileReport(server.URL)
	source := pageOf(t, r)
	if found := regexp.MustCompile(`<[^>]*(src|href)="[^#"][^"]*"|url\(|@import`).FindString(source); found != "" {
		t.Errorf("the page asks for %s", found)
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "report.html")
	if err := os.WriteFile(page, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	dom := testkit.Browse(t, page, "--dump-dom")
	if !strings.Contains(dom, "<title>40 of 100 documents removed") || !strings.Contains(dom, "&lt;script&gt;document.title") {
		t.Error("a text of the report acts on the page")
	}
	if !strings.Contains(dom, `<button type="button" id="copy">`) {
		t.Error("the script of the page does not run")
	}
	for _, width := range []int{1280, 360} {
		got := probed(t, source, dir, width)
		if want := fmt.Sprintf("%d of %d", width, width); got["overflow"] != want || got["wide"] != "0" {
			t.Errorf("the page is %s wide, want %s; %s elements stand out", got["overflow"], want, got["wide"])
		}
		if got["before"] != "100" || got["after"] != "010" || got["focus"] != "pair-2" {
			t.Errorf("%d wide: pairs %s are open, and %s behind the link to the second; the focus is in %s", width, got["before"], got["after"], got["focus"])
		}
		if want := "h1 h2 h2 h2 h3 h3 h2 h3 h3 h3 h3 h3 h3 h2 h3"; got["headings"] != want {
			t.Errorf("the headings are %s, want %s", got["headings"], want)
		}
		light := testkit.Brightness(t, framed(t, page, width), width)
		dark := testkit.Brightness(t, framed(t, page, width), width, "--blink-settings=preferredColorScheme=0")
		if light < 0.8 || dark > 0.4 {
			t.Errorf("%d wide: the page is %.2f bright, and %.2f in the dark", width, light, dark)
		}
	}
	pdf := filepath.Join(dir, "report.pdf")
	testkit.Browse(t, page, "--print-to-pdf="+pdf)
	if data, err := os.ReadFile(pdf); err != nil || !strings.HasPrefix(string(data), "%PDF") || len(data) < 20_000 {
		t.Errorf("printing gives %d bytes, %v", len(data), err)
	}
	if n := requests.Load(); n > 0 {
		t.Errorf("the page makes %d requests", n)
	}
}
