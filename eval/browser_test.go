package eval

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/shareddata"
	"simsearch/internal/svg"
)

// browser runs a headless Chromium on the page and returns its output. It fails the test if the console of
// the page has messages.
func browser(t *testing.T, page string, args ...string) string {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		shareddata.Skip(t, "browser", "no Chromium is installed")
	}
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), "--enable-logging=stderr", "--v=0"}, args...)
	cmd := exec.Command(path, append(args, "file://"+page)...)
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

// A real browser must show everything on the page, light, dark and in print. The page must cause no
// complaint and no request, even if the name of the collection is hostile.
func TestReportInABrowser(t *testing.T) {
	hostile := `<script>alert("x")</script> & "quotes" <img src=x onerror=alert(1)>`
	texts, clusters := generated()
	c := load(t, texts, clusters, LoadOptions{Truth: "word:3", Threads: 2})
	c.Name = hostile
	experiments, err := FindExperiments(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), c, experiments, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Sections[0].Plots = append(r.Sections[0].Plots, &svg.Plot{Title: hostile})
	dir := t.TempDir()
	if err := r.WriteFiles(dir); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "report.html")
	source, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`(src|href)="[^#"][^"]*"|url\(|@import`).Find(source); found != nil {
		t.Errorf("the page asks for %s", found)
	}
	dom := browser(t, page, "--dump-dom")
	if strings.Contains(dom, "<script>") || !strings.Contains(dom, "&lt;script&gt;alert") {
		t.Error("a name is taken for a part of the page")
	}
	plots := 0
	for _, s := range r.Sections {
		if !strings.Contains(dom, `<section id="`+s.Name+`">`) {
			t.Errorf("section %s is not there", s.Name)
		}
		plots += len(s.Plots)
	}
	if got := strings.Count(dom, "<svg"); got != plots {
		t.Errorf("%d plots are shown, want %d", got, plots)
	}
	light := brightness(t, page, dir, "light")
	dark := brightness(t, page, dir, "dark", "--blink-settings=preferredColorScheme=0")
	if light < 0.8 || dark > 0.4 {
		t.Errorf("the page is %.2f bright, and %.2f in the dark", light, dark)
	}
	pdf := filepath.Join(dir, "report.pdf")
	browser(t, page, "--print-to-pdf="+pdf)
	if data, err := os.ReadFile(pdf); err != nil || !strings.HasPrefix(string(data), "%PDF") || len(data) < 20_000 {
		t.Errorf("printing gives %d bytes, %v", len(data), err)
	}
}

// brightness returns the average brightness of the page, from 0 to 1.
func brightness(t *testing.T, page, dir, name string, args ...string) float64 {
	t.Helper()
	shot := filepath.Join(dir, name+".png")
	browser(t, page, append(args, "--window-size=1000,1400", "--screenshot="+shot)...)
	file, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", shot, err))
	}
	var sum float64
	bounds := img.Bounds()
	const step = 7
	n := 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y += step {
		for x := bounds.Min.X; x < bounds.Max.X; x += step {
			sum += grey(img, x, y)
			n++
		}
	}
	return sum / float64(n)
}

func grey(img image.Image, x, y int) float64 {
	r, g, b, _ := img.At(x, y).RGBA()
	return float64(r+g+b) / (3 * 0xffff)
}
