package intake

import (
	"iter"
	"sync"

	"simsearch/document"
)

// Unanswered keeps something of each document that has been read and not been answered yet, in order.
// Documents may be read on another goroutine than they are answered.
type Unanswered[T any] struct {
	mu      sync.Mutex
	waiting []T
}

// Keep yields documents and keeps what of returns of each. It must not keep slices of the document.
func (u *Unanswered[T]) Keep(documents iter.Seq2[*document.Document, error], of func(*document.Document) T) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil {
				kept := of(doc)
				u.mu.Lock()
				u.waiting = append(u.waiting, kept)
				u.mu.Unlock()
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// Next returns what is kept of the document that is answered next, and forgets it. It panics if no
// document waits.
func (u *Unanswered[T]) Next() T {
	u.mu.Lock()
	defer u.mu.Unlock()
	var none T
	next := u.waiting[0]
	u.waiting[0], u.waiting = none, u.waiting[1:]
	return next
}
