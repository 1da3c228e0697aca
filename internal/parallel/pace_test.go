package parallel

import "testing"

func TestPaceFollowsMatches(t *testing.T) {
	t.Parallel()
	p := NewPace(10_000, 1000)
	if p.Size() != firstBatch {
		t.Errorf("%d queries together at first", p.Size())
	}
	for _, step := range []struct{ queries, matches, want int }{
		{256, 256 * 9, 50}, {50, 0, 400}, {400, 0, 500}, {500, 1_000_000_000, 1}, {1, 0, 8}, {8, 8, 64},
	} {
		if p.Learn(step.queries, step.matches); p.Size() != step.want {
			t.Errorf("after %d matches of %d queries: %d together, want %d", step.matches, step.queries, p.Size(), step.want)
		}
	}
	if NewPace(1, 1000).Size() != 1 || NewPace(0, 1000).Size() != 1 {
		t.Error("one query at a time is not one")
	}
}
