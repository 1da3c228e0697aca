package explorer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/quality/truth"
	"simsearch/internal/tests/testkit"
)

// driver is a page around the page in a frame, which it uses as a person does with a mouse and keys. Each step that
// it has taken is a line of its text. It stops at the first thing that is not as it should be.
const driver = `<!DOCTYPE html><meta charset="utf-8"><title>driver</title><body style="margin:0"><iframe id="f" width="%d" height="1200" style="border:0"></iframe><pre id="out"></pre><script>
const frame = document.getElementById("f"), out = document.getElementById("out"), say = (text) => out.append(text + "\n");
const doc = () => frame.contentDocument;
const loaded = (what) => new Promise((done) => { frame.addEventListener("load", () => done(), {once: true}); what(); });
const open = (address) => loaded(() => { frame.src = address; });
const one = (selector) => { const e = doc().querySelector(selector); if (!e) throw new Error("no " + selector + " at " + doc().URL); return e; };
const link = (text) => { const e = [...doc().querySelectorAll("a")].find((a) => a.textContent.includes(text)); if (!e) throw new Error("no link " + text); return e; };
const go = (text) => loaded(() => link(text).click());
const press = (key) => (doc().activeElement ?? doc().body).dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", {key, bubbles: true}));
const check = (is, what) => { if (!is) throw new Error(what); };
const file = (name, text) => new frame.contentWindow.File([text], name, {type: "text/plain"});
const look = async () => {
  const root = doc().documentElement;
  for (const d of doc().querySelectorAll("details:not(.pair)")) d.open = true;
  check(root.scrollWidth <= frame.clientWidth, "the page is " + root.scrollWidth + " wide: " + doc().URL);
  const axe = frame.contentWindow.axe;
  if (axe) {
    const found = await axe.run();
    check(!found.violations.length, doc().URL + ": " + found.violations.map((v) => v.id + " " + v.nodes[0].html).join("; "));
    say("axe " + found.passes.length);
  }
};
(async () => {
  try {
    %s
    say("done");
  } catch (e) { say("FAILED " + e.message); }
})();
</script>`

// clicks is the way of a person who looks for a copied paragraph, by mouse alone, and then through all views.
const clicks = `
    await open("/");
    check(doc().URL.endsWith("/c/essays/"), "a single collection is not shown at once");
    await look();
    await go("Shared passages");
    check(one("h1").textContent === "2 pairs of documents share passages", one("h1").textContent);
    await look();
    await go("The old mill");
    check(one(".pair[open] a.passage").textContent.includes("The old mill by the river"), "the copied paragraph is not marked");
    for (const pane of doc().querySelectorAll(".pair[open] .pane")) {
      const is = pane.getBoundingClientRect(), at = pane.querySelector("a.passage").getBoundingClientRect().top;
      check(at >= is.top && at < is.bottom, "a text does not open at the passage");
    }
    await look();
    const passage = one(".pair[open] .b a.passage");
    passage.click();
    check(doc().querySelectorAll(".pair[open] .lit").length >= 2, "a click on a passage does not mark both");
    press("j");
    check(doc().activeElement.matches(".a a.passage.lit"), "j does not lead to a passage");
    say("found by mouse in the collection");

    await go("Search");
    const dropped = new DataTransfer();
    dropped.items.add(file("mine.txt", "Fresh sentences come first, quite many, none ever used elsewhere: apples, bicycles, thunder, violins, copper, lanterns, paper, gravel. PARAGRAPH"));
    dropped.items.add(file("other.txt", "Nothing of this is known."));
    const drop = new frame.contentWindow.DragEvent("drop", {dataTransfer: dropped, bubbles: true, cancelable: true});
    await loaded(() => doc().body.dispatchEvent(drop));
    check(one("h1").textContent === "1 of 2 texts has something near", one("h1").textContent);
    await look();
    await go("mine.txt");
    check(one(".pair[open] a.passage").textContent.includes("The old mill by the river"), "the paragraph of the file is not marked");
    check(link("Next text"), "there is no next text");
    await look();
    say("found by a file that was dropped");

    await go("Search");
    one("#text").value = "A text whose words are all its own, and which says nothing that another one says.";
    await loaded(() => one("#ask button").click());
    check(doc().body.textContent.includes("This is the nearest"), "the nearest document is not shown");
    await look();

    await go("Groups");
    check(one("h1").textContent === "1 group of near documents", one("h1").textContent);
    await look();
    const slider = one("#slider input");
    slider.value = "0.99";
    slider.dispatchEvent(new frame.contentWindow.Event("input", {bubbles: true}));
    check(one("#slider output").textContent === "0.99" && doc().querySelector("#slider rect.out"), "the slider greys nothing");
    await loaded(() => slider.dispatchEvent(new frame.contentWindow.Event("change", {bubbles: true})));
    check(doc().URL.includes("jaccard=0.99") && one("h1").textContent.startsWith("No groups"), "the slider does not filter");
    await look();
    await go("all groups");
    await go("Side by side");
    await look();
    check(!one(".pair .marks").hidden, "there are no marks");
    press("n");
    const note = one("[data-note]");
    note.value = "one is longer \u05d0";
    note.dispatchEvent(new frame.contentWindow.Event("input", {bubbles: true}));
    await loaded(() => frame.contentWindow.location.reload());
    check(one(".pair").dataset.mark === "wrong" && one("[data-note]").value === "one is longer \u05d0", "the browser has forgotten the mark");
    let saved;
    const anchor = frame.contentWindow.HTMLAnchorElement.prototype, click = anchor.click;
    frame.contentWindow.URL.createObjectURL = (blob) => { saved = blob; return "#"; };
    anchor.click = () => {}; // a headless browser has nowhere to put what it downloads
    one("#save").click();
    anchor.click = click;
    say("labels " + await saved.text());
    await go("Documents");
    await look();
    const frames = doc().querySelectorAll("script").length;
    check(frames === (frame.contentWindow.axe ? 2 : 1), frames + " scripts");
`

// framed lets a page stand in a frame of its own server, and run axe if there is any. All else of its policy stays.
func framed(h http.Handler, axe, driving string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /drive", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(driving))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		to := httptest.NewRecorder()
		h.ServeHTTP(to, r)
		body := to.Body.String()
		policy := strings.Replace(to.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'", "frame-ancestors 'self'", 1)
		if axe != "" {
			sum := sha256.Sum256([]byte(axe))
			allowed := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "' "
			policy, body = strings.Replace(policy, "script-src ", allowed, 1), strings.Replace(body, "script-src ", allowed, 1)
			body = strings.Replace(body, "</body>", "<script>"+axe+"</script></body>", 1)
		}
		for name, values := range to.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.WriteHeader(to.Code)
		_, _ = w.Write([]byte(body))
	})
	return mux
}

// driven runs the driver in a window of a width, with more arguments, and returns what it says.
func driven(t *testing.T, axe string, width int, args ...string) string {
	t.Helper()
	steps := strings.ReplaceAll(clicks, "PARAGRAPH", paragraph)
	server := httptest.NewServer(framed(New(essays(), Options{}), axe, fmt.Sprintf(driver, width, steps)))
	defer server.Close()
	args = append([]string{fmt.Sprintf("--window-size=%d,1400", max(600, width)), "--virtual-time-budget=60000", "--timeout=60000", "--dump-dom"}, args...)
	dom := testkit.Browse(t, server.URL+"/drive", args...)
	_, said, _ := strings.Cut(dom, `<pre id="out">`)
	said, _, _ = strings.Cut(said, "</pre>")
	return html.UnescapeString(said)
}

// A person finds a copied paragraph with a mouse, in the collection and by a file, filters groups, marks a pair and
// saves labels: in a real browser, wide and narrow, light and dark, without a complaint of axe-core.
func TestClickPaths(t *testing.T) {
	axe := testkit.Axe(t)
	for _, look := range []struct {
		width int
		args  []string
	}{{1200, nil}, {360, nil}, {1200, []string{"--blink-settings=preferredColorScheme=0"}}} {
		said := driven(t, axe, look.width, look.args...)
		if !strings.HasSuffix(said, "done\n") || strings.Count(said, "axe ") != 10 {
			t.Fatalf("%d wide: %s", look.width, said)
		}
		m := regexp.MustCompile(`labels (.*)`).FindStringSubmatch(said)
		var line struct{ A, B, Label, Note string }
		if err := json.Unmarshal([]byte(m[1]), &line); err != nil || line.A != "b/ships.txt" || line.B != "b/ships2.txt" || line.Note != "one is longer \u05d0" {
			t.Errorf("%s: %+v, %v", m[1], line, err)
		}
		both := m[1] + "\n" + `{"a":"b/ships.txt","b":"c","label":"yes"}`
		numbers := map[string]uint32{"b/ships.txt": 0, "b/ships2.txt": 1, "c": 2}
		labels, err := truth.ReadLabels(strings.NewReader(both), func(id string) (uint32, bool) { n, ok := numbers[id]; return n, ok }, 100)
		if err != nil || labels.Near != 1 || line.Label != "no" {
			t.Errorf("eval reads %+v, %v", labels, err)
		}
	}
}

// The page keeps to the window and to the colours that a person prefers.
func TestLooks(t *testing.T) {
	h := New(essays(), Options{})
	for _, address := range []string{"/c/essays/near?id=a/copied.txt", "/c/essays/group?of=b/ships.txt", "/c/essays/passages"} {
		page := filepath.Join(t.TempDir(), "page.html")
		writeFile(t, page, get(t, h, address, 200))
		light, dark := testkit.Brightness(t, page, 1000), testkit.Brightness(t, page, 1000, "--blink-settings=preferredColorScheme=0")
		if light < 0.8 || dark > 0.4 {
			t.Errorf("%s is %.2f bright, and %.2f in the dark", address, light, dark)
		}
		for _, e := range testkit.Widths(t, page, 1280, 600, 360) {
			if e.Page > e.Window {
				t.Errorf("%s is %d wide in a window of %d", address, e.Page, e.Window)
			}
		}
	}
}
