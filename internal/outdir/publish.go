package outdir

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/disk"
	"simsearch/internal/objects"
	"simsearch/internal/parallel"
)

// A result is published in a directory of a store: its files become objects, ListName the last, and then those go that the earlier list
// names and this one does not. Before anything is changed, the object storedPlan names all that may be there meanwhile. So a run that is
// interrupted leaves the earlier list, and the next one can tell what is ours.
const storedPlan = WorkName + "/" + planName

// filesAtOnce is how many objects are written or removed at a time.
const filesAtOnce = 8

// skew is by how much later than the list an object may have been written that the list names. Servers of a store may have clocks that
// differ. What is written later is of somebody else.
const skew = time.Minute

// Published says what Publish has done.
type Published struct {
	Written, Same, Removed int
	Bytes                  int64 // of those that were written
}

// A stored is what is in a directory of a store.
type stored struct {
	to      string
	o       Options
	objects map[string]*objects.Info // by their names in the directory
	was     *list                    // of the earlier result, or nil
	list    []byte                   // which is written so; nil if there is none
	planned map[string][]entry       // what an interrupted run may have written under a name; nil if there was none
}

// lookAt finds out what is in a directory of a store. The error names what is not ours.
func lookAt(ctx context.Context, to string, o Options) (*stored, error) {
	s := &stored{to: strings.TrimSuffix(to, "/"), o: o, objects: map[string]*objects.Info{}}
	err := objects.List(ctx, s.to, func(is *objects.Info) error {
		name, _ := objects.Below(is.Object, s.to)
		s.objects[name] = is
		return nil
	})
	if err != nil {
		return nil, err
	}
	h, entries, err := s.read(ctx, ListName)
	if err != nil {
		return nil, err
	}
	if h != nil {
		s.was = newList(*h, entries)
		if err := s.was.checkCommand(to, ListName, o); err != nil {
			return nil, err
		}
	}
	if h, entries, err = s.read(ctx, storedPlan); err != nil {
		return nil, err
	}
	if h != nil {
		s.planned = map[string][]entry{}
		for _, e := range entries {
			s.planned[e.Name] = append(s.planned[e.Name], e)
		}
	}
	if h != nil && h.By != o.By {
		return nil, fmt.Errorf("%s is not empty: it has the unfinished result of another command; name another directory, or remove it", to)
	}
	for name, is := range s.objects {
		if why := s.isForeign(name, is); why != "" {
			return nil, &ForeignError{is.Object, why}
		}
	}
	return s, nil
}

// read reads a list or a plan. It returns nil if there is none.
func (s *stored) read(ctx context.Context, name string) (*head, []entry, error) {
	is := s.objects[name]
	if is == nil {
		return nil, nil, nil
	}
	data, err := contents(ctx, is.Object)
	if err != nil {
		return nil, nil, err
	}
	if name == ListName {
		s.list = data
	}
	h, entries, err := parseLines(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w: move it away, or name another directory", is.Object, err)
	}
	return &h, entries, nil
}

func contents(ctx context.Context, object string) ([]byte, error) {
	f, err := objects.Open(ctx, object)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// isForeign says why an object is not ours, or returns "".
func (s *stored) isForeign(name string, is *objects.Info) (why string) {
	if name == ListName || name == storedPlan {
		return ""
	}
	why = whyForeign
	for _, e := range s.planned[name] {
		if why = whyChanged; e.Bytes == is.Size() {
			return ""
		}
	}
	if s.was.has(name) {
		if why = whyChanged; s.was.files[name].Bytes == is.Size() && !s.isLate(is) {
			return ""
		}
	}
	return why
}

// isLate reports whether an object was written after the list.
func (s *stored) isLate(is *objects.Info) bool {
	return is.ModTime().After(s.objects[ListName].ModTime().Add(skew))
}

// Publish makes the result in the directory dir, which is complete, that of the directory to of a store. o are the options of both.
// progress, if not nil, is told how many bytes of all that are written have been. The error names what is there and not ours: nothing is
// changed then.
func Publish(ctx context.Context, dir, to string, o Options, progress func(done, all int64)) (did Published, err error) {
	s, err := lookAt(ctx, to, o)
	if err != nil {
		return did, err
	}
	root, err := disk.OS.Root(dir, 0o666)
	if err != nil {
		return did, err
	}
	list, err := root.ReadFile(ListName, maxList)
	if err = errors.Join(err, root.Close()); err != nil {
		return did, err
	}
	h, entries, err := parseLines(list)
	if err != nil {
		return did, err
	}
	is := newList(h, entries)
	write, remove := s.differs(is)
	did.Same = len(entries) - len(write)
	if len(write) == 0 && len(remove) == 0 && s.was != nil && s.planned == nil {
		return did, note(dir, s.list)
	}
	if err := s.plan(ctx, is); err != nil {
		return did, err
	}
	objects.GiveUp(ctx, s.to, func(name string) bool {
		below, _ := objects.Below(name, s.to)
		return is.has(below) || s.was.has(below) || len(s.planned[below]) > 0
	})
	if err := s.write(ctx, dir, write, &did, progress); err != nil {
		return did, err
	}
	if err := s.unchanged(ctx); err != nil {
		return did, err
	}
	if err := objects.PutBytes(ctx, objects.Join(s.to, ListName), list); err != nil {
		return did, err
	}
	if err := note(dir, list); err != nil {
		return did, err
	}
	did.Removed = len(remove)
	err = s.each(ctx, len(remove), func(ctx context.Context, i int) error { return objects.Delete(ctx, objects.Join(s.to, remove[i])) })
	if err != nil {
		return did, err
	}
	return did, objects.Delete(ctx, objects.Join(s.to, storedPlan))
}

// differs returns the files of a list that are to be written, in the order of their names, and the names of objects that are to be
// removed.
func (s *stored) differs(is *list) (write []entry, remove []string) {
	for _, name := range is.names() {
		e := is.files[name]
		there := s.objects[name]
		if there == nil || !s.was.has(name) || s.was.files[name].Digest != e.Digest || s.isLate(there) {
			write = append(write, e)
		}
	}
	for name := range s.objects {
		if name != ListName && name != storedPlan && !is.has(name) {
			remove = append(remove, name)
		}
	}
	slices.Sort(remove)
	return write, remove
}

// plan names in the store what is going to be there beside what is.
func (s *stored) plan(ctx context.Context, is *list) error {
	all := slices.Concat(slices.Collect(maps.Values(s.planned))...)
	for _, l := range []*list{is, s.was} {
		for _, name := range l.names() {
			e := l.files[name]
			e.Time = 0
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Bytes, b.Bytes), strings.Compare(a.Digest, b.Digest))
	})
	var data bytes.Buffer
	if err := encodeLines(&data, head{By: s.o.By}, slices.Compact(all)); err != nil {
		return err
	}
	return objects.PutBytes(ctx, objects.Join(s.to, storedPlan), data.Bytes())
}

// write writes files of a directory. Those that an interrupted run has written are not written again.
func (s *stored) write(ctx context.Context, dir string, files []entry, did *Published, progress func(done, all int64)) error {
	var all, done, bytes, written atomic.Int64
	for _, e := range files {
		all.Add(e.Bytes)
	}
	err := s.each(ctx, len(files), func(ctx context.Context, i int) (err error) {
		e := files[i]
		f, err := os.OpenInRoot(dir, filepath.FromSlash(e.Name))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		there := s.objects[e.Name]
		if holds := false; there != nil {
			if holds, err = objects.Holds(there, f, e.Bytes); err != nil {
				return err
			}
			if holds {
				all.Add(-e.Bytes)
				return nil
			}
		}
		if err := objects.Put(ctx, objects.Join(s.to, e.Name), f, e.Bytes); err != nil {
			return err
		}
		written.Add(1)
		bytes.Add(e.Bytes)
		if now := done.Add(e.Bytes); progress != nil {
			progress(now, all.Load())
		}
		return nil
	})
	did.Written, did.Bytes = int(written.Load()), bytes.Load()
	did.Same += len(files) - did.Written
	return err
}

// each does n things, several at once.
func (s *stored) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	work := func(ctx context.Context, i int) (struct{}, error) { return struct{}{}, do(ctx, i) }
	return parallel.Ordered(ctx, filesAtOnce, n, work, func(struct{}) error { return nil })
}

// unchanged returns an error if another run has published a result meanwhile.
func (s *stored) unchanged(ctx context.Context) error {
	now, err := objects.Now(ctx, objects.Join(s.to, ListName))
	was := s.objects[ListName]
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist) || err == nil && (was == nil || was.ETag != now.ETag):
		return fmt.Errorf("%s: %w: wait until that has ended, and run the same command again", s.to, ErrBusy)
	}
	return err
}

// fetch writes an object to a file, and returns the digest of its contents.
func fetch(ctx context.Context, object, path string) (_ string, err error) {
	from, err := objects.Open(ctx, object)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	digest := murmur3.New128()
	_, err = io.Copy(io.MultiWriter(to, digest), from)
	return hex.EncodeToString(digest.Sum(nil)), errors.Join(err, to.Close())
}

// ofName ends the name of a file beside a directory: it has the list of the store that the directory goes on from.
const ofName = ".of"

// note notes that a directory goes on from a list of the store, or from nothing.
func note(dir string, list []byte) error {
	if list == nil {
		return unless(fs.ErrNotExist, os.Remove(dir+ofName))
	}
	return disk.WriteAtomic(disk.OS, dir+ofName, list)
}

// Fetch makes the directory dir, a copy, go on from the result that is in the directory to of a store: with the files that wanted says, and
// the list. If it does so already, it stays: it may have what a run has not published. If the store has no result, or a damaged one,
// nothing is in dir. It is an error if Publish could not write to the store. The caller has a lock.
func Fetch(ctx context.Context, to, dir string, o Options, wanted func(name string) bool) error {
	s, err := lookAt(ctx, to, o)
	if err != nil {
		return err
	}
	of, err := disk.ReadNamed(dir+ofName, maxList)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if there, _ := os.ReadDir(dir); bytes.Equal(of, s.list) && (len(there) > 0 || s.was == nil) {
		return nil
	}
	if is, err := disk.ReadNamed(filepath.Join(dir, ListName), maxList); err == nil && bytes.Equal(is, s.list) { // it was published, and not noted
		return note(dir, s.list)
	}
	part := dir + ".part" // complete when it is renamed
	for _, old := range []string{part, dir} {
		if err := os.RemoveAll(old); err != nil {
			return err
		}
	}
	if s.was != nil {
		names := slices.DeleteFunc(s.was.names(), func(name string) bool { return !wanted(name) })
		if whole, err := s.fetchTo(ctx, part, names); err != nil {
			return err
		} else if whole {
			if err := os.Rename(part, dir); err != nil {
				return err
			}
		}
	}
	return note(dir, s.list)
}

// fetchTo makes a directory with files of the result, and the list. It reports whether all are as the list says.
func (s *stored) fetchTo(ctx context.Context, dir string, names []string) (whole bool, err error) {
	for _, name := range append(names, ListName) {
		is := s.objects[name]
		if is == nil {
			return false, nil
		}
		digest, err := fetch(ctx, is.Object, filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || name != ListName && digest != s.was.files[name].Digest {
			return false, err
		}
	}
	return true, nil
}
