package server

import (
	"context"
	"sync/atomic"
	"time"

	"simsearch/internal/serve/service"
)

// places are where requests are answered: as many as can run at once, and a queue before them, in which none waits
// for long. What finds no place is told at once, or after the time that it may wait, so that overload costs little
// and lasts no longer than it has to.
type places struct {
	running  chan struct{}
	waiting  atomic.Int64
	most     int64 // that wait
	patience time.Duration
}

var (
	errFull     = service.Errorf(service.TooMany, "", "the server is busy: send fewer requests at once, and this one again after a second")
	errMemory   = service.Errorf(service.Unavailable, "", "the requests under way take all the memory that they may: send this one again after a second")
	errExports  = service.Errorf(service.TooMany, "", "as many exports as there may be are under way: send this request again later")
	errUnsound  = service.Errorf(service.Unavailable, "", "it does not answer now; its log says more")
	errStopping = service.Errorf(service.Unavailable, "", "the server is stopping")
)

// enter waits for a place, which leave gives back unless there is an error.
func (p *places) enter(ctx context.Context) error {
	select {
	case p.running <- struct{}{}:
		return nil
	default:
	}
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > p.most {
		return errFull
	}
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	select {
	case p.running <- struct{}{}:
		return nil
	case <-timer.C:
		return errFull
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *places) leave() { <-p.running }

// wait returns when no request is answered any more, and lets none be answered again.
func (p *places) wait() {
	for range cap(p.running) {
		p.running <- struct{}{}
	}
}

// A budget is memory that requests share.
type budget struct {
	free atomic.Int64
	all  int64
}

func newBudget(n int64) *budget {
	b := &budget{all: n}
	b.free.Store(n)
	return b
}

// take takes n bytes, and reports whether there were as many.
func (b *budget) take(n int64) bool {
	if b.free.Add(-n) >= 0 {
		return true
	}
	b.free.Add(n)
	return false
}

func (b *budget) give(n int64) { b.free.Add(n) }
