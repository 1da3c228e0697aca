package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/index"
	"simsearch/internal/match/sequences"
	"simsearch/internal/serve/gate"
)

// Options say what a Service serves.
type Options struct {
	// Data is the directory of collections, each a directory with an index; "" if there is Index or Mounts alone.
	Data string
	// Index is the directory of an index that is the collection "default".
	Index string
	// Mounts are read-only collections: the name of each, and the directory of its index, which is followed when it
	// grows or is replaced by another one.
	Mounts map[string]string
	// ReadOnly says that nothing is changed: all collections are followed as mounted ones are.
	ReadOnly bool
	// Memory is about how many bytes all collections take; 0 is half of what the machine has.
	Memory int64
	// Threads is the number of goroutines of one operation; 0 is the number of processors.
	Threads int
	// Passages are the bounds of shared passages, unless a request has others; the zero value is sequences.Usual.
	Passages    sequences.Bounds
	Boilerplate []string // texts whose passages do not count

	disk     disk.FS       // of tests; nil is that of the operating system
	keyLives time.Duration // of tests; 0 is keyLives
}

// DefaultCollection is the name of the collection of Options.Index, and of what is asked or made if none is named.
const DefaultCollection = "default"

// A Service is collections, and what can be done with them. It is safe for concurrent use. The errors of its methods
// are an *Error.
type Service struct {
	o    Options
	data disk.Root // nil if there is none
	lock disk.Lock // of data; nil if nothing is changed

	ctx  context.Context // of what is done in the background
	stop context.CancelFunc
	work sync.WaitGroup

	making sync.Mutex // held while a collection is made or dropped

	mu     sync.RWMutex // guards all
	all    map[string]*collection
	closed bool
}

// Open opens the collections. One that cannot be opened, because it is damaged or another process writes it, does not
// keep the others from being served: operations on it say what is wrong, and try again.
func Open(o Options) (_ *Service, err error) {
	o.Threads, o.keyLives = cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), cmp.Or(o.keyLives, keyLives)
	if o.disk == nil {
		o.disk = disk.OSAsDirectory
	}
	s := &Service{o: o, all: map[string]*collection{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for name := range o.Mounts {
		if err := checkName(name); err != nil {
			return nil, err
		}
	}
	if o.Data != "" {
		if err := s.openData(); err != nil {
			return nil, err
		}
	}
	if o.Index != "" {
		s.all[DefaultCollection] = &collection{service: s, name: DefaultCollection, dir: o.Index, readOnly: o.ReadOnly}
	}
	for name, dir := range o.Mounts {
		if s.all[name] != nil {
			return nil, fmt.Errorf("two collections are called %s", name)
		}
		s.all[name] = &collection{service: s, name: name, dir: dir, readOnly: true}
	}
	if err := s.openAll(); err != nil {
		return nil, err
	}
	s.work.Go(s.follow)
	return s, nil
}

// openedAtOnce is how many collections are opened at once. Each waits for the disk three times, and several wait
// together.
const openedAtOnce = 64

// openAll opens the collections. The error is of one that is named by the options.
func (s *Service) openAll() error {
	names := slices.Sorted(maps.Keys(s.all))
	open := func(_ context.Context, i int) (failed error, _ error) { return s.all[names[i]].open(), nil }
	i := 0
	return parallel.Ordered(s.ctx, openedAtOnce, len(names), open, func(failed error) error {
		name := names[i]
		i++
		if _, inData := s.inData(name); failed != nil && !inData {
			return fmt.Errorf("collection %s: %w", name, failed)
		}
		return nil
	})
}

// openData finds the collections of the directory of them, and removes what is left of those that were dropped.
func (s *Service) openData() error {
	if _, err := disk.MkdirAll(s.o.disk, s.o.Data); err != nil {
		return err
	}
	info, err := s.o.disk.Stat(s.o.Data)
	if err != nil {
		return err
	}
	if s.data, err = s.o.disk.Root(s.o.Data, info.Mode().Perm()&0o666); err != nil {
		return err
	}
	if !s.o.ReadOnly {
		if s.lock, err = s.data.Lock(lockName, fmt.Sprintf("process %d", os.Getpid())); errors.As(err, new(*disk.LockedError)) {
			return fmt.Errorf("%s: another server has these collections: end that one, or add --read-only (%w)", s.o.Data, err)
		} else if err != nil {
			return err
		}
	}
	names, err := s.data.ReadDir(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, droppedPrefix) && !s.o.ReadOnly:
			if err := s.removeDropped(name); err != nil {
				return err
			}
		case nameRule.MatchString(name) && s.isCollection(name):
			s.all[name] = &collection{service: s, name: name, dir: filepath.Join(s.o.Data, name), readOnly: s.o.ReadOnly}
		}
	}
	return nil
}

// isCollection reports whether a name in the directory of collections is a directory, and no link, with an index.
func (s *Service) isCollection(name string) bool {
	info, err := s.data.Stat(name)
	if err != nil || !info.IsDir() {
		return false
	}
	info, err = s.data.Stat(filepath.Join(name, index.ManifestName))
	return err == nil && info.Mode().IsRegular()
}

// inData returns a collection if it lies in the directory of collections.
func (s *Service) inData(name string) (*collection, bool) {
	c := s.all[name]
	return c, c != nil && s.data != nil && c.dir == filepath.Join(s.o.Data, name)
}

// Close ends what is done in the background, makes all changes durable, and releases the indexes. Calls after the
// first do nothing.
func (s *Service) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	all := s.all
	s.all, s.closed = nil, true
	s.mu.Unlock()
	s.stop()
	s.work.Wait()
	var errs []error
	for _, c := range all {
		errs = append(errs, c.close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	if s.data != nil {
		errs = append(errs, s.data.Close())
	}
	return errors.Join(errs...)
}

// lockName is the file of the directory of collections that one server locks. No collection can have this name.
const lockName = ".lock"

// nameRule is how names of collections are: they are names of directories everywhere, and parts of addresses as they
// are.
var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func checkName(name string) error {
	if !nameRule.MatchString(name) {
		return Errorf(BadRequest, "collection", "%.80q cannot be the name of a collection: it has 1 to 64 letters a to z, digits, _ "+
			"and -, and begins with a letter or digit", name)
	}
	return nil
}

// get returns a collection that is open.
func (s *Service) get(name string) (*collection, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	s.mu.RLock()
	c, closed := s.all[name], s.closed
	s.mu.RUnlock()
	switch {
	case closed:
		return nil, Errorf(Unavailable, "", "the server is stopping")
	case c == nil:
		return nil, Errorf(NotFound, "collection", "there is no collection %s", name)
	}
	return c, c.open()
}

// on calls do with a collection. Errors become an *Error, and a panic becomes an Internal one.
func on[T any](ctx context.Context, s *Service, name string, do func(c *collection) (T, error)) (result T, err error) {
	return guarded(ctx, func() (T, error) {
		c, err := s.get(name)
		if err != nil {
			return result, err
		}
		if result, err = do(c); err != nil {
			c.openAgain(err)
		}
		if errors.Is(err, context.Canceled) && ctx.Err() == nil { // not the request, but what it waited for
			err = Errorf(Unavailable, "collection", "the collection %s is being closed", name)
		}
		return result, err
	})
}

// seeing calls do with a collection and the View of it that of returns.
func seeing[T any](ctx context.Context, s *Service, name string, of func(*collection) (*gate.View, func(), error),
	do func(c *collection, v *gate.View) (T, error),
) (T, error) {
	return on(ctx, s, name, func(c *collection) (result T, err error) {
		v, release, err := of(c)
		if err != nil {
			return result, err
		}
		defer release()
		return do(c, v)
	})
}

func guarded[T any](ctx context.Context, do func() (T, error)) (result T, err error) {
	defer func() {
		if r := recover(); r != nil {
			stack := make([]byte, 4<<10)
			stack = stack[:runtime.Stack(stack, false)]
			err = &Error{Code: Internal, Message: "a mistake in this program", Cause: fmt.Errorf("%v\n%s", r, stack)}
		}
		if err != nil {
			var none T
			result, err = none, errorOf(err)
		}
	}()
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	return do()
}

// errorOf returns an error of the packages below as an *Error.
func errorOf(err error) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	is := func(classes ...error) bool {
		return slices.ContainsFunc(classes, func(class error) bool { return errors.Is(err, class) })
	}
	switch {
	case is(context.DeadlineExceeded):
		return Errorf(Deadline, "", "this took too long: ask for less at once")
	case is(context.Canceled):
		return Errorf(Deadline, "", "the request was stopped before it was answered")
	case is(index.ErrNoSearch, index.ErrKind, index.ErrWidth, index.ErrSettings, index.ErrNoText, analysis.ErrNotLearnt):
		return Errorf(BadRequest, "", "%v", err)
	case disk.Full(err):
		return &Error{Code: Unavailable, Message: "the disk of the server is full", Cause: err}
	case is(index.ErrLocked, disk.ErrLockLost):
		return &Error{Code: Unavailable, Message: "another process writes the index of this collection", Cause: err}
	case is(index.ErrClosed):
		return &Error{Code: Unavailable, Message: "the collection is being closed", Cause: err}
	case is(disk.ErrUncertain):
		return &Error{Code: Unavailable, Message: "the server could not write to its disk; the collection is opened again", Cause: err}
	}
	return &Error{Code: Internal, Message: "an error of the server; its log says more", Cause: err}
}

// collections returns the collections in no order.
func (s *Service) collections() []*collection {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Collect(maps.Values(s.all))
}

// List describes the collections, by name. Of one that cannot be opened, only the name is known.
func (s *Service) List(ctx context.Context) ([]Info, error) {
	return guarded(ctx, func() ([]Info, error) {
		infos := []Info{}
		for _, c := range s.collections() {
			info := Info{Name: c.name, ReadOnly: c.readOnly}
			if err := c.open(); err == nil {
				if info, err = c.info(); err != nil {
					return nil, err
				}
			}
			infos = append(infos, info)
		}
		slices.SortFunc(infos, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
		return infos, nil
	})
}

// Info describes a collection.
func (s *Service) Info(ctx context.Context, name string) (Info, error) {
	return on(ctx, s, name, (*collection).info)
}

// Health asks a query of each collection.
func (s *Service) Health(ctx context.Context) error {
	_, err := guarded(ctx, func() (struct{}, error) {
		s.mu.RLock()
		names := slices.Sorted(maps.Keys(s.all))
		closed := s.closed
		s.mu.RUnlock()
		if closed {
			return struct{}{}, Errorf(Unavailable, "", "the server is stopping")
		}
		for _, name := range names {
			_, err := on(ctx, s, name, func(c *collection) (struct{}, error) { return struct{}{}, c.health(ctx) })
			if e := (*Error)(nil); errors.As(err, &e) && e.Code != NotFound {
				return struct{}{}, &Error{Code: e.Code, Message: e.Message, Where: name, Cause: e.Cause}
			}
		}
		return struct{}{}, nil
	})
	return err
}
