package labelled

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Each edit changes a text, leaves most of it, and makes the same copy again.
func TestEdits(t *testing.T) {
	var texts [][]byte
	for i := range 30 {
		var b strings.Builder
		for s := range 10 {
			for w := range 12 {
				b.WriteString([]string{"kettle", "garden", "miller", "river", "horse", "spring", "wheel", "baker", "1847", "sack"}[(i*i+7*s+w*(1+s%3))%10] + " ")
			}
			b.WriteString("end.\n")
		}
		texts = append(texts, []byte(b.String()))
	}
	for _, e := range slices.Concat(Edits, SecondEdits, UnseenEdits) {
		made := func() string {
			return string(e.make(&editor{rand.New(rand.NewPCG(1, 1)), texts}, string(texts[0])))
		}
		text := string(texts[0])
		copied := made()
		if copied == text || copied != made() {
			t.Errorf("%s: the copy is %q", e.Name, copied)
		}
		if len(copied) < len(text)/2 || len(copied) > 2*len(text) {
			t.Errorf("%s: of %d bytes %d are made", e.Name, len(text), len(copied))
		}
		if strings.Contains(e.Name, "numbers kept") && strings.Count(copied, "1847") < strings.Count(text, "1847") {
			t.Errorf("%s: numbers are replaced", e.Name)
		}
	}
}
