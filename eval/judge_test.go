package eval

import (
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/quality/truth"
)

// A judged search has the figures that an advice on the same search has.
func TestJudge(t *testing.T) {
	t.Parallel()
	c := load(t, []string{"one two three four", "one two three five", "six seven eight", "six seven eight", "nine ten"}, [][]string{{"d0", "d1"}, {"d2", "d3"}}, LoadOptions{Truth: "words"})
	s := analysis.Classic()
	a := newAdviser(c, AdviceOptions{Tries: []analysis.Settings{s}})
	if err := a.try(t.Context()); err != nil {
		t.Fatal(err)
	}
	best, ok := Recommend(a.choices, truth.Demands{})
	if !ok {
		t.Fatal("no choice")
	}
	p, r, err := Judge(t.Context(), c, best.Settings, best.Predicate)
	if err != nil || p != best.Precision || r != best.Recall || r.Trials != 2 {
		t.Errorf("%v and %v, advice has %v and %v; %v", p, r, best.Precision, best.Recall, err)
	}
	bad := s
	bad.Bits = 7
	if _, _, err := Judge(t.Context(), c, bad, best.Predicate); err == nil {
		t.Error("7 bits")
	}
}
