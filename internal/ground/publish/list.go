package publish

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/terminal"
)

// version is that of lists and plans.
const version = 1

// maxLine bounds the length in bytes of a line of a list.
const maxLine = 1 << 16

// A head is the first line of a list, and of a plan.
type head struct {
	V       int    `json:"v"`
	By      string `json:"by"`
	Command string `json:"command,omitempty"`
	Where   string `json:"directory,omitempty"` // in which it was given
}

// An entry is a line of a list. In a plan it has a name alone.
type entry struct {
	Name   string `json:"name"` // with slashes; bytes that are not UTF-8 are escaped
	Bytes  int64  `json:"bytes,omitempty"`
	Digest string `json:"digest,omitempty"` // of the contents
	Time   int64  `json:"time,omitempty"`   // when the contents were written, in nanoseconds since 1970
	ETag   string `json:"etag,omitempty"`   // of the object, in the list that is in a store
}

// A list is the files of a result, or the names in a plan. One that is nil has none.
type list struct {
	head
	files map[string]entry
	time  int64 // when the list was written, as entry.Time
}

// clockStep returns a time at least as long as the step in which the file system counts that has given a file the
// given time: FAT counts in two seconds, and others in one. Those that know parts of a second count in a hundredth of
// one or less.
func clockStep(of int64) time.Duration {
	if of%int64(time.Second) == 0 {
		return 2 * time.Second
	}
	return 20 * time.Millisecond
}

// isAsWritten reports whether the size and the time of a file say that it is as it was written. It was written so
// long before the list that another change since then would have given it another time.
func (l *list) isAsWritten(e entry, info fs.FileInfo) bool {
	return e.Time != 0 && e.Time == info.ModTime().UnixNano() && e.Time <= l.time-int64(clockStep(e.Time)) && e.Bytes == info.Size()
}

// all returns the files by their names.
func (l *list) all() map[string]entry {
	if l == nil {
		return nil
	}
	return l.files
}

func (l *list) has(name string) bool {
	_, ok := l.all()[name]
	return ok
}

// dirs returns the directories of the files.
func (l *list) dirs() map[string]bool {
	all := map[string]bool{}
	for name := range l.all() {
		for dir := path.Dir(name); dir != "." && !all[dir]; dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	return all
}

// names returns the names of the files, in ascending order.
func (l *list) names() []string { return slices.Sorted(maps.Keys(l.all())) }

// tops returns the names in the directory itself, in ascending order.
func (l *list) tops() (names []string) {
	for name := range l.files {
		top, _, _ := strings.Cut(name, "/")
		names = append(names, top)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isName reports whether a name of a file leads to no other directory, in whatever system.
func isName(name string) bool {
	return name != "." && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\x00")
}

// free reports whether a name is none that this package gives.
func free(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return !slices.Contains([]string{ListName, WorkName, lockName, planName, oldName}, top) && !isTemporary(path.Base(name))
}

// isTemporary reports whether a name is one that disk.CreateAtomic gives.
func isTemporary(name string) bool {
	random, ok := strings.CutPrefix(name, strings.TrimSuffix(disk.TempPattern, "*"))
	return ok && len(random) > 0 && len(random) <= 13 && strings.Trim(random, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// isWork reports whether a name is that of a file that is not part of the result.
func (o Options) isWork(name string) bool {
	return slices.ContainsFunc(o.Work, func(pattern string) bool { ok, _ := filepath.Match(pattern, name); return ok })
}

// errList is the class of errors of a list that this program has not written.
var errList = errors.New("it is no list that simsearch has written")

// maxList is the most bytes of a list that are read: those of some seven million files.
const maxList = 1 << 30

// readLines reads a list or a plan of a directory, which messages name. It returns nil if there is none.
func readLines(root disk.Root, dir, name string) (*list, error) {
	info, err := root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errList
	}
	var data []byte
	if err == nil {
		data, err = root.ReadFile(name, maxList)
	}
	var h head
	var entries []entry
	if err == nil {
		h, entries, err = parseLines(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: move it away, or name another directory", filepath.Join(dir, name), err)
	}
	l := newList(h, entries)
	l.time = info.ModTime().UnixNano()
	return l, nil
}

func newList(h head, entries []entry) *list {
	l := &list{head: h, files: make(map[string]entry, len(entries))}
	for _, e := range entries {
		l.files[e.Name] = e
	}
	return l
}

// parseLines reads what encodeLines writes.
func parseLines(data []byte) (h head, entries []entry, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxLine)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &h) != nil || h.V != version {
		return h, nil, errList
	}
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return h, nil, errList
		}
		e.Name = string(terminal.String.AppendID(nil, []byte(e.Name)))
		if !isName(e.Name) || !free(e.Name) {
			return h, nil, fmt.Errorf("%w: %q cannot be a file there", errList, e.Name)
		}
		entries = append(entries, e)
	}
	if lines.Err() != nil {
		return h, nil, errList
	}
	return h, entries, nil
}

// writeLines writes a list or a plan.
func writeLines(root disk.FS, name string, h head, entries []entry) error {
	return disk.WriteAtomicBy(root, name, func(w *bufio.Writer) error { return encodeLines(w, h, entries) })
}

func encodeLines(w io.Writer, h head, entries []entry) error {
	h.V = version
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	err := to.Encode(h)
	for i := 0; i < len(entries) && err == nil; i++ {
		e := entries[i]
		e.Name = string(terminal.String.AppendText(nil, []byte(e.Name)))
		err = to.Encode(e)
	}
	return err
}

// writeList writes the list of what is in WorkName, when all of that is durable.
func (d *Dir) writeList() error {
	var entries []entry
	directories := d.plan.dirs()
	err := walk(d.work, ".", func(name string, info fs.FileInfo) error {
		switch {
		case info.IsDir() && (name == "." || directories[name]):
			return d.work.SyncDir(name)
		case name == lockName || name == planName || d.o.isWork(name):
			return nil
		case !info.Mode().IsRegular() || !d.plan.has(name):
			return d.foreign(name)
		}
		d.mu.Lock()
		e, ok := d.written[filepath.FromSlash(name)]
		d.mu.Unlock()
		if !ok { // an interrupted run has written it
			var err error
			if e.Digest, err = digestIn(d.work, name); err != nil {
				return err
			}
			e.Bytes = info.Size()
		}
		e.Name, e.Time = name, info.ModTime().UnixNano()
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return err
	}
	return writeLines(d.work, ListName, d.o.head(), entries)
}

// walk calls do for what is at name, and below it, in ascending order. A directory comes after what is in it.
func walk(root disk.Root, name string, do func(name string, info fs.FileInfo) error) error {
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	if info.IsDir() {
		names, err := root.ReadDir(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		for _, in := range names {
			if err := walk(root, path.Join(name, in), do); err != nil {
				return err
			}
		}
	}
	return do(name, info)
}

// digestIn returns the digest of a file.
func digestIn(root disk.Root, name string) (string, error) {
	m, err := root.Map(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	digest := murmur3.New128()
	err = disk.Guarded(func() error {
		_, err := digest.Write(m.Data())
		return err
	})
	return hex.EncodeToString(digest.Sum(nil)), errors.Join(err, m.Close())
}

func exists(root disk.Root, name string) (bool, error) {
	_, err := root.Stat(name)
	return err == nil, unless(fs.ErrNotExist, err)
}
