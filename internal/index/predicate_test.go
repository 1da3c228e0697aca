package index

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/match/lsh"
)

// Errors about recall name the recall that was asked for, whatever recall the bands are planned
// for.
func TestErrorsSpeakOfTheRecallAskedFor(t *testing.T) {
	t.Parallel()
	b, err := lsh.ChooseWithReserve(lsh.Requirements{Threshold: 0.1, Recall: 0.95, Positions: 16})
	if !errors.Is(err, lsh.ErrRecall) || !strings.Contains(err.Error(), "a recall of 0.95 needs 0.975") || strings.Contains(err.Error(), "is wanted") {
		t.Errorf("%v: %v", b, err)
	}
	s := minHash(analysis.MinHash)
	for _, recall := range []float64{-0.5, 1.5} {
		c := Similar(0.8)
		c.Recall = recall
		if err := c.Check(s); !errors.Is(err, ErrNoSearch) || !strings.Contains(err.Error(), fmt.Sprintf("a recall of %v", recall)) {
			t.Errorf("recall %v: %v", recall, err)
		}
	}
	// More is planned than is asked for.
	b, err = lsh.ChooseWithReserve(lsh.Requirements{Threshold: 0.8, Recall: 0.95, Positions: 128})
	if p := b.Probability(0.8); err != nil || p < 0.975 {
		t.Errorf("%v, %v: found with probability %v", b, err, p)
	}
}

// searchedBy returns the predicate of a Jaccard similarity that is searched for with a recall, and verified in a way.
func searchedBy(threshold, recall float64, how Verification) Predicate {
	p := Similar(threshold)
	p.Recall, p.Verify = recall, how
	return p
}

// Nobody has said what is near: a search is refused, and what asks the predicate gets an answer.
func TestZeroPredicate(t *testing.T) {
	var p Predicate
	if p.BySets() || p.String() != "nothing" {
		t.Errorf("by sets: %v, %q", p.BySets(), p)
	}
	if err := p.Check(analysis.Settings{}); !errors.Is(err, ErrNoSearch) {
		t.Error(err)
	}
}
