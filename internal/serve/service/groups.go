package service

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"simsearch/internal/index"
	"simsearch/internal/serve/gate"
)

// listings are the groups of a collection that were asked for last. Each is of the collection as it was then, and
// holds its View, so that pages go on as they began while documents come and go.
type listings struct {
	mu     sync.Mutex
	all    []*listing // those used last are the last
	closed bool
}

// mostListings is how many are remembered. A listing takes 4 bytes for each document of a group, 48 for each group,
// and keeps files that a merge has replaced.
const mostListings = 4

// A listing is all groups by one kind of nearness and some conditions.
type listing struct {
	name  string // what cursors begin with
	asked string // what was asked for
	state uint64 // of the collection, when it was made
	ready chan struct{}
	stop  context.CancelFunc
	made  time.Time
	took  time.Duration
	users int // guarded by listings.mu

	// When ready is closed:
	err     error
	view    *gate.View
	release func()
	p       index.Predicate
	groups  []index.Group

	counting sync.Mutex
	counts   []int // a histogram, if somebody has asked for it
}

// Groups returns a page of groups of near documents, the largest first or as is asked. The first page makes all
// groups, unless those that were made last are as good: nothing has changed since, or so little time has passed that
// making them all the time would leave none for the rest.
func (s *Service) Groups(ctx context.Context, name string, r *GroupsRequest) (*GroupsPage, error) {
	return on(ctx, s, name, func(c *collection) (*GroupsPage, error) {
		limit, members := cmp.Or(r.Limit, defaultLimit), cmp.Or(r.Members, defaultLimit)
		switch {
		case limit < 0 || limit > mostMatches:
			return nil, Errorf(BadRequest, "limit", "%d: want 0 to %d", limit, mostMatches)
		case members < 0 || members > mostMembers:
			return nil, Errorf(BadRequest, "members", "%d: want 0 to %d", members, mostMembers)
		}
		l, from, err := c.listing(ctx, r)
		if err != nil {
			return nil, err
		}
		defer c.listings.leave(l)
		if r.Of != "" {
			if from, err = l.having(r.Of); err != nil {
				return nil, err
			}
		}
		page := &GroupsPage{Total: len(l.groups), Groups: []Group{}}
		for at := from; at < min(from+limit, len(l.groups)); at++ {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			g, err := l.group(&l.groups[at], members)
			if err != nil {
				return nil, err
			}
			page.Groups = append(page.Groups, g)
		}
		if from+limit < len(l.groups) {
			page.Cursor = l.name + "." + strconv.Itoa(from+limit)
		}
		if r.Histogram {
			page.Histogram, err = l.histogram(ctx, c.service.behind(), false)
		}
		return page, err
	})
}

const mostMembers = 10_000

// group returns a group as clients get it.
func (l *listing) group(g *index.Group, members int) (of Group, err error) {
	of.Size = len(g.Documents)
	all := Match{}
	all.measure(l.p, &g.Measures)
	if of.Jaccard, of.Copy = all.Jaccard, all.Copy; !l.p.BySets() {
		of.Distance = all.Distance
	}
	between := measuring{l: l, first: g.Representative}
	for i, doc := range append([]uint32{g.Representative}, g.Documents[:min(len(g.Documents), members)]...) {
		if i > 0 && (doc == g.Representative || len(of.Members) >= members) {
			continue
		}
		stored, err := l.view.At(doc)
		m := Match{ID: stored.ID}
		if err == nil && i > 0 {
			_, err = between.measure(&m, doc)
		}
		if err == nil {
			m.Fields, err = stored.Fields()
		}
		if err != nil {
			return of, err
		}
		of.Members = append(of.Members, m)
	}
	return of, nil
}

// listing returns the groups that a request is about, and the number of the first one that it asks for. The caller
// leaves it.
func (c *collection) listing(ctx context.Context, r *GroupsRequest) (l *listing, from int, err error) {
	if r.Cursor != "" {
		name, number, _ := strings.Cut(r.Cursor, ".")
		if from, err = strconv.Atoi(number); err != nil || from < 0 {
			return nil, 0, Errorf(BadRequest, "cursor", "%.80q is none that was given", r.Cursor)
		}
		if l = c.listings.use(func(l *listing) bool { return l.name == name }, nil); l == nil {
			return nil, 0, Errorf(NotFound, "cursor", "the groups of this cursor are remembered no more: begin again without one")
		}
	} else {
		if r.Passages {
			return nil, 0, Errorf(BadRequest, "passages", "groups are of documents that are near as a whole: want jaccard or k")
		}
		if l, err = c.newest(r); err != nil {
			return nil, 0, err
		}
	}
	select {
	case <-l.ready:
		err = l.err
	case <-ctx.Done(): // others may wait, and the next one that asks finds what has been done
		err = context.Cause(ctx)
	}
	if err != nil {
		c.listings.leave(l)
		return nil, 0, err
	}
	return l, from, nil
}

// newest returns the groups of the collection as it is now, which are made in the background if they are not there.
func (c *collection) newest(r *GroupsRequest) (*listing, error) {
	k := -1
	if r.K != nil {
		k = *r.K
	}
	asked := fmt.Sprintf("%v %v %d %v %q %q %v", r.Jaccard, r.Copy, k, r.Contained, r.Where, r.Prefix, r.OfPage)
	g, err := c.door()
	if err != nil {
		return nil, err
	}
	state := g.State()
	good := func(l *listing) bool {
		if l.asked != asked {
			return false
		}
		select {
		case <-l.ready:
			return l.err == nil && (l.state == state || time.Since(l.made) < 10*l.took)
		default:
			return true // it is being made
		}
	}
	if l := c.listings.use(good, nil); l != nil {
		return l, nil
	}
	v, release, err := c.view()
	if err != nil {
		return nil, err
	}
	p, err := r.predicate(v.Snapshot, false)
	var where []index.Where
	if err == nil {
		where, err = conditions(v.Snapshot, r.Where)
	}
	release()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(c.service.ctx)
	l := &listing{name: rand.Text(), asked: asked, state: state, ready: make(chan struct{}), stop: stop, p: p, users: 1}
	c.service.mu.RLock()
	defer c.service.mu.RUnlock()
	if c.service.closed { // nothing is begun that Close would not wait for
		stop()
		return nil, Errorf(Unavailable, "", "the server is stopping")
	}
	if other := c.listings.use(good, l); other != l {
		stop()
		return other, nil
	}
	c.service.work.Go(func() {
		defer c.listings.leave(l)
		l.make(ctx, c, where, r)
	})
	return l, nil
}

// make makes the groups.
func (l *listing) make(ctx context.Context, c *collection, where []index.Where, r *GroupsRequest) {
	begun := time.Now()
	_, err := guarded(ctx, func() (none struct{}, err error) {
		if l.view, l.release, err = c.fresh(); err != nil {
			return none, err
		}
		o := index.PairOptions{Threads: c.service.behind(), Where: where}
		if c.service.o.Memory > 0 {
			o.PairsInMemory = index.PairsInMemory(c.service.o.Memory/4, l.view.Len())
		}
		err = l.view.Groups(ctx, l.p, o, func(g index.Group) error {
			is, err := l.named(&g, r)
			if is {
				l.groups = append(l.groups, g)
			}
			return err
		})
		if err == nil && r.OfPage {
			_, err = l.histogram(ctx, c.service.behind(), true)
		}
		return none, err
	})
	l.err, l.made, l.took = err, time.Now(), time.Since(begun)
	close(l.ready)
}

// use returns a listing that somebody uses from now on: one that is as is asked, or else l, which is remembered, or
// nil if that is nil.
func (ls *listings) use(is func(*listing) bool, l *listing) *listing {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if i := slices.IndexFunc(ls.all, is); i >= 0 {
		l = ls.all[i]
		ls.all = append(slices.Delete(ls.all, i, i+1), l)
	} else if l != nil && !ls.closed {
		l.users++ // for being remembered
		if ls.all = append(ls.all, l); len(ls.all) > mostListings {
			ls.forget(0)
		}
	}
	if l != nil {
		l.users++
	}
	return l
}

// forget forgets a listing. Its cursors end when its last user ends. The caller holds ls.mu.
func (ls *listings) forget(i int) {
	l := ls.all[i]
	ls.all = slices.Delete(ls.all, i, i+1)
	ls.end(l)
}

// end ends a use of a listing. The caller holds ls.mu.
func (ls *listings) end(l *listing) {
	if l.users--; l.users == 0 {
		l.stop()
		if l.release != nil {
			l.release()
		}
	}
}

// leave ends the use of a listing. One that has failed is forgotten.
func (ls *listings) leave(l *listing) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	select {
	case <-l.ready:
		if i := slices.Index(ls.all, l); i >= 0 && l.err != nil {
			ls.forget(i)
		}
	default:
	}
	ls.end(l)
}

// drop forgets all listings, and stops making them.
func (ls *listings) drop() {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.closed = true
	for _, l := range slices.Clone(ls.all) {
		l.stop()
	}
	for len(ls.all) > 0 {
		ls.forget(0)
	}
}
