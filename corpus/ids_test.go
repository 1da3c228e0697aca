package corpus

import (
	"fmt"
	"slices"
	"testing"

	"simsearch/internal/idtext"
)

// Ids in lists are read as package idtext writes them. Backslashes stand for themselves.
func TestIDsOfLists(t *testing.T) {
	ids := []string{`a\tb`, "a\tb", "a\nb", "a\rb", "\r", "\uFFFD09", "F\uFFFDDERATION", "\uFEFFa", "\xFF\xFE", "\x1B[2J", " "}
	var fingerprints, sets string
	var wantFingerprints, wantSets []string
	for i, id := range ids {
		text := idtext.List.Text(id)
		fingerprints += fmt.Sprintf("%s\t%016x\r\n", text, i)
		sets += fmt.Sprintf("%s\tx y\n", text)
		wantFingerprints = append(wantFingerprints, fmt.Sprintf("%s=%x", id, i))
		wantSets = append(wantSets, id+"=x y")
	}
	files(t, map[string]string{"list": fingerprints, "sets": sets})
	for _, tt := range []struct {
		name   string
		format Format
		want   []string
	}{{"list", Fingerprints, wantFingerprints}, {"sets", Sets, wantSets}} {
		r, err := Open([]string{tt.name}, Options{Format: tt.format})
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}
