package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/quality/report"
	"simsearch/internal/tests/testkit"
)

// sampleOf returns a sample with a name in all of its strings.
func sampleOf(name string) *Sample {
	s := &Sample{Command: "simsearch dedup", Population: Population{What: "removals", Same: 100}}
	var chosen []Candidate
	s.Strata, chosen = Choose(crowd(rand.New(rand.NewPCG(3, 3)), 400), 20)
	for _, c := range chosen {
		s.Pairs = append(s.Pairs, &report.Pair{
			Stratum: c.Stratum, ID: fmt.Sprint(name, c.Pair), Kept: fmt.Sprint(name, c.Group), Nearness: report.Nearness(c.Similarity, nil),
			A: "The gate opens at nine and closes " + name, B: "The gate opens at ten and closes " + name,
		})
	}
	return s
}

func pageOf(t *testing.T, s *Sample) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// probe marks pairs as a person does: all by keys but for one by its button, one of them twice. It tells in
// attributes of the page what it says then, and what it saves.
const probe = `
const root = document.documentElement, press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
root.dataset.empty = document.querySelector("[role=status]").textContent;
press("Y"); press("n");
document.querySelector("details[open] button[data-mark=unsure]").click();
press("ArrowLeft"); press("x"); press("n");
for (let i = 0; i < 16; i++) press("y");
root.dataset.open = [...document.querySelectorAll("details.pair")].findIndex((p) => p.open);
root.dataset.says = document.querySelector("[role=status]").textContent;
root.dataset.progress = document.querySelector("progress").value;
root.dataset.kept = Object.values(localStorage).join("|");
root.dataset.overflow = root.scrollWidth + " of " + innerWidth;
let saved;
URL.createObjectURL = (blob) => { saved = blob; return "#"; };
document.getElementById("save").click();
saved.text().then((text) => { root.dataset.saved = text; });
`

// A real browser takes marks by keys and buttons, keeps them, says what they say here, and saves what ReadMarks reads.
func TestPageInABrowser(t *testing.T) {
	dir := t.TempDir()
	hostile := `</script><script>document.title="run"</script><img src=x onerror="document.title='run'"> "&' ` + strings.Repeat("averylongword", 30)
	s := sampleOf(hostile)
	source := pageOf(t, s)
	page := filepath.Join(dir, "review.html")
	if err := os.WriteFile(page, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(probe))
	probing := strings.Replace(source, "script-src ", "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"' ", 1)
	probing = strings.Replace(probing, "</body>", "<script>"+probe+"</script></body>", 1)
	probed := filepath.Join(dir, "probed.html")
	if err := os.WriteFile(probed, []byte(probing), 0o666); err != nil {
		t.Fatal(err)
	}
	dom := testkit.Browse(t, probed, "--window-size=1280,1400", "--virtual-time-budget=3000", "--dump-dom")
	found := map[string]string{}
	root, _, _ := strings.Cut(dom, "<head>")
	for _, m := range regexp.MustCompile(`data-([a-z]+)="([^"]*)"`).FindAllStringSubmatch(root, -1) {
		found[m[1]] = html.UnescapeString(m[2])
	}
	if strings.Contains(dom, "<title>run") {
		t.Error("a text of the sample acts on the page")
	}
	marks, err := ReadMarks(strings.NewReader(found["saved"]))
	if err != nil {
		t.Fatalf("%v of %q", err, found["saved"])
	}
	if err := marks.Check(s.Population); err != nil || marks.Of != s.Key() || len(marks.Marks) != 19 || marks.Marks[0].ID == "" {
		t.Errorf("%v; %+v", err, marks)
	}
	r := marks.Result()
	if says := r.String(); found["says"] != strings.ToUpper(says[:1])+says[1:]+"." || r.Wrong != 2 || r.Unsure != 0 || r.All == nil {
		t.Errorf("the page says %q, want %q", found["says"], says)
	}
	if !strings.HasPrefix(found["empty"], "0 marked") || found["progress"] != "19" || found["open"] != "19" || strings.Count(found["kept"], "right") != 17 {
		t.Errorf("%v", found)
	}
	for _, e := range testkit.Widths(t, page, 1280, 360) {
		if e.Page > e.Window {
			t.Errorf("the page is %d wide in a window of %d", e.Page, e.Window)
		}
	}
	light, dark := testkit.Brightness(t, page, 1280), testkit.Brightness(t, page, 1280, "--blink-settings=preferredColorScheme=0")
	if light < 0.8 || dark > 0.4 {
		t.Errorf("the page is %.2f bright, and %.2f in the dark", light, dark)
	}
}
