package report

import "testing"

// What stands for %s is no markup, in a text and between quotes, unless it is HTML, and has no other values in it.
func TestMarkup(t *testing.T) {
	got := H(`<a href="%s">%s</a>%s 100 %`, `"onclick=x`, "<%s>\x1b", H("<b>%s</b>", 1234))
	if want := HTML(`<a href="&#34;onclick=x">&lt;%s&gt;`) + "\uFFFD1B</a><b>1,234</b> 100 %"; got != want {
		t.Errorf("%s", got)
	}
	if got := Text("a<b>\n\tc\x00"); got != "a&lt;b&gt;\n\tc\uFFFD00" {
		t.Errorf("%s", got)
	}
}
