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

	opening sync.Mutex // held while it is opened or closed; guards what follows, and writing gate
	mark    string     // of one that is followed: what tells the index that is shown from another one
	tried   time.Time  // when opening it has failed last
	why     error      // and why
	closed  bool

	mu   sync.RWMutex
	gate *gate.Gate // nil if it is not open

	rests time.Time // of Service.follow: it is not looked at before

	listings listings
	quotes   quoting
}

// searchMemory returns how many bytes searches of one collection may keep: the collections share a quarter of the
// memory. 0 is no limit that somebody has named.
func (s *Service) searchMemory() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.o.Memory / 4 / int64(max(1, len(s.all)))
}

// behind returns the number of goroutines of what is done in the background: one less than there may be, so that
// requests are answered meanwhile.
func (s *Service) behind() int { return max(1, s.o.Threads-1) }

// again is how long a collection that could not be opened is left alone.
const again = time.Second

// open opens a collection unless it is open.
func (c *collection) open() error {
	c.mu.RLock()
	is := c.gate != nil
	c.mu.RUnlock()
	if is {
		return nil
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	switch {
	case c.closed:
		return Errorf(NotFound, "collection", "there is no collection %s any more", c.name)
	case c.gate != nil:
		return nil
	case c.why != nil && time.Since(c.tried) <= again:
		return c.why
	}
	if c.readOnly {
		c.why = c.show(markOf(c.dir))
	} else {
		c.why = c.write()
	}
	c.tried = time.Now()
	return c.why
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
		o.FlushBytes = min(32<<20, max(1<<20, o.Memory/32))
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
	c.mark = mark
	if c.gate != nil {
		return c.gate.Show(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gate = gate.Follow(s)
	return nil
}

// markOf returns what tells the state of the index in a directory from others: that of its manifest, and how long its
// logs are.
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

// follow opens collections that are followed again when they have changed, and takes so long a rest as opening them
// has taken ten times.
func (s *Service) follow() {
	every := time.NewTicker(followEvery)
	defer every.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-every.C:
		}
		for _, c := range s.collections() {
			if begun := time.Now(); c.readOnly && begun.After(c.rests) && c.followed() {
				c.rests = time.Now().Add(10 * time.Since(begun))
			}
		}
	}
}

// followed opens the index again if it has changed. If that fails, what was opened before is served on.
func (c *collection) followed() (changed bool) {
	c.opening.Lock()
	defer c.opening.Unlock()
	mark := markOf(c.dir)
	if c.gate == nil || mark == c.mark || mark == "" {
		return false
	}
	_ = c.show(mark)
	return true
}

// close releases the index. Operations that are under way end with what they have.
func (c *collection) close() error {
	c.opening.Lock()
	defer c.opening.Unlock()
	c.listings.drop()
	c.quotes.drop()
	c.closed = true
	return c.shut()
}

// shut closes the index, if it is open. The caller holds c.opening.
func (c *collection) shut() error {
	c.mu.Lock()
	g := c.gate
	c.gate = nil
	c.mu.Unlock()
	if g == nil {
		return nil
	}
	return g.Close()
}

// openAgain closes the index if an error says that nothing more can be written to it before it is opened again, as
// the next operation does. What is on the disk is known then.
func (c *collection) openAgain(why error) {
	if !errors.Is(why, disk.ErrUncertain) && !errors.Is(why, disk.ErrLockLost) {
		return
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	_ = c.shut() // what is not durable was not answered
}

// view returns the collection as it is now, and what ends the use of it.
func (c *collection) view() (v *gate.View, release func(), err error) {
	v, release, err = c.viewBy((*gate.Gate).View)
	if err == nil && v.Settings().Image != 0 { // a Snapshot alone searches pictures in all positions
		release()
		return c.fresh()
	}
	return v, release, err
}

// fresh returns a View whose Snapshot has all that has been added so far.
func (c *collection) fresh() (v *gate.View, release func(), err error) {
	return c.viewBy((*gate.Gate).Fresh)
}

func (c *collection) viewBy(of func(*gate.Gate) (*gate.View, error)) (v *gate.View, release func(), err error) {
	g, err := c.door()
	if err == nil {
		v, err = of(g)
	}
	if err != nil {
		return nil, nil, err
	}
	return v, func() { _ = g.Release(v) }, nil
}

// door returns the gate of the collection.
func (c *collection) door() (*gate.Gate, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.gate == nil {
		return nil, Errorf(Unavailable, "collection", "the collection %s is being closed", c.name)
	}
	return c.gate, nil
}

// writable returns the gate of the collection, or a ReadOnly error.
func (c *collection) writable() (*gate.Gate, error) {
	if c.readOnly {
		return nil, Errorf(ReadOnly, "collection", "the collection %s takes no changes", c.name)
	}
	return c.door()
}

func (c *collection) info() (Info, error) {
	v, release, err := c.view()
	if err != nil {
		return Info{}, err
	}
	defer release()
	info := Info{Name: c.name, ReadOnly: c.readOnly, Documents: v.Len(), Bytes: bytesOf(c.dir), Settings: settingsOf(v.Snapshot),
		Pictures: v.Settings().Image}
	if g, err := c.writable(); err == nil {
		info.Documents = g.Live().Len()
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
