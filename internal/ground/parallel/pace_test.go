package parallel

import "testing"

func TestPaceFollowsMatches(t *testing.T) {
	t.Parallel()
	p := NewPace(10_000, 1000, 1)
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
	if NewPace(1, 1000, 1).Size() != 1 || NewPace(0, 1000, 2).Size() != 1 {
		t.Error("one query at a time is not one")
	}
}

// However few questions there are, no thread has more than its share of them, or the first batch. Many questions are
// asked as many together as with one thread.
func TestPaceLeavesQuestionsToAllThreads(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{2, 3, 8} {
		p, asked := NewPace(1<<14, 1<<20, threads), 0
		var running []int
		for p.Size() < 1<<14 {
			n := p.Size()
			if most := max(firstBatch, (asked+n)/threads); n > most {
				t.Fatalf("%d threads: %d questions together after %d", threads, n, asked)
			}
			asked += n
			if running = append(running, n); len(running) == 2*threads { // as many as Stream draws
				p.Learn(running[0], 0)
				running = running[1:]
			}
			if asked > 1<<20*threads {
				t.Fatalf("%d threads: %d questions together after %d", threads, p.Size(), asked)
			}
		}
	}
}
