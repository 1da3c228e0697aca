package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"simsearch/internal/tests/testkit"
)

// marked writes runs as people see them.
func marked(runs []Run) string {
	var s strings.Builder
	for _, r := range runs {
		if r.Equal {
			s.WriteString(r.B)
			continue
		}
		if r.A != "" {
			fmt.Fprintf(&s, "[-%s-]", r.A)
		}
		if r.B != "" {
			fmt.Fprintf(&s, "{+%s+}", r.B)
		}
	}
	return s.String()
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"", "", ""},
		{"the same", "the same", "the same"},
		{"", "new", "{+new+}"},
		{"old", "", "[-old-]"},
		{"old", "new", "[-old-]{+new+}"},
		{"the drug is safe for children", "the drug is not safe for children", "the drug is {+not +}safe for children"},
		{"It isn't 3.14, it's 3.15.", "It isn’t 3.14; it's 3.15.", "It [-isn't -]{+isn’t +}3.14[-, -]{+; +}it's 3.15."},
		{"case counts", "Case counts", "[-case -]{+Case +}counts"},
		{"  wrapped\n  otherwise ", "wrapped otherwise", "wrapped otherwise"},
		{" ", "\n\n", "\n\n"},
		{" ", "x", "{+x+}"},
		{"線を引く", "線は引く", "線[-を-]{+は+}引く"},
		{"bad \xff byte", "bad \xfe byte", "bad [-\xff -]{+\xfe +}byte"},
	} {
		if got := marked(wordRuns(test.a, test.b, false)); got != test.want {
			t.Errorf("%q and %q: %q, want %q", test.a, test.b, got, test.want)
		}
	}
}

func TestFoldedWords(t *testing.T) {
	runs := wordRuns("Opening hours: nine to six", "OPENING HOURS: ten to SIX", true)
	if got, want := marked(runs), "OPENING HOURS: [-nine -]{+ten +}to SIX"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	check(t, "Opening hours: nine to six", "OPENING HOURS: ten to SIX", runs)
}

// check tests what wordRuns promises of all runs.
func check(t *testing.T, a, b string, runs []Run) {
	t.Helper()
	var ofA, ofB strings.Builder
	for i, r := range runs {
		ofA.WriteString(r.A)
		ofB.WriteString(r.B)
		switch {
		case r.A == "" && r.B == "":
			t.Fatalf("run %d is empty", i)
		case i > 0 && r.Equal == runs[i-1].Equal:
			t.Fatalf("runs %d and %d are of one kind", i-1, i)
		}
	}
	if ofA.String() != a || ofB.String() != b {
		t.Fatalf("the runs of %q and %q make %q and %q", a, b, ofA.String(), ofB.String())
	}
}

// keys returns the words of a text, without white space, as they are compared.
func keys(text string) (out []string) {
	u := wordUnits(text)
	for i := 1; i < len(u.ends); i++ {
		out = append(out, strings.TrimSpace(u.span(i, i+1)))
	}
	return out
}

// common returns the length of the longest common subsequence, by a table of all beginnings.
func common(x, y []string) int {
	row := make([]int, len(y)+1)
	for _, a := range x {
		diagonal := 0
		for j, b := range y {
			above := row[j+1]
			if a == b {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(y)]
}

// within returns the words of u that are in its bytes [from, to), which must begin and end with units.
func (u units) within(t *testing.T, from, to int) (out []string) {
	t.Helper()
	start := 0
	for i, end := range u.ends {
		if (start < from && end > from) || (start < to && end > to) {
			t.Fatalf("bytes %d to %d are cut out of words", from, to)
		}
		if i > 0 && start >= from && end <= to {
			out = append(out, strings.TrimSpace(u.text[start:end]))
		}
		start = end
	}
	return out
}

// checkEqualWords tests that equal runs of a and b have the same words, and returns how many.
func checkEqualWords(t *testing.T, a, b string, runs []Run) (n int) {
	t.Helper()
	ofA, ofB, inA, inB := wordUnits(a), wordUnits(b), 0, 0
	for _, r := range runs {
		if r.Equal {
			x := ofA.within(t, inA, inA+len(r.A))
			y := ofB.within(t, inB, inB+len(r.B))
			if !slices.Equal(x, y) {
				t.Fatalf("%q and %q are taken to be equal", x, y)
			}
			n += len(x)
		}
		inA, inB = inA+len(r.A), inB+len(r.B)
	}
	return n
}

// texts returns two texts of up to n words of a vocabulary, one made from the other by some edits.
func texts(r *rand.Rand, n, vocabulary, edits int) (a, b string) {
	spaces := []string{" ", " ", " ", "\n", "  \n", ", "}
	word := func() string { return fmt.Sprint("w", r.IntN(vocabulary), spaces[r.IntN(len(spaces))]) }
	var x []string
	for range n {
		x = append(x, word())
	}
	y := append([]string(nil), x...)
	for range edits {
		at := r.IntN(len(y) + 1)
		switch {
		case at == len(y) || r.IntN(3) == 0:
			y = append(y[:at], append([]string{word()}, y[at:]...)...)
		case r.IntN(2) == 0:
			y[at] = word()
		default:
			y = append(y[:at], y[at+1:]...)
		}
	}
	return strings.Join(x, ""), strings.Join(y, "")
}

// The equal words of texts that are not long are as many as in the longest common subsequence.
func TestWordsAgainstTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		a, b := texts(r, r.IntN(60), 1+r.IntN(30), r.IntN(40))
		runs := wordRuns(a, b, false)
		check(t, a, b, runs)
		check(t, a, b, readable(a, b, runs))
		if got, want := checkEqualWords(t, a, b, runs), common(keys(a), keys(b)); got != want {
			t.Fatalf("%d equal words of %q and %q, want %d: %s", got, a, b, want, marked(runs))
		}
	}
}

// Long texts are divided at lines and at rare words. Of near texts hardly an equal word is lost.
func TestLongTexts(t *testing.T) {
	testkit.Long(t, "long texts")
	r := rand.New(rand.NewPCG(3, 4))
	for _, vocabulary := range []int{100, 100_000} {
		a, b := texts(r, 100_000, vocabulary, 500)
		runs := wordRuns(a, b, false)
		check(t, a, b, runs)
		n := len(keys(a))
		got := 0
		for _, r := range runs {
			if x, y := keys(r.A), keys(r.B); r.Equal && slices.Equal(x, y) {
				got += len(x)
			}
		}
		t.Logf("vocabulary of %d: %d of %d words equal, 500 edited", vocabulary, got, n)
		if got < n-n/50 {
			t.Errorf("%d of %d words are equal after 500 edits, vocabulary of %d", got, n, vocabulary)
		}
	}
}

// Texts that have nothing to do with each other, or are huge, take a bounded time.
func TestWordsIsBounded(t *testing.T) {
	testkit.Long(t, "long texts")
	r := rand.New(rand.NewPCG(5, 6))
	for _, test := range []struct{ n, vocabulary int }{{8_000, 3}, {8_000, 1000}, {300_000, 3}, {300_000, 1000}, {1_000_000, 1_000_000}} {
		a, _ := texts(r, test.n, test.vocabulary, 0)
		b, _ := texts(r, test.n, test.vocabulary, 0)
		start := time.Now()
		runs := wordRuns(a, b, false)
		took := time.Since(start)
		t.Logf("%+v, %d bytes: %d runs in %v", test, len(a)+len(b), len(runs), took)
		check(t, a, b, runs)
		if took > time.Minute {
			t.Errorf("%+v took %v", test, took)
		}
	}
	huge := strings.Repeat("x y ", wordBytes)
	if runs := wordRuns(huge+"a\n", huge+"b\n", false); len(runs) != 1 {
		t.Errorf("%d runs of two huge lines, want 1", len(runs))
	}
}

func TestReadable(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"on 2024-03-01 we", "on 2025-04-02 we", "on [-2024-03-01 -]{+2025-04-02 +}we"},
		{"Alice likes Bob today", "Alice hates Bob tomorrow", "Alice [-likes -]{+hates +}Bob [-today-]{+tomorrow+}"},
		{"quite another beginning of the long middle part and end", "something wholly different, the short conclusion and end",
			"[-quite another beginning of the long middle part -]{+something wholly different, the short conclusion +}and end"},
	} {
		if got := marked(readable(test.a, test.b, wordRuns(test.a, test.b, false))); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// The time for one difference of many pieces is proportional to their number.
func TestReadableIsBounded(t *testing.T) {
	var a, b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&a, "oneunlikeanother%d x%d ", i, i)
		fmt.Fprintf(&b, "twounlikeanother%d x%d ", i, i)
	}
	start := time.Now()
	runs := readable(a.String(), b.String(), wordRuns(a.String(), b.String(), false))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("%d runs in %v", len(runs), took)
	}
	if len(runs) > 10 {
		t.Errorf("%d runs, want one difference of many pieces", len(runs))
	}
}

func FuzzWords(f *testing.F) {
	f.Add("the drug is safe", "the drug is\tnot safe")
	f.Add(" \u0301", "\u200d x\r\n\r\n")
	f.Add("a b a b a", "b a b a b")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 4000 {
			t.Skip("slow to check by a table")
		}
		runs := wordRuns(a, b, false)
		check(t, a, b, runs)
		check(t, a, b, readable(a, b, runs))
		if got, want := checkEqualWords(t, a, b, runs), common(keys(a), keys(b)); got != want {
			t.Errorf("%d equal words, want %d", got, want)
		}
		check(t, a, b, wordRuns(a, b, true))
		long := differ{work: 100}
		long.compare(a, b, lineUnits, wordUnits)
		check(t, a, b, cut(a, b, long.parts))
	})
}
