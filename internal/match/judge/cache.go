package judge

import (
	"cmp"
	"sync"
	"sync/atomic"

	"simsearch/internal/ground/spill"
)

// A Cache has what is compared of texts that are asked for again and again. All Caches together keep those that were asked for last, in
// as many bytes as LimitCaches says, or a 64th of spill.DefaultMemory. It is safe for concurrent use.
type Cache struct {
	text   func(number uint32) ([]byte, error)
	number uint64 // of the Cache, in the upper half
}

// leastCached is about how many bytes Caches take at least.
const leastCached = 24 << 20

var (
	caches     atomic.Uint32 // as many as there have been
	mostCached atomic.Int64  // bytes, or 0

	knownBy sync.Mutex // guards all below
	// recent has texts by the numbers of their Cache and of themselves, and older those that have not been asked for since recent was older.
	recent, older = map[uint64]*Text{}, map[uint64]*Text{}
	size          int64 // bytes of recent, about
)

// NewCache returns a Cache of texts with numbers. text returns one of them, which is valid until the next call of the same goroutine.
func NewCache(text func(number uint32) ([]byte, error)) *Cache {
	return &Cache{text, uint64(caches.Add(1)) << 32}
}

// Of returns what is compared of a text. The error is that of reading it.
func (c *Cache) Of(number uint32) (*Text, error) {
	key := c.number | uint64(number)
	knownBy.Lock()
	t := recent[key]
	if t == nil {
		if t = older[key]; t != nil {
			keep(key, t)
		}
	}
	knownBy.Unlock()
	if t != nil {
		return t, nil
	}
	text, err := c.text(number)
	if err != nil {
		return nil, err
	}
	t = Read(text)
	knownBy.Lock()
	defer knownBy.Unlock()
	keep(key, t)
	return t, nil
}

// LimitCaches sets about how many bytes all Caches keep, which is leastCached at least.
func LimitCaches(bytes int64) { mostCached.Store(max(leastCached, bytes)) }

// keep adds a text to recent.
func keep(key uint64, t *Text) {
	recent[key] = t
	if size += t.size(); size > cmp.Or(mostCached.Load(), max(leastCached, spill.DefaultMemory()/64))/2 {
		recent, older, size = map[uint64]*Text{}, recent, 0
	}
}

// size returns about how many bytes a text takes.
func (t *Text) size() int64 {
	return int64(4*(len(t.grams)+len(t.title)+len(t.head)+len(t.numbers)) + 8*len(t.early) + len(t.letters) + 960)
}
