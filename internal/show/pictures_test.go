package show

import (
	"strings"
	"testing"
)

func TestPictureURL(t *testing.T) {
	if got, want := PictureURL([]byte("\xff\xd8\xffabc")), "data:image/jpeg;base64,/9j/YWJj"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, other := range []string{"", "\xff\xd8", "<svg onload=alert(1)>", strings.Repeat("x", 100)} {
		if got := PictureURL([]byte(other)); got != "" {
			t.Errorf("%q: %q, want none", other, got)
		}
	}
}
