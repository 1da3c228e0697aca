package eval

import (
	"testing"

	"simsearch/internal/truth"
)

// Designs that find the distance miss nothing.
func TestBlocksOfTheSearchExperiment(t *testing.T) {
	texts, _ := generated()
	c := load(t, texts, nil, LoadOptions{Truth: "word:3", Threads: 2})
	s, err := search(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	exact := 0
	for _, row := range s.Tables[2].Rows {
		if missed := row[7].(truth.Rate); missed.Hits != 0 || missed.Trials == 0 {
			t.Errorf("%s misses %v", row[0], missed)
		}
		exact++
	}
	if exact < 10 {
		t.Errorf("%d exact designs", exact)
	}
}
