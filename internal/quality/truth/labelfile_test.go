package truth

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/quality/report"
)

// row returns the row of a pair that a report shows.
func row(a, b, figures string) labelRow {
	return rowsOf(&report.Report{Sections: []*report.Section{{Examples: []*report.Examples{{Pairs: []report.Example{{A: a, B: b, Figures: figures}}}}}}})[0]
}

func merged(t *testing.T, old string, pairs ...labelRow) string {
	t.Helper()
	var b bytes.Buffer
	if err := mergeLabels(&b, strings.NewReader(old), pairs); err != nil {
		t.Fatalf("%q: %v", old, err)
	}
	return b.String()
}

func TestMerge(t *testing.T) {
	ab, cd := row("a", "b", "near"), row("c", "d", "far")
	const emptyAB, emptyCD = `{"a":"a","b":"b","label":"","figures":"near"}` + "\n", `{"a":"c","b":"d","label":"","figures":"far"}` + "\n"
	for name, tt := range map[string]struct {
		old   string
		pairs []labelRow
		want  string
	}{
		"new":                          {"", []labelRow{ab, cd, row("b", "a", "near")}, emptyAB + emptyCD},
		"the same again":               {emptyAB + emptyCD, []labelRow{ab, cd}, emptyAB + emptyCD},
		"nobody has judged":            {emptyAB, []labelRow{cd}, emptyCD},
		"judged":                       {`{"a":"a","b":"b","label":"yes","figures":"old"}`, []labelRow{cd, ab}, `{"a":"a","b":"b","label":"yes","figures":"old"}` + "\n" + emptyCD},
		"the other way round":          {`{"a":"b","b":"a","label":0}`, []labelRow{ab}, `{"a":"b","b":"a","label":0}` + "\n"},
		"not chosen again":             {`{"a":"x","b":"y","label":false}` + "\n\n" + emptyAB, []labelRow{cd}, `{"a":"x","b":"y","label":false}` + "\n" + emptyCD},
		"a cluster":                    {`{"cluster":["b","x","a"]}`, []labelRow{ab, cd}, `{"cluster":["b","x","a"]}` + "\n" + emptyCD},
		"doubt":                        {`{"a":"a","b":"b","label":"?","figures":"near"}`, []labelRow{ab}, `{"a":"a","b":"b","label":"?","figures":"near"}` + "\n"},
		"no label is a label":          {`{"a":"a","b":"b"}`, []labelRow{ab}, `{"a":"a","b":"b"}` + "\n"},
		"a note":                       {`{"a":"a","b":"b","label":"","figures":"near","note":"ask"}`, []labelRow{ab}, `{"a":"a","b":"b","label":"","figures":"near","note":"ask"}` + "\n"},
		"line ends of other systems":   {`{"a":"a","b":"b","label":"no","figures":"near"}` + "\r\n", []labelRow{cd}, `{"a":"a","b":"b","label":"no","figures":"near"}` + "\n" + emptyCD},
		"labels of both kinds, no new": {`{"a":"a","b":"b","label":1}` + "\n" + `{"a":"a","b":"b","label":0}`, nil, `{"a":"a","b":"b","label":1}` + "\n" + `{"a":"a","b":"b","label":0}` + "\n"},
	} {
		if got := merged(t, tt.old, tt.pairs...); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", name, got, tt.want)
		}
	}
}

// A file that cannot be understood is an error that names the line.
func TestMergeOfOtherFiles(t *testing.T) {
	const good = `{"a":"a","b":"b","label":"yes"}` + "\n\n"
	for _, bad := range []string{"a,b,yes", `{"a":"a","label":"yes"}`, `{"cluster":"a"}`, "[]", "null", "\xef\xbb\xbf{}", `{"a":"a","b":`, `{"a":1,"b":2}`} {
		err := mergeLabels(&bytes.Buffer{}, strings.NewReader(good+bad), nil)
		if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	err := mergeLabels(&bytes.Buffer{}, strings.NewReader(good+strings.Repeat("x", longestLabel+1)), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Errorf("a long line: %v", err)
	}
}

// Ids that are not UTF-8 stay distinct, in the form that the commands write and read.
func TestIDsThatAreNotUTF8(t *testing.T) {
	pair := row("caf\xe9", "caf\xe8", "")
	want := `{"a":"caf` + "\uFFFD" + `E9","b":"caf` + "\uFFFD" + `E8","label":"","figures":""}` + "\n"
	if got := merged(t, "", pair); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	judged := strings.Replace(want, `"label":""`, `"label":"no"`, 1)
	if got := merged(t, judged, pair); got != judged {
		t.Errorf("%s, want %s", got, judged)
	}
}

// Over many runs and judgements, each label that was given is there, in the order in which the pairs came, and no pair is
// there twice.
func TestManyRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	id := func() string { return string(rune('a' + r.IntN(6))) }
	file, given := "", map[string]string{}
	for range 300 {
		var pairs []labelRow
		for range r.IntN(5) {
			pairs = append(pairs, row(id(), id(), id()))
		}
		file = merged(t, file, pairs...)
		seen, asked := map[[2]string]bool{}, 0
		if err := eachLabel(strings.NewReader(file), func(text []byte, l labelLine) error {
			pair := labelRow{A: *l.A, B: *l.B}.key()
			if seen[pair] {
				return errors.New("twice")
			}
			seen[pair] = true
			if untouched(text) {
				asked++
			}
			return nil
		}); err != nil {
			t.Fatalf("%v in\n%s", err, file)
		}
		for _, p := range pairs {
			if !seen[p.key()] {
				t.Fatalf("%v is not in\n%s", p, file)
			}
		}
		if asked > len(pairs) {
			t.Fatalf("%d pairs wait, and %d were chosen", asked, len(pairs))
		}
		for line, label := range given {
			if !strings.Contains(file, line) {
				t.Fatalf("the label %q of %s is lost:\n%s", label, line, file)
			}
		}
		lines := slices.Collect(strings.Lines(file))
		if len(lines) > 0 {
			i := r.IntN(len(lines))
			if label := []string{`"yes"`, `"no"`, "1", "false"}[r.IntN(4)]; strings.Contains(lines[i], `"label":""`) {
				lines[i] = strings.Replace(lines[i], `"label":""`, `"label":`+label, 1)
				given[lines[i]] = label
			}
		}
		file = strings.Join(lines, "")
	}
	if len(given) < 15 {
		t.Errorf("only %d labels were given", len(given))
	}
}

// Whatever the file is, merging is an error, or keeps each line that is not as Merge writes it; and doing it again changes
// nothing.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(`{"a":"a","b":"b","label":"yes"}`+"\n"+`{"cluster":["a"]}`), "a", "b")
	f.Fuzz(func(t *testing.T, old []byte, a, b string) {
		pairs := []labelRow{row(a, b, "x")}
		var once, twice bytes.Buffer
		if mergeLabels(&once, bytes.NewReader(old), pairs) != nil {
			return
		}
		for line := range bytes.Lines(old) {
			if line = bytes.TrimSpace(line); !untouched(line) && !bytes.Contains(once.Bytes(), line) {
				t.Errorf("%q is lost", line)
			}
		}
		if err := mergeLabels(&twice, bytes.NewReader(once.Bytes()), pairs); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%q becomes %q, %v", once.Bytes(), twice.Bytes(), err)
		}
	})
}
