// Package parallel runs tasks on several goroutines. Results come in the order of the tasks, so that output
// does not depend on the number of goroutines.
package parallel

import (
	"context"
	"iter"
	"sync"

	"simsearch/internal/ground/disk"
)

// Ordered is Stream for the items 0 to n-1: it calls work(ctx, i) for every i in [0, n), and emit with each
// result in order of i.
func Ordered[T any](ctx context.Context, threads, n int, work func(ctx context.Context, i int) (T, error), emit func(T) error) error {
	numbers := func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
	return Stream(ctx, threads, numbers, work, emit)
}

// Stream calls work(ctx, in) for every item of items, on at most threads goroutines, and on at least one. It
// calls emit with each result, in the order of the items, on the goroutine of the caller. items runs on a
// goroutine of its own. At most 2*threads items have been drawn and not emitted at a time.
//
// Stream stops at the first error of items, work, emit or ctx. It cancels the context of work then, and
// returns the error when all goroutines have ended. items and work may read maps: they run inside
// disk.Guarded.
func Stream[In, Out any](ctx context.Context, threads int, items iter.Seq2[In, error], work func(ctx context.Context, in In) (Out, error),
	emit func(Out) error) error {
	type result struct {
		value Out
		err   error
	}
	threads = max(threads, 1)
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)

	slots := make(chan struct{}, threads)      // one for each running task
	pending := make(chan chan result, threads) // in order of the items
	wg.Go(func() {
		defer close(pending)
		// hand sends the next result. Nothing follows an error of items.
		hand := func(in In, err error) (more bool) {
			done := make(chan result, 1)
			if err != nil {
				done <- result{err: err}
			} else {
				select {
				case slots <- struct{}{}:
				case <-ctx.Done():
					return false
				}
				wg.Go(func() {
					var r result
					r.err = disk.Guarded(func() (err error) {
						r.value, err = work(ctx, in)
						return err
					})
					<-slots
					done <- r
				})
			}
			select {
			case pending <- done:
			case <-ctx.Done():
				return false
			}
			return err == nil
		}
		fault := disk.Guarded(func() error {
			for in, err := range items {
				if !hand(in, err) {
					break
				}
			}
			return nil
		})
		if fault != nil {
			var none In
			hand(none, fault)
		}
	})
	for done := range pending {
		r := <-done
		if r.err == nil {
			r.err = context.Cause(ctx)
		}
		if r.err == nil {
			r.err = emit(r.value)
		}
		if r.err != nil {
			cancel(r.err)
			return r.err
		}
	}
	return context.Cause(ctx)
}
