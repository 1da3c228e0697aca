package explorer

import (
	"container/list"
	"crypto/rand"
	"sync"
	"time"
)

// A text is what a person asks about.
type text struct {
	Name string // of its file, or what it is called
	Text string
}

// An inquiry is the texts of a form, and what is to be said of those that were left out.
type inquiry struct {
	texts []text
	notes []string

	key   string
	until time.Time
}

func (q *inquiry) bytes() (n int64) {
	for _, t := range q.texts {
		n += int64(len(t.Name) + len(t.Text))
	}
	return n
}

const (
	keptFor  = 2 * time.Hour
	keptMost = 1000 // inquiries
)

// A memory keeps inquiries for a while, the last ones within a number of bytes, so that pages about them have an address.
type memory struct {
	mu    sync.Mutex
	most  int64
	bytes int64
	byKey map[string]*list.Element
	all   *list.List // of *inquiry, the last one used first
	now   func() time.Time
}

func newMemory(most int64) *memory {
	return &memory{most: most, byKey: map[string]*list.Element{}, all: list.New(), now: time.Now}
}

// keep keeps an inquiry, and returns a key that nobody can guess.
func (m *memory) keep(q *inquiry) string {
	q.key = rand.Text()
	m.mu.Lock()
	defer m.mu.Unlock()
	q.until = m.now().Add(keptFor)
	m.byKey[q.key] = m.all.PushFront(q)
	m.bytes += q.bytes()
	m.trim()
	return q.key
}

// get returns an inquiry, or nil if it is not known any more.
func (m *memory) get(key string) *inquiry {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trim()
	e := m.byKey[key]
	if e == nil {
		return nil
	}
	m.all.MoveToFront(e)
	q := e.Value.(*inquiry)
	q.until = m.now().Add(keptFor)
	return q
}

// trim forgets what is too old or too much. The last inquiry stays.
func (m *memory) trim() {
	for e := m.all.Back(); e != nil; e = m.all.Back() {
		q := e.Value.(*inquiry)
		if m.now().Before(q.until) && (m.bytes <= m.most && m.all.Len() <= keptMost || m.all.Len() == 1) {
			return
		}
		m.all.Remove(e)
		delete(m.byKey, q.key)
		m.bytes -= q.bytes()
	}
}
