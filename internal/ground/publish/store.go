package publish

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

	"github.com/spaolacci/murmur3"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/parallel"
)

// A result is published in a directory of a store: its files become objects, ListName the last, and then those go
// that the earlier list names and this one does not. Before anything is changed, the object storedPlan names all that
// may be there meanwhile. So a run that is interrupted leaves the earlier list, and the next one can tell what is
// ours.
const storedPlan = WorkName + "/" + planName

// filesAtOnce is how many objects are written or removed at a time.
const filesAtOnce = 8

// Published says what ToStore has done.
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
	list    []byte                   // which is written so; nil if there is none, or a part of one
	planned map[string][]entry       // what an interrupted run may have written under a name; nil if there was none
}

// lookAt finds out what is in a directory of a store. The error names what is not ours.
func lookAt(ctx context.Context, to string, o Options) (*stored, error) {
	s := &stored{to: strings.TrimSuffix(to, "/"), o: o}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	h, entries, err := s.read(ctx, storedPlan)
	if err != nil {
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
	if h, entries, err = s.read(ctx, ListName); err != nil {
		return nil, err
	}
	if h != nil {
		s.was = newList(*h, entries)
		if err := s.was.checkCommand(to, ListName, o); err != nil {
			return nil, err
		}
	}
	for name, is := range s.objects {
		if why, err := s.isForeign(ctx, name, is); err != nil || why != "" {
			return nil, cmp.Or[error](err, &ForeignError{is.Object, why})
		}
	}
	return s, nil
}

// look lists what is there now.
func (s *stored) look(ctx context.Context) error {
	s.objects = map[string]*objects.Info{}
	return objects.List(ctx, s.to, func(is *objects.Info) error {
		name, _ := objects.Below(is.Object, s.to)
		s.objects[name] = is
		return nil
	})
}

// read reads a list or a plan. It returns nil if there is none, or only a part of one that the store has not kept
// whole.
func (s *stored) read(ctx context.Context, name string) (*head, []entry, error) {
	is := s.objects[name]
	if is == nil {
		return nil, nil, nil
	}
	var data bytes.Buffer
	if is.Size() > maxList {
		return nil, nil, fmt.Errorf("%s: %w: move it away, or name another directory", is.Object, errList)
	}
	if _, err := fetch(ctx, is.Object, &data); err != nil {
		return nil, nil, err
	}
	h, entries, err := parseLines(data.Bytes())
	if err != nil && (name == storedPlan && s.isBegun(data.Bytes()) || name == ListName && s.planned != nil) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w: move it away, or name another directory", is.Object, err)
	}
	if name == ListName {
		s.list = data.Bytes()
	}
	return &h, entries, nil
}

// isBegun reports whether data begins as a plan of this command does, as far as it goes.
func (s *stored) isBegun(data []byte) bool {
	var begin bytes.Buffer
	_ = encodeLines(&begin, head{By: s.o.By}, nil) // cannot fail
	n := min(len(data), begin.Len()-1)
	return bytes.Equal(data[:n], begin.Bytes()[:n])
}

// isForeign says why an object is not ours, or returns "". One that is shorter than planned is ours: the store has
// not kept it whole.
func (s *stored) isForeign(ctx context.Context, name string, is *objects.Info) (why string, err error) {
	if name == ListName || name == storedPlan {
		return "", nil
	}
	why = whyForeign
	for _, e := range s.planned[name] {
		if why = whyChanged; is.Size() <= e.Bytes {
			return "", nil
		}
	}
	if !s.was.has(name) {
		return why, nil
	}
	if s.isAsListed(name, is) {
		return "", nil
	}
	if s.was.files[name].Bytes != is.Size() {
		return whyChanged, nil
	}
	digest, err := fetch(ctx, is.Object, io.Discard) // a copy of the object has another ETag, and may be equal
	if err != nil || digest == s.was.files[name].Digest {
		return "", err
	}
	return whyChanged, nil
}

// isAsListed reports whether an object has the size and the version that the list says.
func (s *stored) isAsListed(name string, is *objects.Info) bool {
	e := s.was.files[name]
	return e.Bytes == is.Size() && (e.ETag == is.ETag || e.ETag == "" || is.ETag == "")
}

// ToStore makes the result in the directory dir, which is complete, that of the directory to of a store. o are the
// options of both. progress, if not nil, is told how many bytes of all that are written have been. The error names
// what is there and not ours: nothing is changed then.
func ToStore(ctx context.Context, dir, to string, o Options, progress func(done, all int64)) (did Published, err error) {
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
	if list, err = s.kept(ctx, dir, is, write); err != nil {
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

// differs returns the files of a list that are to be written, in the order of their names, and the names of objects
// that are to be removed.
func (s *stored) differs(is *list) (write []entry, remove []string) {
	for _, name := range is.names() {
		e := is.files[name]
		there := s.objects[name]
		if there == nil || !s.was.has(name) || s.was.files[name].Digest != e.Digest || !s.isAsListed(name, there) {
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
			e.Time, e.ETag = 0, ""
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

// write writes files of a directory, and notes the ETags that the store answers in files. Those that an interrupted
// run has written are not written again.
func (s *stored) write(ctx context.Context, dir string, files []entry, did *Published, progress func(done, all int64)) error {
	var all, done, written atomic.Int64
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
		if files[i].ETag, err = objects.Put(ctx, objects.Join(s.to, e.Name), f, e.Bytes); err != nil {
			return err
		}
		written.Add(1)
		if now := done.Add(e.Bytes); progress != nil {
			progress(now, all.Load())
		}
		return nil
	})
	did.Written, did.Bytes = int(written.Load()), done.Load()
	did.Same += len(files) - did.Written
	return err
}

// kept compares what a listing says with what the store should have. It returns the list that goes to the store, with
// the version of each object. The error names an object that the store has not kept as it was written.
func (s *stored) kept(ctx context.Context, dir string, is *list, written []entry) ([]byte, error) {
	now := &stored{to: s.to}
	if err := now.look(ctx); err != nil {
		return nil, err
	}
	tags := map[string]string{}
	for _, e := range written {
		tags[e.Name] = e.ETag
	}
	var entries []entry
	for _, name := range is.names() {
		e := is.files[name]
		f, err := os.OpenInRoot(dir, filepath.FromSlash(name))
		if err != nil {
			return nil, err
		}
		o, err := objects.Check(ctx, now.objects[name], objects.Join(s.to, name), f, e.Bytes, tags[name])
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		e.ETag = o.ETag
		entries = append(entries, e)
	}
	var data bytes.Buffer
	err := encodeLines(&data, is.head, entries)
	return data.Bytes(), err
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

// fetch copies an object, and returns the digest of its contents.
func fetch(ctx context.Context, object string, to io.Writer) (string, error) {
	from, err := objects.Open(ctx, object)
	if err != nil {
		return "", err
	}
	digest := murmur3.New128()
	_, err = io.Copy(io.MultiWriter(to, digest), from)
	return hex.EncodeToString(digest.Sum(nil)), errors.Join(err, from.Close())
}

// fetchFile writes an object to a file that does not exist, and returns the digest of its contents.
func fetchFile(ctx context.Context, object, path string) (digest string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	digest, err = fetch(ctx, object, to)
	return digest, errors.Join(err, to.Close())
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

// isOf reports whether a list in a store is that of a list on the disk: it has the same files, and their versions
// besides.
func (l *list) isOf(data []byte) bool {
	_, entries, err := parseLines(data)
	if l == nil || err != nil || len(entries) != len(l.files) {
		return false
	}
	for _, e := range entries {
		if e.ETag = l.files[e.Name].ETag; l.files[e.Name] != e {
			return false
		}
	}
	return true
}

// Fetch makes the directory dir, a copy, go on from the result that is in the directory to of a store: with the files
// that wanted says, and the list. If it does so already, it stays: it may have what a run has not published. If the
// store has no result, or a damaged one, nothing is in dir. It is an error if ToStore could not write to the store.
// The caller has a lock.
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
	if is, err := disk.ReadNamed(filepath.Join(dir, ListName), maxList); err == nil && s.was.isOf(is) { // it was published, and not noted
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
		digest, err := fetchFile(ctx, is.Object, filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || name != ListName && digest != s.was.files[name].Digest {
			return false, err
		}
	}
	return true, nil
}
