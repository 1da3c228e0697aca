package judge

import "sync"

// A Cache has what is compared of texts that are asked for again and again. It is safe for concurrent use.
type Cache struct {
	text  func(number uint32) ([]byte, error)
	mu    sync.Mutex
	known map[uint32]*Text
	size  int // bytes of known, about
}

// mostCached is about how many bytes a Cache takes.
const mostCached = 24 << 20

// NewCache returns a Cache of texts with numbers. text returns one of them, which is valid until the next call of the same goroutine.
func NewCache(text func(number uint32) ([]byte, error)) *Cache {
	return &Cache{text: text, known: map[uint32]*Text{}}
}

// Of returns what is compared of a text. The error is that of reading it.
func (c *Cache) Of(number uint32) (*Text, error) {
	c.mu.Lock()
	t := c.known[number]
	c.mu.Unlock()
	if t != nil {
		return t, nil
	}
	text, err := c.text(number)
	if err != nil {
		return nil, err
	}
	t = Read(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size > mostCached {
		clear(c.known)
		c.size = 0
	}
	c.known[number] = t
	c.size += 4*(len(t.grams)+len(t.title)+len(t.head)+len(t.numbers)) + 8*len(t.early) + 4*cap(t.forms) + 256
	return t, nil
}
