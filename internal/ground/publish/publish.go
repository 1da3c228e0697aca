// Package publish is the door for everything that is written or removed outside of an index: the directory of a result.
//
// A result is the files of a directory that a list there names, ListName. They are written in a directory of their own
// below it, "unfinished", and take the place of an earlier result when all are there. Until then that result stays.
//
// Nothing is followed, replaced or removed that is not ours. A symbolic link anywhere below the directory, a file
// that no list names, and a file that somebody has changed since it was written are told of by name, and nothing is
// written. All operations go through a disk.Root, so that no name leads out of the directory, whatever a list says.
//
//	d, err := publish.Open(dir, publish.Options{By: "dedup", Command: command})
//	defer d.Close()
//	err = errors.Join(d.Plan(names), d.Mkdir("kept"))
//	err = errors.Join(err, disk.WriteAtomic(d, names[i], []byte("text")))
package publish

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/terminal"
)

// ListName is the name of the list of the files of a result. A line is a JSON object: first one that says what has
// made the result, then one for each file.
const ListName = "written.jsonl"

// WorkName is the name of the directory in which a result is written until it is complete.
const WorkName = "unfinished"

// Names of files in WorkName.
const (
	lockName = "lock"
	planName = "names"    // the names that the files of the result may have
	oldName  = "replaced" // a directory with the earlier result, while that is removed
)

// Options say what a result is of.
type Options struct {
	// By is the command that makes the result, such as "dedup". The result of another command is not replaced.
	By string
	// Command is the whole command line. The result of another command line is not replaced, nor is one of a command
	// line that is not known, "", unless Anew is set.
	Command string
	Anew    bool
	// Where is the directory in which the command was given, since it may name files from there. Neither need be UTF-8.
	Where string
	// Work are patterns of names, as filepath.Match has them, of files in WorkName that are not part of the result.
	// They are removed when it is complete.
	Work []string
	// Perm are the permissions of files; 0 stands for 0666. The mask of the user is taken off.
	Perm fs.FileMode
	FS   disk.FS // nil stands for disk.OS
}

func (o Options) defaults() Options {
	if o.FS == nil {
		o.FS = disk.OS
	}
	if o.Perm == 0 {
		o.Perm = 0o666
	}
	return o
}

// head returns what a list says of its run. What is not UTF-8 is escaped, since JSON would lose it.
func (o *Options) head() head {
	return head{By: o.By, Command: terminal.String.Text(o.Command), Where: terminal.String.Text(o.Where)}
}

type work = disk.Root

// A Dir is the directory of a result that is being written. It is a file system: paths are names of the files of the
// result, which are in WorkName until Commit. It is safe for concurrent use.
type Dir struct {
	work    // WorkName
	path    string
	o       Options
	root    disk.Root // the directory
	lock    disk.Lock
	made    []string // directories, by Open
	resumed bool
	done    bool // Commit has succeeded

	plan    *list // or nil
	left    *list // the plan of an interrupted run, as long as something of it may be in WorkName; or nil
	was     *list // of the earlier result, or nil
	mu      sync.Mutex
	written map[string]entry // by name; guarded by mu
}

// ErrBusy is returned if another process writes to the directory.
var ErrBusy = errors.New("another run writes to it")

// Check returns an error if Open would: since there is something in the directory that is not the result of the same
// command, or that nobody may remove. A directory that does not exist, or is empty, is right.
func Check(dir string, o Options) error {
	o = o.defaults()
	if o.FS == disk.OS {
		if err := disk.CanBeDir(dir); err != nil {
			return fmt.Errorf("%s: %w: name another directory", dir, err)
		}
	}
	root, err := o.FS.Root(dir, o.Perm)
	if err != nil {
		return unless(fs.ErrNotExist, err)
	}
	return errors.Join(checkAll(dir, root, o, false), root.Close())
}

// Open makes the directory if it does not exist, and takes its lock. It returns an error as Check does, or ErrBusy. A
// result that was complete when its process ended takes its place. What else an interrupted run has left in WorkName
// is there again; Resumed tells. The caller closes the Dir.
func Open(dir string, o Options) (_ *Dir, err error) {
	o = o.defaults()
	if err := Check(dir, o); err != nil {
		return nil, err
	}
	d := &Dir{path: dir, o: o, written: map[string]entry{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if d.made, err = disk.MkdirAll(o.FS, dir); err != nil {
		return nil, err
	}
	for _, made := range d.made {
		if err := o.FS.SyncDir(filepath.Dir(made)); err != nil {
			return nil, err
		}
	}
	if d.root, err = o.FS.Root(dir, o.Perm); err != nil {
		return nil, err
	}
	if err := unless(fs.ErrExist, d.root.Mkdir(WorkName)); err != nil {
		return nil, err
	}
	lock, err := d.root.Lock(filepath.Join(WorkName, lockName), "simsearch "+o.By)
	if errors.As(err, new(*disk.LockedError)) {
		return nil, fmt.Errorf("%s: %w: wait until that has ended, or name another directory (%w)", dir, ErrBusy, err)
	}
	if err != nil {
		return nil, err
	}
	d.lock = lock
	if d.work, err = d.root.Root(WorkName, o.Perm); err != nil {
		return nil, err
	}
	if err := d.root.SyncDir("."); err != nil { // so that no crash leaves files without a place
		return nil, err
	}
	return d, d.takeUp()
}

// takeUp brings what an interrupted run has left into a state that a run can begin with.
func (d *Dir) takeUp() error {
	// Another process may have changed the directory before the lock was taken.
	if err := checkAll(d.path, d.root, d.o, true); err != nil {
		return err
	}
	if there, err := exists(d.work, ListName); err != nil {
		return err
	} else if there {
		if err := d.replace(); err != nil {
			return err
		}
	}
	if err := d.removeOld(); err != nil {
		return err
	}
	var err error
	if d.left, err = readLines(d.work, filepath.Join(d.path, WorkName), planName); err != nil {
		return err
	}
	if d.was, err = readLines(d.root, d.path, ListName); err != nil {
		return err
	}
	// What a process has not finished is of no use.
	err = d.remove(".", func(name string, info fs.FileInfo) (bool, error) {
		return info.Mode().IsRegular() && isTemporary(path.Base(name)), nil
	})
	bare, err2 := d.isBare()
	d.resumed = !bare
	return errors.Join(err, err2)
}

// isRuns reports whether a name in WorkName is of a run, and not of this package.
func isRuns(name string) bool { return name != lockName && name != planName }

// isBare reports whether WorkName has nothing of a run.
func (d *Dir) isBare() (bool, error) {
	names, err := d.work.ReadDir(".")
	return !slices.ContainsFunc(names, isRuns), err
}

// Resumed reports whether an interrupted run has left files in WorkName, of the result or of Options.Work.
func (d *Dir) Resumed() bool { return d.resumed }

// Plan says which names the files of the result may have: local names with slashes. It is called before the first of
// them is made. A file with another name is an error of Commit. What is written has the names of an interrupted run,
// too, until Clear: its files are told by these from files that are not ours.
func (d *Dir) Plan(names []string) error {
	plan := &list{files: make(map[string]entry, len(names))}
	var entries []entry
	for _, name := range names {
		if !isName(name) || !free(name) {
			return fmt.Errorf("%s: %s cannot be the name of a file there", d.path, name)
		}
		entries = append(entries, entry{Name: name})
		plan.files[name] = entries[len(entries)-1]
	}
	for _, name := range d.left.names() {
		if !plan.has(name) {
			entries = append(entries, entry{Name: name})
		}
	}
	if err := writeLines(d.work, planName, head{By: d.o.By}, entries); err != nil {
		return err
	}
	d.plan = plan
	return nil
}

// Clear removes all that an interrupted run has left in WorkName.
func (d *Dir) Clear() error {
	if err := d.removeIn(isRuns); err != nil {
		return err
	}
	if err := d.work.SyncDir("."); err != nil {
		return err
	}
	d.written, d.resumed, d.left = map[string]entry{}, false, nil
	return nil
}

// Create makes a file in WorkName. Its contents are followed, so that the list can tell whether it was changed later.
func (d *Dir) Create(path string) (disk.File, error) {
	f, err := d.work.Create(path)
	if err != nil {
		return nil, err
	}
	return &file{File: f, d: d, path: filepath.Clean(path), digest: murmur3.New128()}, nil
}

// Keep makes a file of the earlier result a file of this one, under the same name: it is not copied, and has two
// names until the earlier result is removed. It reports whether it has done so. Otherwise, the file is to be written:
// the earlier result has none of this name, or it has other permissions than this result, or the file system has one
// name for each file only.
func (d *Dir) Keep(name string) (bool, error) {
	if !d.was.has(name) {
		return false, nil
	}
	e, path := d.was.files[name], filepath.FromSlash(name)
	info, err := d.root.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != e.Bytes {
		return false, unless(fs.ErrNotExist, err)
	}
	of, err := d.work.Stat(planName) // it has the permissions of all that is written now
	if err != nil || of.Mode().Perm() != info.Mode().Perm() {
		return false, err
	}
	if _, err := disk.MkdirAll(d.work, filepath.Dir(path)); err != nil {
		return false, err
	}
	if err := unless(fs.ErrNotExist, d.work.Remove(path)); err != nil { // an interrupted run may have left it
		return false, err
	}
	if d.root.Link(path, filepath.Join(WorkName, path)) != nil {
		return false, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.written[path] = e
	return true, nil
}

// Rename gives a file another name.
func (d *Dir) Rename(from, to string) error {
	if err := d.work.Rename(from, to); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	from, to = filepath.Clean(from), filepath.Clean(to)
	if e, ok := d.written[from]; ok {
		delete(d.written, from)
		d.written[to] = e
	} else {
		delete(d.written, to)
	}
	return nil
}

// A file counts and digests what is written to it in order.
type file struct {
	disk.File
	d      *Dir
	path   string
	bytes  int64
	digest hash.Hash
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.bytes += int64(n)
	_, _ = f.digest.Write(p[:n])
	return n, err
}

// WriteAt would make the digest wrong.
func (f *file) WriteAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }

func (f *file) Close() error {
	if err := f.File.Close(); err != nil {
		return err
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.d.written[f.path] = entry{Bytes: f.bytes, Digest: hex.EncodeToString(f.digest.Sum(nil))}
	return nil
}

// Commit makes the files of the result durable and puts them, with a list, in the place of the earlier result, which
// is then removed. If that has been changed since Open, or a file is there that was not planned, the error names it;
// the new result then stays in WorkName. After Commit the Dir can only be closed.
func (d *Dir) Commit() error {
	err := inOrder(
		d.writeList, d.replace, d.removeOld,
		func() error { return d.removeIn(d.o.isWork) },
		func() error { return d.work.SyncDir(".") }, // nothing comes back that the plan would explain
		d.removeWork,
	)
	if err != nil {
		return err
	}
	d.made, d.done = nil, true
	return d.root.SyncDir(".")
}

// removeWork removes WorkName, which has nothing of a run.
func (d *Dir) removeWork() error {
	return inOrder(
		func() error { return unless(fs.ErrNotExist, d.work.Remove(planName)) },
		func() error { return unless(fs.ErrNotExist, d.removeLock()) },
		func() error { return d.root.Remove(WorkName) },
	)
}

// removeLock removes the file of the lock, which gives it up. Windows removes no file that is open: there the lock is
// given up first. Whoever takes it in between keeps the file open, so that it stays.
func (d *Dir) removeLock() error {
	err := d.work.Remove(lockName)
	if err == nil || runtime.GOOS != "windows" || d.lock == nil {
		return err
	}
	err = d.lock.Close()
	d.lock = nil
	return errors.Join(err, d.work.Remove(lockName))
}

// Close gives up the lock. What is in WorkName stays, if another run could use it. Otherwise nothing is left of Open.
func (d *Dir) Close() (err error) {
	if d.lock != nil && d.work != nil && !d.done {
		var bare bool
		if bare, err = d.isBare(); bare && err == nil {
			err = d.removeWork()
		}
	}
	for _, c := range []io.Closer{d.work, d.lock, d.root} {
		if c != nil {
			err = errors.Join(err, c.Close())
		}
	}
	d.work, d.lock, d.root = nil, nil, nil
	// The directories that Open has made go, unless something is in them.
	for i := len(d.made) - 1; i >= 0 && d.o.FS.Remove(d.made[i]) == nil; i-- {
	}
	d.made = nil
	return err
}
