package report

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/tests/testkit"
)

const hostile = `</title></style><script>document.documentElement.dataset.hostile="ran"</script>`

func write(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPolicy(t *testing.T) {
	for want, page := range map[string]*Page{
		"; base-uri 'none'; form-action 'none'":                {Title: "x"},
		"; img-src data:; base-uri 'none'; form-action 'none'": {Pictures: true},
		"; script-src 'sha256-":                                {Script: true},
		"; base-uri 'none'; form-action 'self'":                {Served: true},
	} {
		want = "default-src 'none'; style-src " + hashOf(page.style()) + " " + hashOf(plotStyle) + want
		if got := string(page.head()); !strings.Contains(got, `content="`+want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if got := string((&Page{Title: hostile}).head()); !strings.Contains(got, "<title>"+html.EscapeString(hostile)) {
		t.Errorf("the title is taken for a part of the page: %s", got)
	}
}

// Texts that are written from right to left stay in their places, beside numbers and each other.
func TestDirections(t *testing.T) {
	const script = `const left = (id) => document.getElementById(id).getBoundingClientRect().left;
document.documentElement.dataset.places = [left("id") < left("number"), left("a") < left("b"), left("first") > left("last")].join(" ");
`
	sum := sha256.Sum256([]byte(script))
	head := strings.Replace(string((&Page{Title: "x", Script: true}).head()), "script-src ", "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"' ", 1)
	body := `<ul><li><code id="id">אבג</code> <span id="number">0.95</span> near</li></ul>
<h4><bdi id="a">אבג</bdi> · <bdi id="b">דהו</bdi></h4>
<p><span id="first">אבג</span> two words <del>זחט</del> <ins>יכל</ins> <span id="last">מנס</span></p>
`
	dom := testkit.Browse(t, write(t, head+body+"<script>"+script+"</script>"), "--dump-dom")
	if !strings.Contains(dom, `data-places="true true true"`) {
		t.Errorf("texts have changed places: %s", dom[:min(len(dom), 200)])
	}
}
