// Package parallel runs numbered tasks on several goroutines and hands on their
// results in the order of the numbers, so that output does not depend on threads.
package parallel

import (
	"context"
	"sync"
)

// Ordered calls work(ctx, i) for every i in [0, n) on up to threads goroutines
// (at least one) and emit with each result in order of i, from the caller's
// goroutine. At most 2*threads results exist at a time.
//
// It stops at the first error of work, emit or ctx, and returns it when all
// goroutines have ended. work gets a context that is cancelled then.
func Ordered[T any](ctx context.Context, threads, n int, work func(ctx context.Context, i int) (T, error), emit func(T) error) error {
	type result struct {
		value T
		err   error
	}
	threads = max(threads, 1)
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel(nil)

	slots := make(chan struct{}, threads)      // a running task holds one
	pending := make(chan chan result, threads) // in order of i
	wg.Go(func() {
		defer close(pending)
		for i := range n {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			done := make(chan result, 1)
			wg.Go(func() {
				value, err := work(ctx, i)
				<-slots
				done <- result{value, err}
			})
			select {
			case pending <- done:
			case <-ctx.Done():
				return
			}
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
