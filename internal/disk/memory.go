package disk

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"simsearch/internal/mmap"
)

// NewMemory returns an empty file system in memory. Everything works as in a directory of the operating
// system, except that nothing is durable, locks are held against the same FS, and there are no links. The
// working directory and the root exist.
//
// Maps are not copies. What is written behind the end of a map is not copied either, but a write into a part
// that has been mapped copies the file once.
func NewMemory() FS {
	return &memory{nodes: map[string]*node{}, empty: func() (contents, error) { return &inMemory{}, nil }}
}

// A memory is a file system whose names are in memory. So are its contents, or they lie in files without names.
type memory struct {
	empty func() (contents, error) // makes a file

	mu    sync.Mutex       // guards all below, and all nodes
	nodes map[string]*node // by clean path
}

// A node is a file or a directory, whatever its name.
type node struct {
	dir      bool
	contents     // of a file
	users    int // the name, and Files that are open
	changed  time.Time
	locked   bool
}

// contents are the bytes of a file. Offsets are not negative.
type contents interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	size() int64
	// share returns a map of all that the file has. path is its name in errors.
	share(path string) (*mmap.File, error)
}

// left notes that a user of the node is gone. The caller holds the lock of the file system.
func (n *node) left() error {
	if n.users--; n.users > 0 || n.dir {
		return nil
	}
	return n.contents.Close()
}

// text returns all that a file has. The caller holds the lock of the file system.
func (n *node) text() ([]byte, error) {
	b := make([]byte, n.size())
	if _, err := n.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// inMemory is contents in memory.
type inMemory struct {
	data   []byte
	mapped int // the first bytes of data that are parts of maps
}

func (c *inMemory) size() int64  { return int64(len(c.data)) }
func (c *inMemory) Close() error { return nil }

func (c *inMemory) share(path string) (*mmap.File, error) {
	c.mapped = len(c.data)
	return mmap.InMemory(path, c.data[:c.mapped:c.mapped]), nil
}

func (c *inMemory) WriteAt(p []byte, at int64) (int, error) {
	if at < int64(c.mapped) && len(p) > 0 {
		c.data, c.mapped = slices.Clone(c.data), 0
	}
	if size := int64(len(c.data)); at > size {
		c.data = append(c.data, make([]byte, at-size)...)
	}
	there := copy(c.data[at:], p)
	c.data = append(c.data, p[there:]...)
	return len(p), nil
}

func (c *inMemory) ReadAt(p []byte, at int64) (int, error) {
	if at > int64(len(c.data)) {
		return 0, io.EOF
	}
	n := copy(p, c.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// memoryError returns the error of an operation that is refused.
func memoryError(op, path string, why error) error {
	return &fs.PathError{Op: op, Path: path, Err: why}
}

// find returns the node of a path, or nil. The caller holds m.mu.
func (m *memory) find(path string) *node {
	path = filepath.Clean(path)
	if n := m.nodes[path]; n != nil {
		return n
	}
	if path == "." || filepath.Dir(path) == path {
		return &node{dir: true}
	}
	return nil
}

// within returns why there can be no file at path: its directory is none, or does not exist. The caller
// holds m.mu.
func (m *memory) within(path string) error {
	switch parent := m.find(filepath.Dir(filepath.Clean(path))); {
	case parent == nil:
		return fs.ErrNotExist
	case !parent.dir:
		return syscall.ENOTDIR
	}
	return nil
}

// file returns the file at path. The caller holds m.mu.
func (m *memory) file(op, path string) (*node, error) {
	n := m.find(path)
	switch {
	case n == nil:
		return nil, memoryError(op, path, fs.ErrNotExist)
	case n.dir:
		return nil, memoryError(op, path, syscall.EISDIR)
	}
	return n, nil
}

// add adds a node at path, which must not exist. The caller holds m.mu.
func (m *memory) add(op, path string, n *node) error {
	if err := m.within(path); err != nil {
		return memoryError(op, path, err)
	}
	if m.find(path) != nil {
		return memoryError(op, path, fs.ErrExist)
	}
	n.changed = time.Now()
	m.nodes[filepath.Clean(path)] = n
	return nil
}

func (m *memory) Create(path string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.create("create", path)
	if err != nil {
		return nil, err
	}
	n.users++
	return &memoryFile{m: m, node: n, path: path}, nil
}

// create adds an empty file. The caller holds m.mu.
func (m *memory) create(op, path string) (*node, error) {
	n := &node{users: 1}
	if err := m.add(op, path, n); err != nil {
		return nil, err
	}
	var err error
	if n.contents, err = m.empty(); err != nil {
		delete(m.nodes, filepath.Clean(path))
		return nil, err
	}
	return n, nil
}

func (m *memory) CreateTemp(dir string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if dir != "" {
		if err := m.within(filepath.Join(dir, "file")); err != nil {
			return nil, memoryError("create", dir, err)
		}
	}
	c, err := m.empty()
	if err != nil {
		return nil, err
	}
	return &memoryFile{m: m, node: &node{users: 1, contents: c}, path: filepath.Join(dir, "temporary file")}, nil
}

func (m *memory) ReadFile(path string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("read", path)
	if err != nil {
		return nil, err
	}
	return n.text()
}

func (m *memory) Map(path string) (*mmap.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("map", path)
	if err != nil {
		return nil, err
	}
	return n.share(path)
}

func (m *memory) ReadDir(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch n := m.find(dir); {
	case n == nil:
		return nil, memoryError("readdir", dir, fs.ErrNotExist)
	case !n.dir:
		return nil, memoryError("readdir", dir, syscall.ENOTDIR)
	}
	names := []string{}
	for path := range m.nodes {
		if filepath.Dir(path) == filepath.Clean(dir) {
			names = append(names, filepath.Base(path))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (m *memory) Stat(path string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(path)
	if n == nil {
		return nil, memoryError("stat", path, fs.ErrNotExist)
	}
	var size int64
	if !n.dir {
		size = n.size()
	}
	return memoryInfo{filepath.Base(path), size, n.dir, n.changed}, nil
}

func (m *memory) Mkdir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.add("mkdir", dir, &node{dir: true})
}

func (m *memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to = filepath.Clean(from), filepath.Clean(to)
	n := m.nodes[from]
	if n == nil {
		return memoryError("rename", from, fs.ErrNotExist)
	}
	if err := m.within(to); err != nil {
		return memoryError("rename", to, err)
	}
	if from == to {
		return nil
	}
	old := m.find(to)
	if old != nil && (n.dir || old.dir) {
		return memoryError("rename", to, fs.ErrExist)
	}
	inside := from + string(filepath.Separator)
	if n.dir && strings.HasPrefix(to, inside) {
		return memoryError("rename", to, syscall.EINVAL)
	}
	delete(m.nodes, from)
	m.nodes[to] = n
	if old != nil {
		return old.left()
	}
	if !n.dir {
		return nil
	}
	moved := map[string]*node{}
	for path, n := range m.nodes {
		if rest, ok := strings.CutPrefix(path, inside); ok {
			moved[filepath.Join(to, rest)] = n
			delete(m.nodes, path)
		}
	}
	for path, n := range moved {
		m.nodes[path] = n
	}
	return nil
}

func (m *memory) Remove(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	path = filepath.Clean(path)
	n := m.nodes[path]
	if n == nil {
		return memoryError("remove", path, fs.ErrNotExist)
	}
	if n.dir {
		for other := range m.nodes {
			if filepath.Dir(other) == path {
				return memoryError("remove", path, syscall.ENOTEMPTY)
			}
		}
	}
	delete(m.nodes, path)
	return n.left()
}

func (m *memory) SyncFile(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.file("sync", path)
	return err
}

func (m *memory) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.find(dir) == nil {
		return memoryError("sync", dir, fs.ErrNotExist)
	}
	return nil
}

func (m *memory) Root(dir string, _ fs.FileMode) (Root, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch n := m.find(dir); {
	case n == nil:
		return nil, memoryError("open", dir, fs.ErrNotExist)
	case !n.dir:
		return nil, memoryError("open", dir, syscall.ENOTDIR)
	}
	return Below(m, dir), nil
}

func (m *memory) Lock(path, note string) (Lock, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.find(path)
	if n == nil {
		var err error
		if n, err = m.create("lock", path); err != nil {
			return nil, err
		}
	}
	if n.dir {
		return nil, memoryError("lock", path, syscall.EISDIR)
	}
	if n.locked {
		holder, _ := n.text() // the note is optional
		return nil, &LockedError{path, strings.TrimSpace(string(holder))}
	}
	fresh, err := m.empty()
	if err != nil {
		return nil, err
	}
	if _, err := fresh.WriteAt([]byte(note+"\n"), 0); err != nil {
		return nil, errors.Join(err, fresh.Close())
	}
	if err := n.contents.Close(); err != nil {
		return nil, errors.Join(err, fresh.Close())
	}
	n.contents, n.locked, n.changed = fresh, true, time.Now()
	return &memoryLock{m: m, node: n, path: path}, nil
}

// A memoryLock is held until node is nil.
type memoryLock struct {
	m    *memory
	node *node
	path string
}

func (l *memoryLock) Held() error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	if l.m.find(l.path) != l.node {
		return memoryError("lock", l.path, ErrLockLost)
	}
	return nil
}

func (l *memoryLock) Close() error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	if l.node != nil {
		l.node.locked, l.node = false, nil
	}
	return nil
}

// A memoryFile is a file in memory, open for writing.
type memoryFile struct {
	m      *memory
	node   *node
	path   string
	at     int64 // of the next Write
	closed bool
}

// ready returns an error if the file is closed. The caller holds f.m.mu.
func (f *memoryFile) ready(op string) error {
	if f.closed {
		return memoryError(op, f.path, fs.ErrClosed)
	}
	return nil
}

func (f *memoryFile) Write(p []byte) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	n, err := f.write(p, f.at)
	f.at += int64(n)
	return n, err
}

func (f *memoryFile) WriteAt(p []byte, at int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return f.write(p, at)
}

func (f *memoryFile) write(p []byte, at int64) (int, error) {
	if err := f.ready("write"); err != nil {
		return 0, err
	}
	if at < 0 {
		return 0, memoryError("write", f.path, errors.New("negative offset"))
	}
	f.node.changed = time.Now()
	return f.node.WriteAt(p, at)
}

func (f *memoryFile) ReadAt(p []byte, at int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.ready("read"); err != nil {
		return 0, err
	}
	if at < 0 {
		return 0, memoryError("read", f.path, errors.New("negative offset"))
	}
	return f.node.ReadAt(p, at)
}

func (f *memoryFile) Sync() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return f.ready("sync")
}

func (f *memoryFile) Map() (*mmap.File, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.ready("map"); err != nil {
		return nil, err
	}
	return f.node.share(f.path)
}

func (f *memoryFile) Close() error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if err := f.ready("close"); err != nil {
		return err
	}
	f.closed = true
	return f.node.left()
}

// A memoryInfo describes a file or directory in memory.
type memoryInfo struct {
	name    string
	size    int64
	dir     bool
	changed time.Time
}

func (i memoryInfo) Name() string       { return i.name }
func (i memoryInfo) Size() int64        { return i.size }
func (i memoryInfo) IsDir() bool        { return i.dir }
func (i memoryInfo) ModTime() time.Time { return i.changed }
func (i memoryInfo) Sys() any           { return nil }

func (i memoryInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
