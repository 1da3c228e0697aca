package report

import "testing"

func TestClassOfAGroup(t *testing.T) {
	for want, g := range map[HTML]Group{
		" ids": {Documents: []Document{{ID: "a"}, {ID: "b"}}}, "": {Documents: []Document{{ID: "a"}, {ID: "b", Title: "t"}}},
		" pictured": {Documents: []Document{{ID: "a", Picture: "<img>"}, {ID: "b", Title: "t"}}},
	} {
		if got := g.class(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

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
