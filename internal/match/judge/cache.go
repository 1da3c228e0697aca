package judge

import (
	"sync"
	"sync/atomic"

	"simsearch/internal/ground/spill"
)

// A Cache has what is compared of texts that are asked for again and again. All Caches together keep a 64th of
// spill.DefaultMemory, and at most 32 MiB. It is safe for concurrent use.
type Cache struct {
	text   func(number uint32) ([]byte, error)
	number uint64 // of the Cache, in the upper half
}

var (
	mostCached = func() int64 { return min(32<<20, spill.DefaultMemory()/64) } // bytes
	caches     atomic.Uint32                                                   // as many as there have been

	knownBy sync.Mutex           // guards all below
	known   = map[uint64]*Text{} // by the numbers of their Cache and of themselves
	size    int64                // bytes of known, about
)

// NewCache returns a Cache of texts with numbers. text returns one of them, which is valid until the next call of the
// same goroutine.
func NewCache(text func(number uint32) ([]byte, error)) *Cache {
	return &Cache{text, uint64(caches.Add(1)) << 32}
}

// Of returns what is compared of a text. The error is that of reading it.
func (c *Cache) Of(number uint32) (*Text, error) {
	key := c.number | uint64(number)
	knownBy.Lock()
	t := known[key]
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
	if known[key] == nil { // still
		size += t.size()
	}
	known[key] = t
	// The order of a map is random. So of more texts than are kept, some are found if all are asked for in turn.
	for other, t := range known {
		if size <= mostCached() {
			break
		}
		delete(known, other)
		size -= t.size()
	}
	return t, nil
}

// size returns about how many bytes a text takes.
func (t *Text) size() int64 {
	return int64(4*(len(t.grams)+len(t.title)+len(t.head)+len(t.numbers)+len(t.openings)) + 8*len(t.early) + len(t.letters) + 640)
}
