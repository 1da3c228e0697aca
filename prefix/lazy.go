package prefix

import "sync"

// A lazy is a value that is made when it is first needed. It is safe for concurrent use.
type lazy[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (l *lazy[T]) get(fill func() (T, error)) (T, error) {
	l.once.Do(func() { l.value, l.err = fill() })
	return l.value, l.err
}
