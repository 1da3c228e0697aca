package terminal

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// printed returns what rows print for a terminal of a width.
func printed(t *testing.T, onTerminal bool, columns int, put func(r *Rows) error) string {
	t.Helper()
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	r := NewRows(w, onTerminal, columns, false)
	if err := put(r); err != nil {
		t.Fatal(err)
	}
	if _, err := r.End(); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func pair(a, b string, jaccard float64, distance int) []Column {
	return []Column{{"a", ID(a)}, {"b", ID(b)}, {"jaccard", jaccard}, {"distance", distance}}
}

func TestRows(t *testing.T) {
	pairs := func(r *Rows) error {
		for _, p := range [][]Column{
			pair("/usr/share/man/de/man1/a.1.gz", "/usr/share/man/de/man1/b.1.gz", 1, 0),
			pair("/usr/share/man/man1/a-very-long-name-of-a-command-with-options.1.gz", "/usr/share/man/man1/b.1.gz", .875, 12),
		} {
			if err := r.PrintWith([]string{"  below"}, p...); err != nil {
				return err
			}
		}
		return nil
	}
	for _, test := range []struct {
		name       string
		onTerminal bool
		columns    int
		want       string
	}{
		{"no terminal", false, 0, "/usr/share/man/de/man1/a.1.gz\t/usr/share/man/de/man1/b.1.gz\t1.0000\t0\n  below\n" +
			"/usr/share/man/man1/a-very-long-name-of-a-command-with-options.1.gz\t/usr/share/man/man1/b.1.gz\t0.8750\t12\n  below\n"},
		{"unknown width", true, 0, `JACCARD  DISTANCE  A                                                                    B
 1.0000         0  /usr/share/man/de/man1/a.1.gz                                        /usr/share/man/de/man1/b.1.gz
  below
 0.8750        12  /usr/share/man/man1/a-very-long-name-of-a-command-with-options.1.gz  /usr/share/man/man1/b.1.gz
  below
`},
		{"60 columns", true, 60, `JACCARD  DISTANCE  A                    B
 1.0000         0  /usr/s…/man1/a.1.gz  /usr/s…/man1/b.1.gz
  below
 0.8750        12  /usr/s…options.1.gz  /usr/s…/man1/b.1.gz
  below
`},
	} {
		if got := printed(t, test.onTerminal, test.columns, pairs); got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.name, got, test.want)
		}
	}
}

// Rows fit the terminal as long as it is not absurdly narrow.
func TestRowsFit(t *testing.T) {
	long := strings.Repeat("線を/", 60)
	for columns := 40; columns < 120; columns++ {
		got := printed(t, true, columns, func(r *Rows) error {
			for _, row := range [][]Column{pair("x"+long, "y"+long, .5, 3), pair("x", "y"+long, .5, 3)} {
				if err := r.Print(row...); err != nil {
					return err
				}
			}
			return nil
		})
		for line := range strings.Lines(got) {
			if n := Columns(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%d columns of %d: %q", n, columns, line)
			}
		}
	}
}

// A long list appears a screen at a time.
func TestLongListBegins(t *testing.T) {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	r := NewRows(w, true, 80, false)
	for range screen {
		if err := r.Print(pair("a", "b", 1, 0)...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != screen+1 {
		t.Errorf("%d lines after %d rows", n, screen)
	}
}
