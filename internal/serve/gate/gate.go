// Package gate decides which documents come to an index that is searched meanwhile: a document that is near another
// one stays outside, unless it is to be linked to it or to take its place. Of many callers with near documents,
// exactly one adds its own.
//
// A search of an index that grows costs a segment in memory for each Snapshot. So the Gate takes a Snapshot now and
// then, and looks up what has come since in a memory of its own: a View is both. A caller analyses its documents,
// searches by a View, and packs what seems to be new, beside all others. Then Live.Change calls decide, while nothing
// else changes: it looks up only what has come since the View was taken.
package gate

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"simsearch/internal/index"
	"simsearch/internal/index/segment"
	"simsearch/internal/match/judge"
)

// A Gate is the door of an index by which documents come. Other changes of the Live are noticed. It is safe for
// concurrent use.
type Gate struct {
	live *index.Live     // nil if the index is followed
	near index.Predicate // what the index is made for
	most int             // mostChanges, or less in tests
	keep int64           // bytes that searches may keep; 0 is what they do if nobody says

	rotating sync.Mutex    // held by the goroutine that takes a Snapshot
	begun    atomic.Uint64 // how many were begun
	behind   atomic.Bool   // a Snapshot is taken in the background
	work     sync.WaitGroup

	mu      sync.Mutex // guards all below
	current *View
	before  *View // the View before, which may be gone: callers that have searched by it have it
	next    *View // while its Snapshot is taken: it writes down what comes
	state   uint64
	closed  bool
}

// mostChanges is after how many changes a Snapshot is taken: a Snapshot of so many texts takes a tenth of a second,
// in which nothing is added.
const mostChanges = 1 << 13

// Callers that add wait for a Snapshot when there are so many times as many changes; changes by others are not
// written down any more at twice that.
const behindMost, lostMost = 2, 4

// recentBytes is about how much memory recent documents take when a Snapshot is taken.
const recentBytes = 64 << 20

// New returns the Gate of a Live, which closes the Live when it is closed. keep is how many bytes searches may
// allocate and keep; 0 is what they do if nobody says.
func New(live *index.Live, keep int64) (*Gate, error) {
	g := &Gate{live: live, most: mostChanges, keep: keep}
	s, err := live.Snapshot()
	if err != nil {
		return nil, err
	}
	g.near = index.Default(s.Settings(), s.Search())
	live.OnChange(g.changed)
	if err := errors.Join(s.Close(), g.catchUp(nil)); err != nil {
		return nil, err
	}
	return g, nil
}

// Follow returns the Gate of an index that another process writes: it is searched, and nothing comes by it. The Gate
// closes the Snapshot.
func Follow(s *index.Snapshot) *Gate { return &Gate{current: &View{Snapshot: s, users: 1}} }

// Show puts a Snapshot in the place of the one before, of an index that is followed.
func (g *Gate) Show(s *index.Snapshot) error {
	v := &View{Snapshot: s, users: 1}
	g.mu.Lock()
	if !g.closed {
		g.current, v = v, g.current
		g.state++
	}
	g.mu.Unlock()
	return g.Release(v)
}

// Close waits for what is done in the background, and closes the Live. Views that somebody has stay.
func (g *Gate) Close() error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil
	}
	g.closed = true
	v := g.current
	g.current, g.before = nil, nil
	g.mu.Unlock()
	g.work.Wait()
	err := g.Release(v)
	if g.live != nil {
		err = errors.Join(err, g.live.Close())
	}
	return err
}

// Live returns what the Gate adds to, or nil if the index is followed.
func (g *Gate) Live() *index.Live { return g.live }

// State returns a number that is another one after each change.
func (g *Gate) State() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state
}

// changed writes down a change.
func (g *Gate) changed(b *segment.Batch) {
	g.mu.Lock()
	views := [...]*View{g.current, g.next}
	g.state++
	g.mu.Unlock()
	documents := make([]segment.Document, len(b.Documents))
	for i := range documents {
		documents[i] = b.Documents[i].Clone()
	}
	for _, v := range views {
		if v != nil {
			v.record(b, documents)
		}
	}
}

// View returns the index as it is now. The caller releases it.
func (g *Gate) View() (*View, error) {
	for {
		v, lost, err := g.hold()
		if err != nil || !lost {
			return v, err
		}
		if err := errors.Join(g.catchUp(v), g.Release(v)); err != nil {
			return nil, err
		}
	}
}

// hold returns the View, and reports whether it has lost what has come.
func (g *Gate) hold() (v *View, lost bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v = g.current; v == nil {
		return nil, false, index.ErrClosed
	}
	v.users++
	return v, v.overflow.Load(), nil
}

// Release ends what View or Fresh began. A nil View is passed over.
func (g *Gate) Release(v *View) error {
	if v == nil {
		return nil
	}
	g.mu.Lock()
	v.users--
	last := v.users == 0
	if last && v == g.before {
		g.before = nil
	}
	g.mu.Unlock()
	if last {
		return v.Snapshot.Close()
	}
	return nil
}

// Fresh returns a View whose Snapshot has all that has been added before the call, for searches that need a Snapshot.
// The caller releases it.
func (g *Gate) Fresh() (*View, error) {
	begun := g.begun.Load()
	g.rotating.Lock()
	defer g.rotating.Unlock()
	v, lost, err := g.hold()
	if err == nil && !lost && (v.Changes() == 0 || g.begun.Load() > begun) {
		return v, nil
	}
	if err == nil {
		err = errors.Join(g.Release(v), g.rotateNow())
	}
	if err == nil {
		v, _, err = g.hold()
	}
	return v, err
}

// See calls do with a View.
func (g *Gate) See(do func(*View) error) error { return g.seeing(g.View, do) }

// SeeAll calls do with a View that Fresh returns.
func (g *Gate) SeeAll(do func(*View) error) error { return g.seeing(g.Fresh, do) }

func (g *Gate) seeing(of func() (*View, error), do func(*View) error) error {
	v, err := of()
	if err != nil {
		return err
	}
	return errors.Join(do(v), g.Release(v))
}

// catchUp takes a Snapshot, unless another goroutine has done so since v was taken.
func (g *Gate) catchUp(v *View) error {
	g.rotating.Lock()
	defer g.rotating.Unlock()
	g.mu.Lock()
	same := g.current == v
	g.mu.Unlock()
	if !same {
		return nil
	}
	return g.rotateNow()
}

// rotateNow takes a Snapshot. What comes meanwhile is written down by the View before and by the new one. The caller
// holds g.rotating.
func (g *Gate) rotateNow() error {
	g.begun.Add(1)
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return index.ErrClosed
	}
	next := &View{users: 1, most: lostMost * g.most, newer: map[string]int{}, memory: newMemory(g.near)}
	next.memory.texts = judge.NewCache(func(i uint32) ([]byte, error) {
		k, err := next.recent[i].Texts.At(next.recent[i].Number)
		return k.Text, err
	})
	g.next = next
	g.mu.Unlock()
	s, err := g.live.Snapshot()
	if err == nil && g.keep > 0 {
		s.LimitMemory(g.keep)
	}
	g.mu.Lock()
	g.next = nil
	var old *View
	switch {
	case err != nil:
	case g.closed: // meanwhile
		next.Snapshot, old = s, next
	default:
		next.Snapshot = s
		old, g.before, g.current = g.current, g.current, next
	}
	g.mu.Unlock()
	return errors.Join(err, g.Release(old))
}

// ease takes a Snapshot when so much has changed since the last one: in the background, or, if that cannot keep up,
// at once.
func (g *Gate) ease(v *View) error {
	v.mu.RLock()
	changes, bytes := len(v.newer), v.bytes
	v.mu.RUnlock()
	g.mu.Lock()
	many := func(times int) bool {
		return v == g.current && (changes >= times*g.most || bytes >= times*recentBytes)
	}
	now := many(behindMost)
	if !now && many(1) && !g.closed && g.behind.CompareAndSwap(false, true) {
		g.work.Go(func() {
			defer g.behind.Store(false)
			_ = g.catchUp(v) // whoever needs a Snapshot tries again, and tells
		})
	}
	g.mu.Unlock()
	if now {
		return g.catchUp(v)
	}
	return nil
}

// since returns the Views that have what has changed since the Snapshot of v, the older first. It is called while
// nothing changes. The error is errOld if they are gone.
func (g *Gate) since(v *View) (views []*View, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch v {
	case g.current:
		views = []*View{v}
	case g.before:
		views = []*View{v, g.current}
	}
	if slices.ContainsFunc(views, func(v *View) bool { return v.overflow.Load() }) {
		views = nil
	}
	if views == nil {
		err = errOld
	}
	return views, err
}

// errOld is the error of a decision on what was found so long ago that it is not known what has changed since.
var errOld = errors.New("the search is too old")
