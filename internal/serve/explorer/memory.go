package explorer

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"simsearch/internal/quality/report"
	"simsearch/internal/serve/service"
)

// A text is what a person asks about.
type text struct {
	Name string // of its file, or what it is called
	Text string
	// Of a picture, Text is about its file, and Picture is a small copy.
	Picture report.HTML
	sent    service.Content // of a picture that is no document
	bytes   int             // of the file of a document
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
		n += int64(len(t.Name) + len(t.Text) + len(t.Picture))
	}
	return n
}

const (
	keptFor  = 2 * time.Hour
	keptMost = 1000 // inquiries
)

// A memory keeps inquiries for a while, the last ones within a number of bytes, so that pages about them have an
// address.
type memory struct {
	mu    sync.Mutex
	most  int64
	bytes int64
	all   []*inquiry // the last one used is the last
	now   func() time.Time
}

func newMemory(most int64) *memory { return &memory{most: most, now: time.Now} }

// keep keeps an inquiry, and returns a key that nobody can guess.
func (m *memory) keep(q *inquiry) string {
	q.key = rand.Text()
	m.mu.Lock()
	defer m.mu.Unlock()
	q.until = m.now().Add(keptFor)
	m.all = append(m.all, q)
	m.bytes += q.bytes()
	m.trim()
	return q.key
}

// get returns an inquiry, or nil if it is not known any more.
func (m *memory) get(key string) *inquiry {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trim()
	i := slices.IndexFunc(m.all, func(q *inquiry) bool { return q.key == key })
	if i < 0 {
		return nil
	}
	q := m.all[i]
	m.all = append(slices.Delete(m.all, i, i+1), q)
	q.until = m.now().Add(keptFor)
	return q
}

// trim forgets what is too old or too much. The last inquiry stays.
func (m *memory) trim() {
	for len(m.all) > 0 {
		q := m.all[0]
		if m.now().Before(q.until) && (m.bytes <= m.most && len(m.all) <= keptMost || len(m.all) == 1) {
			return
		}
		m.all = slices.Delete(m.all, 0, 1)
		m.bytes -= q.bytes()
	}
}
