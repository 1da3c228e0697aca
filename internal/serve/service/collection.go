package service

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/index"
	"simsearch/internal/index/store"
	"simsearch/internal/serve/gate"
)

// A collection is an index that is served. It is one that this process writes, or one that is followed.
type collection struct {
	service  *Service
	name     string
	dir      string
	readOnly bool

	opening sync.Mutex // held while it is opened or closed
	mu      sync.RWMutex
	gate    *gate.Gate // of one that is written; nil if it is not open
	shown   *shown     // of one that is followed; nil if it is not open
	tried   time.Time  // when opening it has failed last
	why     error      // and why
	closed  bool

	listings listings
	quotes   quoting
}

// A shown is the Snapshot of a collection that is followed, which is closed when its last user ends.
type shown struct {
	view  *gate.View
	mark  string // what told it from another one
	users int    // guarded by collection.mu
}

// searchMemory returns how many bytes searches of one collection may keep: the collections share a quarter of the memory. 0 is no limit
// that somebody has named.
func (s *Service) searchMemory() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.o.Memory / 4 / int64(max(1, len(s.all)))
}

// behind returns the number of goroutines of what is done in the background: one less than there may be, so that requests are answered
// meanwhile.
func (s *Service) behind() int { return max(1, s.o.Threads-1) }

// again is how long a collection that could not be opened is left alone.
const again = time.Second

// open opens a collection unless it is open.
func (c *collection) open() error {
	c.mu.RLock()
	is := c.gate != nil || c.shown != nil
	c.mu.RUnlock()
	if is {
		return nil
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	c.mu.RLock()
	is, why := c.gate != nil || c.shown != nil, c.why
	if c.closed {
		is, why = false, Errorf(NotFound, "collection", "there is no collection %s any more", c.name)
	} else if why != nil && time.Since(c.tried) > again {
		why = nil
	}
	c.mu.RUnlock()
	if is || why != nil {
		return why
	}
	var err error
	if c.readOnly {
		err = c.show(markOf(c.dir))
	} else {
		err = c.write()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried, c.why = time.Now(), err
	return err
}

// write opens the index for writing.
func (c *collection) write() error {
	m, err := store.ReadManifest(disk.OS, c.dir)
	if err != nil {
		return err
	}
	o := index.WriterOptions{Distance: m.Search.Distance}
	if m.IsEmpty() { // nothing else says how it is to be
		o.Search, o.Input, o.Keep, o.Passages = m.Search, m.Input, m.Keep, m.Passages
	}
	return c.writeBy(m.Settings, o, false)
}

// writeBy opens the index by its settings. With made, it makes it if there is none.
func (c *collection) writeBy(settings analysis.Settings, o index.WriterOptions, made bool) error {
	o.Threads, o.Memory, o.TableBytes = c.service.behind(), c.service.o.Memory, float64(c.service.o.Memory)
	if o.Memory > 0 { // logs of four times this are in memory at most
		o.FlushBytes = min(64<<20, max(1<<20, o.Memory/16))
	}
	live, err := index.OpenLiveOn(c.service.o.disk, c.dir, settings, o)
	if err != nil {
		return err
	}
	if made {
		err = live.Found()
	}
	var g *gate.Gate
	if err == nil {
		g, err = gate.New(live, c.service.searchMemory())
	}
	if err != nil {
		return errors.Join(err, live.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate = g
	return nil
}

// show opens the Snapshot of an index that is followed, in the place of the one before.
func (c *collection) show(mark string) error {
	s, err := index.Open(c.dir)
	if err != nil {
		return err
	}
	if keep := c.service.searchMemory(); keep > 0 {
		s.LimitMemory(keep)
	}
	c.mu.Lock()
	old := c.shown
	c.shown = &shown{view: gate.NewView(s), mark: mark, users: 1}
	if c.closed {
		old, c.shown = c.shown, nil
	}
	c.mu.Unlock()
	return c.release(old)
}

// markOf returns what tells the state of the index in a directory from others: that of its manifest, and how long its logs are.
func markOf(dir string) string {
	mark := ""
	note := func(path string) {
		if info, err := os.Stat(path); err == nil {
			mark += path + " " + disk.Changed(info).String() + " " + time.Duration(info.Size()).String() + "\n"
		}
	}
	note(dir + "/" + index.ManifestName)
	if m, err := store.ReadManifest(disk.OS, dir); err == nil {
		for _, log := range m.Logs {
			note(dir + "/" + log.Name)
		}
	}
	return mark
}

// followEvery is how often it is looked whether a collection that is followed has changed.
const followEvery = time.Second

// follow opens collections that are followed again when they have changed, and takes so long a rest as opening them has taken ten times.
func (s *Service) follow() {
	every := time.NewTicker(followEvery)
	defer every.Stop()
	rests := map[*collection]time.Time{}
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-every.C:
		}
		s.mu.RLock()
		var all []*collection
		for _, c := range s.all {
			if c.readOnly && time.Now().After(rests[c]) {
				all = append(all, c)
			}
		}
		s.mu.RUnlock()
		for _, c := range all {
			begun := time.Now()
			if c.followed() {
				rests[c] = time.Now().Add(10 * time.Since(begun))
			}
		}
	}
}

// followed opens the index again if it has changed. If that fails, what was opened before is served on.
func (c *collection) followed() (changed bool) {
	c.mu.RLock()
	was := c.shown
	c.mu.RUnlock()
	if was == nil {
		return false
	}
	mark := markOf(c.dir)
	if mark == was.mark || mark == "" {
		return false
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	_ = c.show(mark)
	return true
}

// release ends the use of a Snapshot.
func (c *collection) release(s *shown) error {
	if s == nil {
		return nil
	}
	c.mu.Lock()
	s.users--
	last := s.users == 0
	c.mu.Unlock()
	if last {
		return s.view.Close()
	}
	return nil
}

// close releases the index. Operations that are under way end with what they have.
func (c *collection) close() error {
	c.opening.Lock()
	defer c.opening.Unlock()
	c.listings.drop()
	c.quotes.drop()
	c.mu.Lock()
	g, was := c.gate, c.shown
	c.gate, c.shown, c.closed = nil, nil, true
	c.mu.Unlock()
	errs := []error{c.release(was)}
	if g != nil {
		errs = append(errs, g.Close())
	}
	return errors.Join(errs...)
}

// openAgain closes the index if an error says that nothing more can be written to it before it is opened again, as the next operation
// does. What is on the disk is known then.
func (c *collection) openAgain(why error) {
	if !errors.Is(why, disk.ErrUncertain) && !errors.Is(why, disk.ErrLockLost) {
		return
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	c.mu.Lock()
	g := c.gate
	c.gate = nil
	c.mu.Unlock()
	if g == nil {
		return // another operation was quicker
	}
	_ = g.Close() // what is not durable was not answered
}

// view returns the collection as it is now, and what ends the use of it.
func (c *collection) view() (v *gate.View, release func(), err error) {
	return c.viewBy((*gate.Gate).View)
}

// fresh returns a View whose Snapshot has all that has been added so far.
func (c *collection) fresh() (v *gate.View, release func(), err error) {
	return c.viewBy((*gate.Gate).Fresh)
}

func (c *collection) viewBy(of func(*gate.Gate) (*gate.View, error)) (v *gate.View, release func(), err error) {
	c.mu.Lock()
	g, s := c.gate, c.shown
	if s != nil {
		s.users++
	}
	c.mu.Unlock()
	switch {
	case s != nil:
		return s.view, func() { _ = c.release(s) }, nil // opened for reading
	case g == nil:
		return nil, nil, Errorf(Unavailable, "collection", "the collection %s is being closed", c.name)
	}
	if v, err = of(g); err != nil {
		return nil, nil, err
	}
	return v, func() { _ = g.Release(v) }, nil
}

// state returns what is another one after each change.
func (c *collection) state() (any, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	switch {
	case c.gate != nil:
		return c.gate.State(), nil
	case c.shown != nil:
		return c.shown, nil
	}
	return nil, Errorf(Unavailable, "collection", "the collection %s is being closed", c.name)
}

// writable returns the gate of the collection, or a ReadOnly error.
func (c *collection) writable() (*gate.Gate, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.readOnly {
		return nil, Errorf(ReadOnly, "collection", "the collection %s takes no changes", c.name)
	}
	if c.gate == nil {
		return nil, Errorf(Unavailable, "collection", "the collection %s is being closed", c.name)
	}
	return c.gate, nil
}

func (c *collection) info() (Info, error) {
	v, release, err := c.view()
	if err != nil {
		return Info{}, err
	}
	defer release()
	info := Info{Name: c.name, ReadOnly: c.readOnly, Documents: v.Len(), Bytes: bytesOf(c.dir), Settings: settingsOf(v.Snapshot)}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.gate != nil {
		info.Documents = c.gate.Live().Len()
	}
	return info, nil
}

// bytesOf returns the size of the files of an index.
func bytesOf(dir string) (sum uint64) {
	entries, _ := os.ReadDir(dir) // what cannot be read is not counted
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += uint64(info.Size())
		}
	}
	return sum
}

// health asks a query.
func (c *collection) health(ctx context.Context) error {
	v, release, err := c.view()
	if err != nil {
		return err
	}
	defer release()
	p := index.Default(v.Settings(), v.Search())
	d := document.Document{Text: []byte("is anybody here who answers this query")}
	if !p.BySets() {
		d = document.Document{HasFingerprint: true, Fingerprint: 0x5a5a5a5a}
	}
	r, err := v.Analysis().Analyse(&d)
	if err == nil {
		_, err = v.Near(ctx, &r, index.Options{Predicate: p, Limit: 1})
	}
	return err
}
