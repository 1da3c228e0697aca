package testkit

import (
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Browse runs a headless Chromium on a page, the path of a file or a URL, with more arguments, and returns what it
// prints. It fails the test if the console of the page has messages, and skips it if there is no Chromium, and in
// make test.
func Browse(t testing.TB, page string, args ...string) string {
	t.Helper()
	Long(t, "a browser looks at a page")
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		Skip(t, "browser", "no Chromium is installed")
	}
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(),
		"--enable-logging=stderr", "--v=0"}, args...)
	if !strings.Contains(page, "://") {
		page = "file://" + page
	}
	cmd := exec.Command(path, append(args, page)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the page complains: %s", line)
		}
	}
	return string(out)
}

// axeVersion is the version of axe-core, from the registry of npm, that looks at pages.
const axeVersion = "4.14.1"

// Axe returns the source of axe-core, which finds what keeps people from using a page. It skips the test if there is
// none to be had.
func Axe(t testing.TB) string {
	t.Helper()
	Long(t, "axe-core looks at a page")
	dir := t.TempDir()
	out, err := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, "axe-core@"+axeVersion).CombinedOutput()
	if err != nil {
		Skip(t, "axe", fmt.Sprintf("npm has no axe-core: %v: %s", err, out))
	}
	source, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// Brightness returns the mean brightness, in [0, 1], of a picture of a page in a window of the given width.
func Brightness(t testing.TB, page string, width int, args ...string) float64 {
	t.Helper()
	shot := filepath.Join(t.TempDir(), "shot.png")
	Browse(t, page, append(args, fmt.Sprintf("--window-size=%d,1400", width), "--screenshot="+shot)...)
	file, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(file)
	if closeErr := file.Close(); err != nil || closeErr != nil {
		t.Fatal(err, closeErr)
	}
	sum, n := 0.0, 0
	bounds := img.Bounds()
	const step = 7
	for y := bounds.Min.Y; y < bounds.Max.Y; y += step {
		for x := bounds.Min.X; x < bounds.Max.X; x += step {
			sum += grey(img, x, y)
			n++
		}
	}
	return sum / float64(n)
}

// grey returns the brightness of a point.
func grey(img image.Image, x, y int) float64 {
	r, g, b, _ := img.At(x, y).RGBA()
	return float64(r+g+b) / (3 * 0xffff)
}

// An Extent is how wide a page is, and the part of it that a window shows, in CSS pixels.
type Extent struct {
	Page, Window int
}

// Widths lays a page out in windows of the given widths, however narrow, and returns how wide it is in each. The
// page's own rules stay: it is in a frame, and need not run scripts.
func Widths(t testing.TB, page string, widths ...int) (out []Extent) {
	t.Helper()
	source, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var outer strings.Builder
	outer.WriteString("<!DOCTYPE html><body>")
	for _, width := range widths {
		fmt.Fprintf(&outer, `<iframe style="border:0" width="%d" height="800" srcdoc="%s"></iframe>`, width, html.EscapeString(string(source)))
	}
	outer.WriteString(`<pre id="out"></pre><script>
onload=()=>{document.getElementById("out").textContent=JSON.stringify([...document.querySelectorAll("iframe")].map(f=>{
const d=f.contentDocument;d.querySelectorAll("details").forEach(x=>x.open=true);
return{Page:d.documentElement.scrollWidth,Window:d.documentElement.clientWidth}}));
document.querySelectorAll("iframe").forEach(f=>f.remove())}</script>`)
	file := filepath.Join(t.TempDir(), "frames.html")
	if err := os.WriteFile(file, []byte(outer.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	dom := Browse(t, file, "--dump-dom", "--virtual-time-budget=5000")
	_, after, _ := strings.Cut(dom, `<pre id="out">`)
	found, _, _ := strings.Cut(after, "</pre>")
	if err := json.Unmarshal([]byte(html.UnescapeString(found)), &out); err != nil || len(out) != len(widths) {
		t.Fatalf("no widths: %v in %q", err, found)
	}
	return out
}
