package report

import (
	"strings"
	"testing"
)

func TestPictures(t *testing.T) {
	if got, want := Picture([]byte("\xff\xd8\xffabc")), HTML(`<img src="data:image/jpeg;base64,/9j/YWJj" alt="">`); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, other := range []string{"", "\xff\xd8", "<svg onload=alert(1)>", strings.Repeat("x", 100)} {
		if got := Picture([]byte(other)); got != "" {
			t.Errorf("%q: %q, want none", other, got)
		}
	}
}
