package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

func square(_ context.Context, i int) (int, error) { return i * i, nil }

func TestOrdered(t *testing.T) {
	for _, threads := range []int{0, 1, 3, 50} {
		for _, n := range []int{0, 1, 100} {
			next := 0
			err := Ordered(t.Context(), threads, n, square, func(x int) error {
				if x != next*next {
					t.Errorf("threads %d: result %d is %d", threads, next, x)
				}
				next++
				return nil
			})
			if err != nil || next != n {
				t.Errorf("threads %d: %d results of %d, %v", threads, next, n, err)
			}
		}
	}
}

// No more tasks run at a time than there are threads.
func TestOrderedRunsSoMany(t *testing.T) {
	for _, threads := range []int32{1, 3} {
		var running, most atomic.Int32
		work := func(context.Context, int) (int, error) {
			defer running.Add(-1)
			if n := running.Add(1); n > threads {
				most.Store(n)
			}
			time.Sleep(2 * time.Millisecond) // so that others begin meanwhile
			return 0, nil
		}
		if err := Ordered(t.Context(), int(threads), 20, work, func(int) error { return nil }); err != nil || most.Load() > 0 {
			t.Errorf("%d tasks run on %d threads: %v", most.Load(), threads, err)
		}
	}
}

func TestOrderedStopsAtTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	var started atomic.Int32
	work := func(ctx context.Context, i int) (int, error) {
		started.Add(1)
		if i == 5 {
			return 0, broken
		}
		return i, nil
	}
	seen := 0
	err := Ordered(t.Context(), 2, 1000, work, func(int) error { seen++; return nil })
	if !errors.Is(err, broken) || seen != 5 {
		t.Errorf("got %v after %d results, want the error after 5", err, seen)
	}
	if n := started.Load(); n > 20 {
		t.Errorf("%d tasks started though the sixth failed", n)
	}
	seen = 0
	err = Ordered(t.Context(), 2, 1000, square, func(x int) error {
		if seen++; x == 9 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) || seen != 4 {
		t.Errorf("error of emit: got %v after %d results, want it after 4", err, seen)
	}
}

func TestOrderedStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := Ordered(ctx, 2, 1000, square, func(x int) error {
		if x == 16 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestStreamReportsErrorsOfItsItems(t *testing.T) {
	broken := errors.New("broken")
	items := func(yield func(int, error) bool) {
		for i := range 7 {
			if !yield(i, nil) {
				return
			}
		}
		if yield(0, broken) {
			t.Error("items are drawn behind an error")
		}
	}
	seen := 0
	err := Stream(t.Context(), 3, items, square, func(int) error { seen++; return nil })
	if !errors.Is(err, broken) || seen != 7 {
		t.Errorf("%v after %d results, want the error after 7", err, seen)
	}
}
