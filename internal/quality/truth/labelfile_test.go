package truth

import (
	"strings"
	"testing"

	"simsearch/internal/quality/report"
)

// A person finds each pair of a report once. Ids that are not UTF-8 stay distinct, in the form that the commands
// write and read.
func TestUnfilledLabels(t *testing.T) {
	pairs := func(all ...report.Example) []*report.Examples { return []*report.Examples{{Pairs: all}} }
	r := &report.Report{Sections: []*report.Section{
		{Examples: pairs(report.Example{A: "caf\xe9", B: "caf\xe8", Figures: "near"})},
		{Examples: pairs(report.Example{A: "caf\xe8", B: "caf\xe9"}, report.Example{A: "<a>", B: "b"})},
	}}
	want := `{"a":"caf` + "\uFFFD" + `E9","b":"caf` + "\uFFFD" + `E8","label":"","figures":"near"}` + "\n" + `{"a":"<a>","b":"b","label":"","figures":""}` + "\n"
	if got := string(UnfilledLabels(r)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := UnfilledLabels(new(report.Report)); len(got) > 0 {
		t.Errorf("%s of a report without pairs", got)
	}
}

// A file that cannot be understood is an error that names the line.
func TestOtherFiles(t *testing.T) {
	const good = `{"a":"a","b":"b","label":"yes"}` + "\n\n"
	for _, bad := range []string{"a,b,yes", `{"a":"a","label":"yes"}`, `{"cluster":"a"}`, "[]", "null", "\xef\xbb\xbf{}", `{"a":"a","b":`, `{"a":1,"b":2}`,
		strings.Repeat("x", longestLabel+1)} {
		err := eachLabel(strings.NewReader(good+bad), func(labelLine) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
			t.Errorf("%.99q: %v", bad, err)
		}
	}
}
