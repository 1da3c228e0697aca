package report

import (
	"strings"
	"testing"
)

func TestPictures(t *testing.T) {
	if got, want := Pictures([]byte("\xff\xd8\xffabc")), "data:image/jpeg;base64,/9j/YWJj"; len(got) != 1 || string(got[0]) != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, other := range []string{"", "\xff\xd8", "<svg onload=alert(1)>", strings.Repeat("x", 100)} {
		if got := Pictures([]byte(other), nil); len(got) > 0 {
			t.Errorf("%q: %q, want none", other, got)
		}
	}
}
