package explain

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/judge"
)

const (
	drugA = "After the trials of last spring, the commission says that the drug is safe for children of more than 12 years, if they take it with some water and not in the evening."
	drugB = "After the trials of last spring, the commission says that the drug is not safe for children of more than 15 years, if they take it with some water and not in the evening."
)

func TestLines(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("one two three four five ", 100))
	for _, test := range []struct {
		name, a, b string
		limit      int
		style      Style
		want       []string
	}{
		{"near changes are one passage", drugA, drugB, 5, Style{}, []string{
			"… the commission says that the drug is {+not+} safe for children of more than [-12-] {+15+} years, if they take it with some water …",
			"they differ in a number: 12 / 15, and in a negation: not",
		}},
		{"a limit", drugA, drugB, 1, Style{Indent: "  "}, []string{
			"  … the commission says that the drug is {+not+} safe for children of more than …",
			"  … and 1 more difference",
			"  they differ in a number: 12 / 15, and in a negation: not",
		}},
		{"no differences wanted", drugA, drugB, 0, Style{}, []string{
			"2 differences", "they differ in a number: 12 / 15, and in a negation: not",
		}},
		{"lines fit", drugA, drugB, 5, Style{Indent: "  ", Columns: 40}, []string{
			"  … the commission says that the drug is",
			"  {+not+} safe for children of more than",
			"  [-12-] {+15+} years, if they take it",
			"  with some water …",
			"  they differ in a number: 12 / 15, and in a negation: not",
		}},
		{"colours", "it is safe", "it is sound", 5, Style{Colours: true}, []string{
			"it is \x1b[31m[-safe-]\x1b[0m \x1b[32m{+sound+}\x1b[0m",
		}},
		{"apart", "first " + long + " last", "1st " + long + " final", 5, Style{}, []string{
			"[-first-] {+1st+} one two three four five one two three …",
			"… three four five one two three four five [-last-] {+final+}",
		}},
		{"long", "x " + long + " y", "x y", 5, Style{}, []string{
			"x [-" + strings.TrimSpace(strings.Repeat("one two three four five ", 7)[:157]) + " … 451 words … " +
				"five one two three four five one two three four five one two three four five-] y",
			"they differ in numbers in longer passages: two, three, four, five",
		}},
		{"inside words", "on 2024-03-01 at", "on 2024-04-01 at", 5, Style{}, []string{
			"on 2024-[-03-]{+04+}-01 at", "they differ in a number: 03 / 04",
		}},
		{"only case", "The Mill", "THE MILL!", 5, Style{}, []string{
			"THE MILL{+!+}", "they differ in case, punctuation or spaces only",
		}},
		{"capitals", "Opening hours of the library: nine to six", "OPENING HOURS OF THE LIBRARY: TEN TO SIX", 5, Style{}, []string{
			"OPENING HOURS OF THE LIBRARY: [-nine-] {+TEN+} TO SIX", "they differ in a number: nine / ten", "upper and lower case differ, too",
		}},
		{"capitals alone", "Opening hours", "OPENING HOURS", 5, Style{}, []string{"the texts are equal but for upper and lower case"}},
		{"white space", "The  Mill", "The\nMill", 5, Style{}, []string{"the texts are equal but for white space"}},
		{"equal", "The Mill", "The Mill", 5, Style{}, []string{"the texts are equal"}},
		{"control", "x \x1b[J y", "x \x07 y", 5, Style{}, []string{"x [-�1B[J-] {+�07+} y"}},
	} {
		if got := CompareTexts(test.a, test.b, test.limit).Lines(test.style); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

func TestRemarks(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"pay 1,000 dollars today", "pay 1,500 dollars today", "they differ in a number: 1,000 / 1,500"},
		{"2 3 4 5 6 7 apples", "apples", "they differ in numbers: 2, 3, 4, 5 and 2 more"},
		{"first 12 then a pause", "then a pause first 12", "the words are the same, in another order"},
		{"file f81d4fae and x86", "file 3ad00fae and x87", "they differ in numbers: f81d4fae / 3ad00fae, x86 / x87"},
		{"take 5mg on the 2nd", "take 15mg on the 3rd", "they differ in numbers: 5mg / 15mg, 2nd / 3rd"},
		{"it isn't clear to me", "it is clear to me", "they differ in a negation: isn't"},
		{"it isn't clear", "it isn’t clear", "they differ in case, punctuation or spaces only"},
		{"he commits a sin today", "he commits a crime today", ""}, // without, in Spanish
		{"die Brücke ist nicht sicher, und der Weg ist lang", "die Brücke ist sicher, und der Weg ist lang", "they differ in a negation: nicht"},
		{"ce médicament n'est pas sûr pour les enfants et il est cher", "ce médicament est sûr pour les enfants et il est cher", "they differ in negations: n'est, pas"},
		{"这种药对儿童不安全", "这种药对儿童很安全", "they differ in a negation: 不"},
		{"never with milk", "always with milk", "they differ in a negation: never"},
		{"ne\u00adver with milk", "always with milk", "they differ in a negation: never"},
		{"with milk", "without milk", "they differ in a negation: without"},
		{"nobody came", "somebody came", "they differ in a negation: nobody"},
		{"１２ apples", "12 apples", "they differ in case, punctuation or spaces only"},
		{"the house is red", "the house is blue", ""},
		{"The gate opens at nine and it closes at noon", "The gate opens at ten and it closes at noon", "they differ in a number: nine / ten"},
		{"Der Kuchen backt fünfzig Minuten und ist dann fertig", "Der Kuchen backt vierzig Minuten und ist dann fertig", "they differ in a number: fünfzig / vierzig"},
		{"it happened once to him and to all of them", "it happened to him and to all of them", ""}, // eleven, in Spanish
		{"会议在三月开始", "会议在五月开始", "they differ in a number: 三 / 五"},
		{"from 1990 to 1999 and from 1990 to 1999", "from 1991 to 1999 and from 1991 to 1999", "they differ in a number: 1990 / 1991"},
		{"It is closed. There it ends.", "It is closed. It will not open before 12 o'clock on Monday morning. There it ends.", "they differ in a number in longer passages: 12, and in a negation in longer passages: not"},
	} {
		got := strings.Join(CompareTexts(test.a, test.b, 9).Remarks, "; ")
		if got != test.want {
			t.Errorf("%q and %q: %q, want %q", test.a, test.b, got, test.want)
		}
	}
}

func TestChangeAsJSON(t *testing.T) {
	d := CompareTexts(drugA, drugB, 1)
	got, err := json.Marshal(d.Changes)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"before":"… the commission says that the drug is","a":"","b":"not","after":"safe for children of more than …"}]`
	if string(got) != want || d.More != 1 {
		t.Errorf("%s and %d more, want %s and 1", got, d.More, want)
	}
}

// What is shown of any text fits its lines, and nothing in it controls a terminal.
func FuzzShow(f *testing.F) {
	f.Add(drugA, drugB, 2, 40)
	f.Add("線を引く\u200d x", "線は\x1b[31m引く 12", 9, 12)
	f.Fuzz(func(t *testing.T, a, b string, limit, columns int) {
		limit, columns = limit&7, columns&127
		if title := judge.Title(a, columns); terminal.Columns(title) > columns {
			t.Errorf("the title %q takes more than %d columns", title, columns)
		}
		d := CompareTexts(a, b, limit)
		if len(d.Changes) > limit {
			t.Errorf("%d changes, want %d at most", len(d.Changes), limit)
		}
		if len(d.Changes) == 0 && d.More == 0 && len(d.Remarks) == 0 {
			t.Errorf("nothing is said of %q and %q", a, b)
		}
		for _, line := range d.Lines(Style{Columns: columns, Indent: "  "}) {
			if terminal.Harmless(line) != line {
				t.Errorf("%q controls a terminal", line)
			}
			if longest := longestPiece(line); columns > 0 && terminal.Columns(line) > max(columns, longest+2) && !slices.Contains(d.Remarks, line[2:]) && !strings.HasSuffix(line, " differences") && !strings.HasSuffix(line, " difference") {
				t.Errorf("%q takes more than %d columns, and its longest piece %d", line, columns, longest)
			}
		}
	})
}

func TestTitles(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want []string
	}{
		{"", "", nil},
		{"x", "x", []string{"  x"}},
		{"x", "y", []string{"  - x", "  + y"}},
		{"x", "", []string{"  - x"}},
		{"", "y", []string{"  + y"}},
	} {
		if got := (Style{Indent: "  "}).Titles(test.a, test.b); !slices.Equal(got, test.want) {
			t.Errorf("%q and %q: %q", test.a, test.b, got)
		}
	}
	if got := (Style{Colours: true}).Titles("x", "y"); got[0] != "\x1b[31m- x\x1b[0m" || got[1] != "\x1b[32m+ y\x1b[0m" {
		t.Errorf("%q", got)
	}
}

func TestFailure(t *testing.T) {
	err := errors.Join(errors.New("a\x1b has changed"), errors.New("b is gone"))
	if got := (Style{Indent: "  "}).Failure(err); got != "  not shown: a�1B has changed; b is gone" {
		t.Error(got)
	}
}

// longestPiece returns the columns of the longest piece of a line without a space in it.
func longestPiece(line string) (columns int) {
	for _, w := range strings.Fields(line) {
		columns = max(columns, terminal.Columns(w))
	}
	return columns
}
