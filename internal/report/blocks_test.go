package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"simsearch/internal/show"
)

// drawn writes blocks as people see them: what is folded in angle brackets.
func drawn(list []block) string {
	var s strings.Builder
	for _, b := range list {
		if b.Folded {
			fmt.Fprintf(&s, "<%d>", b.Words())
			continue
		}
		for _, p := range b.Spans {
			switch {
			case p.Change == 0:
				s.WriteString(p.Text)
			case p.Added:
				fmt.Fprintf(&s, "{%d %s}", p.Change, p.Text)
			default:
				fmt.Fprintf(&s, "[%d %s]", p.Change, p.Text)
			}
		}
	}
	return s.String()
}

func TestBlocks(t *testing.T) {
	lines := strings.Repeat("word\n", 200)
	for _, test := range []struct{ name, a, b, want string }{
		{"nothing", "", "", ""},
		{"a word", "at nine o'clock", "at ten o'clock", "at [1 nine] {1 ten} o'clock"},
		{"lines", "one\n\n  two\nthree", "one\n  too\nthree", "one\n  [1 two]\n{1 too}\nthree"},
		{"a new line", "one\n  two\n", "one\n  new x\n  two\n", "one\n  {1 new x}\n  two\n"},
		{"a lost line at the end", "one\ntwo", "one\n", "one\n[1 two]"},
		{"wrapped otherwise", "one two\nthree four\nfive", "one\ntwo three\nfour\nfive", "one\ntwo three\nfour\nfive"},
		{"folded", lines + "x\n" + lines, lines + "y\n" + lines, "<152>" + lines[:48*5] + "[1 x]\n{1 y}\n" + lines[:49*5] + "<151>"},
		{"case", "THE GATE OPENS AT NINE", "the gate opens at ten", "the gate opens at [1 NINE]{1 ten}"},
		{"space at the beginning", "\n\n  x y", " x z", " x [1 y]{1 z}"},
	} {
		if got := drawn(blocks(show.Runs(test.a, test.b))); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// A long text without line ends has rows nevertheless, so that what is equal can be folded.
func TestLongLine(t *testing.T) {
	text := strings.Repeat("The gate opens at nine and it closes at noon. ", 100)
	got := blocks(show.Runs(text+"One more.", text+"Another."))
	if len(got) != 2 || !got[0].Folded || got[0].Words() < 800 || len(got[1].Spans[0].Text) > 2*contextBytes {
		t.Errorf("the blocks are\n%s", drawn(got))
	}
}

// Cut texts do not differ in what is behind the cut of one of them.
func TestCutPair(t *testing.T) {
	for _, test := range []struct {
		cut     bool
		changes int
	}{{true, 1}, {false, 2}} {
		v := &Pair{A: "at nine the gate opens and stays so until", B: "at ten the gate opens and stays so until noon 12", Cut: test.cut}
		Pairs{v}.Compared()
		if got := drawn(v.Blocks); strings.Contains(got, "{2") != (test.changes == 2) || !strings.Contains(got, "[1 nine]") {
			t.Errorf("cut %t: %s", test.cut, got)
		}
		if got := strings.Join(v.Remarks, ""); strings.Contains(got, "12") == test.cut {
			t.Errorf("cut %t: %s", test.cut, got)
		}
	}
}

// Blocks have all of the texts but white space, and case where that does not count.
func FuzzBlocks(f *testing.F) {
	f.Add("one\n  two three\nfour", "one\n\ttwo\nthree four")
	f.Add(" \u0301", "\u200d x\r\n\r\n")
	f.Add(strings.Repeat("long text. ", 90), strings.Repeat("long TEXT. ", 95))
	f.Fuzz(func(t *testing.T, a, b string) {
		var ofA, ofB strings.Builder
		for _, block := range blocks(show.Runs(a, b)) {
			if len(block.Spans) == 0 {
				t.Fatal("an empty block")
			}
			for _, s := range block.Spans {
				if s.Change == 0 || !s.Added {
					ofA.WriteString(s.Text)
				}
				if s.Change == 0 || s.Added {
					ofB.WriteString(s.Text)
				}
			}
		}
		lower := strings.ToLower // as words are compared
		if lower(solid(ofA.String())) != lower(solid(a)) || solid(ofB.String()) != solid(b) {
			t.Errorf("%q and %q are shown as %q and %q", a, b, ofA.String(), ofB.String())
		}
	})
}

// solid returns a text without white space.
func solid(s string) string { return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), "") }
