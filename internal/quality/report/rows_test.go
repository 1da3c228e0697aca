package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"simsearch/internal/quality/explain"
)

// drawnBlocks writes blocks as people see them: a row a line, what is folded in angle brackets.
func drawnBlocks(list []block) string {
	var s strings.Builder
	side := func(spans []span) {
		for _, p := range spans {
			if p.Change > 0 {
				fmt.Fprintf(&s, "[%d %s]", p.Change, p.Text)
			} else {
				s.WriteString(p.Text)
			}
		}
	}
	for _, b := range list {
		if b.Folded {
			fmt.Fprintf(&s, "<%d>\n", len(b.Rows))
			continue
		}
		for _, r := range b.Rows {
			side(r.A)
			s.WriteString(" | ")
			side(r.B)
			s.WriteByte('\n')
		}
	}
	return s.String()
}

func TestBlocks(t *testing.T) {
	lines := "a1\nb2\nc3\nd4\ne5\nf6\n"
	for _, test := range []struct{ name, a, b, want string }{
		{"nothing", "", "", ""},
		{"a word", "at nine o'clock", "at ten o'clock", "at [1 nine] o'clock | at [1 ten] o'clock\n"},
		{"lines", "one\n\n  two\nthree", "one\n  too\nthree", "one | one\n  [1 two] |   [1 too]\nthree | three\n"},
		{"a new line", "one\n  two\n", "one\n  new x\n    new y\n  two\n", "one | one\n |   [1 new x\n]    [1 new y]\n  two |   two\n"},
		{"a lost line at the end", "one\ntwo", "one\n", "one | one\n[1 two] | \n"},
		{"wrapped otherwise", "one two\nthree four\nfive", "one\ntwo three\nfour\nfive", "one two\nthree four | one\ntwo three\nfour\nfive | five\n"},
		{"folded", lines + "x\n" + lines, lines + "y\n" + lines, "<4>\ne5 | e5\nf6 | f6\n[1 x] | [1 y]\na1 | a1\nb2 | b2\n<4>\n"},
		{"case", "THE GATE OPENS AT NINE", "the gate opens at ten", "THE GATE OPENS AT [1 NINE] | the gate opens at [1 ten]\n"},
		{"space at the beginning", "\n\n  x y", " x z", "  x [1 y] |  x [1 z]\n"},
	} {
		if got := drawnBlocks(blocks(explain.Runs(test.a, test.b))); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// A long text without line ends has rows nevertheless, so that what is equal can be folded.
func TestLongLine(t *testing.T) {
	text := strings.Repeat("The gate opens at nine and it closes at noon. ", 100)
	got := blocks(explain.Runs(text+"One more.", text+"Another."))
	if len(got) != 2 || !got[0].Folded || len(got[0].Rows) < 9 || len(got[1].Rows) != contextRows+1 {
		t.Errorf("the blocks are\n%s", drawnBlocks(got))
	}
}

// Cut texts do not differ in what is behind the cut of one of them.
func TestCutPair(t *testing.T) {
	for _, test := range []struct {
		cut     bool
		changes int
	}{{true, 1}, {false, 2}} {
		v := &Pair{A: "at nine the gate opens and stays so until", B: "at ten the gate opens and stays so until noon 12", Cut: test.cut}
		_ = Pairs{v}.HTML()
		if got := drawnBlocks(v.blocks); strings.Contains(got, "[2") != (test.changes == 2) || !strings.Contains(got, "[1 nine]") {
			t.Errorf("cut %t: %s", test.cut, got)
		}
		if got := strings.Join(v.Remarks, ""); strings.Contains(got, "12") == test.cut {
			t.Errorf("cut %t: %s", test.cut, got)
		}
	}
}

// Rows have all of the texts but white space.
func FuzzBlocks(f *testing.F) {
	f.Add("one\n  two three\nfour", "one\n\ttwo\nthree four")
	f.Add(" \u0301", "\u200d x\r\n\r\n")
	f.Add(strings.Repeat("long text. ", 90), strings.Repeat("long TEXT. ", 95))
	f.Fuzz(func(t *testing.T, a, b string) {
		var ofA, ofB strings.Builder
		for _, block := range blocks(explain.Runs(a, b)) {
			if len(block.Rows) == 0 {
				t.Fatal("an empty block")
			}
			for _, r := range block.Rows {
				for _, s := range r.A {
					ofA.WriteString(s.Text)
				}
				for _, s := range r.B {
					ofB.WriteString(s.Text)
				}
			}
		}
		if solid(ofA.String()) != solid(a) || solid(ofB.String()) != solid(b) {
			t.Errorf("%q and %q are shown as %q and %q", a, b, ofA.String(), ofB.String())
		}
	})
}

// solid returns a text without white space.
func solid(s string) string { return strings.Join(strings.FieldsFunc(s, unicode.IsSpace), "") }
