package disk

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
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

// A node is a file or, without contents, a directory, whatever its name.
type node struct {
	contents
	users   int // names, and Files that are open
	changed time.Time
	locked  bool
}

// contents are the bytes of a file. Offsets are not negative.
type contents interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	size() int64
	// share returns a map of all that the file has. path is its name in errors.
	share(path string) (*Mapped, error)
}

func (n *node) dir() bool { return n.contents == nil }

// left notes that a user of the node is gone. The caller holds the lock of the file system.
func (n *node) left() error {
	if n.users--; n.users > 0 || n.dir() {
		return nil
	}
	return n.contents.Close()
}

// text returns all that a file has. The caller holds the lock of the file system.
func (n *node) text() ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(n, 0, n.size()))
}

// inMemory is contents in memory.
type inMemory struct {
	data   []byte
	mapped int // the first bytes of data that are parts of maps
}

func (c *inMemory) size() int64  { return int64(len(c.data)) }
func (c *inMemory) Close() error { return nil }

func (c *inMemory) share(path string) (*Mapped, error) {
	c.mapped = len(c.data)
	return MappedBytes(path, c.data[:c.mapped:c.mapped]), nil
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

// find returns the node of a path. The caller holds m.mu, as that of all functions below that are not exported.
func (m *memory) find(op, path string) (*node, error) {
	path = filepath.Clean(path)
	n := m.nodes[path]
	switch {
	case n != nil:
		return n, nil
	case path == "." || filepath.Dir(path) == path:
		return &node{}, nil
	}
	return nil, memoryError(op, path, fs.ErrNotExist)
}

// directory returns an error unless there is a directory at path.
func (m *memory) directory(op, path string) error {
	n, err := m.find(op, path)
	if err == nil && !n.dir() {
		err = memoryError(op, path, syscall.ENOTDIR)
	}
	return err
}

// file returns the file at path.
func (m *memory) file(op, path string) (*node, error) {
	n, err := m.find(op, path)
	if err == nil && n.dir() {
		err = memoryError(op, path, syscall.EISDIR)
	}
	return n, err
}

// add adds a node at path, which must not exist.
func (m *memory) add(op, path string, n *node) error {
	if err := m.directory(op, filepath.Dir(filepath.Clean(path))); err != nil {
		return err
	}
	if _, err := m.find(op, path); err == nil {
		return memoryError(op, path, fs.ErrExist)
	}
	n.users, n.changed = 1, time.Now()
	m.nodes[filepath.Clean(path)] = n
	return nil
}

// create adds an empty file.
func (m *memory) create(op, path string) (*node, error) {
	n := &node{}
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

func (m *memory) CreateTemp(dir string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if dir != "" {
		if err := m.directory("create", dir); err != nil {
			return nil, err
		}
	}
	c, err := m.empty()
	if err != nil {
		return nil, err
	}
	return &memoryFile{m: m, node: &node{users: 1, contents: c}, path: filepath.Join(dir, "temporary file")}, nil
}

func (m *memory) ReadFile(path string, most int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("read", path)
	if err != nil {
		return nil, err
	}
	if n.size() > most {
		return nil, tooLarge(path, most)
	}
	return n.text()
}

func (m *memory) Map(path string) (*Mapped, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("map", path)
	if err != nil {
		return nil, err
	}
	return n.share(path)
}

func (m *memory) ReadDir(dir string) (names []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.directory("readdir", dir); err != nil {
		return nil, err
	}
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
	n, err := m.find("stat", path)
	if err != nil {
		return nil, err
	}
	info := memoryInfo{name: filepath.Base(path), mode: fs.ModeDir | 0o777, changed: n.changed}
	if !n.dir() {
		info.size, info.mode = n.size(), 0o666
	}
	return info, nil
}

func (m *memory) Mkdir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.add("mkdir", dir, &node{})
}

func (m *memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to = filepath.Clean(from), filepath.Clean(to)
	n, err := m.find("rename", from)
	if err == nil {
		err = m.directory("rename", filepath.Dir(to))
	}
	if err != nil || from == to {
		return err
	}
	old := m.nodes[to]
	inside := from + string(filepath.Separator)
	if old != nil && (n.dir() || old.dir()) || strings.HasPrefix(to, inside) {
		return memoryError("rename", to, fs.ErrExist)
	}
	moved := map[string]*node{to: n}
	for path, n := range m.nodes {
		if rest, ok := strings.CutPrefix(path, inside); ok {
			moved[filepath.Join(to, rest)] = n
			delete(m.nodes, path)
		}
	}
	delete(m.nodes, from)
	maps.Copy(m.nodes, moved)
	if old != nil {
		return old.left()
	}
	return nil
}

func (m *memory) Link(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("link", from)
	if err == nil {
		err = m.directory("link", filepath.Dir(filepath.Clean(to)))
	}
	if err != nil {
		return err
	}
	if m.nodes[filepath.Clean(to)] != nil {
		return memoryError("link", to, fs.ErrExist)
	}
	n.users++
	m.nodes[filepath.Clean(to)] = n
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
	for other := range m.nodes {
		if n.dir() && filepath.Dir(other) == path {
			return memoryError("remove", path, syscall.ENOTEMPTY)
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
	return m.directory("sync", dir)
}

func (m *memory) Root(dir string, _ fs.FileMode) (Root, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Below(m, dir), m.directory("open", dir)
}

func (m *memory) Lock(path, note string) (Lock, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("lock", path)
	if errors.Is(err, fs.ErrNotExist) {
		n, err = m.create("lock", path)
	}
	if err != nil {
		return nil, err
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
	if n, err := l.m.find("lock", l.path); err != nil || n != l.node {
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

// do calls do, unless the file is closed, or an offset is negative.
func (f *memoryFile) do(op string, at int64, do func() error) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	switch {
	case f.closed:
		return memoryError(op, f.path, fs.ErrClosed)
	case at < 0:
		return memoryError(op, f.path, errors.New("negative offset"))
	}
	return do()
}

func (f *memoryFile) Write(p []byte) (n int, err error) {
	n, err = f.WriteAt(p, f.at)
	f.at += int64(n)
	return n, err
}

func (f *memoryFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.do("write", at, func() error {
		f.node.changed = time.Now()
		n, err = f.node.WriteAt(p, at)
		return err
	})
	return n, err
}

func (f *memoryFile) ReadAt(p []byte, at int64) (n int, err error) {
	err = f.do("read", at, func() error {
		n, err = f.node.ReadAt(p, at)
		return err
	})
	return n, err
}

func (f *memoryFile) Sync() error { return f.do("sync", 0, func() error { return nil }) }

func (f *memoryFile) Map() (m *Mapped, err error) {
	err = f.do("map", 0, func() error {
		m, err = f.node.share(f.path)
		return err
	})
	return m, err
}

func (f *memoryFile) Close() error {
	return f.do("close", 0, func() error {
		f.closed = true
		return f.node.left()
	})
}

// A memoryInfo describes a file or directory in memory.
type memoryInfo struct {
	name    string
	size    int64
	mode    fs.FileMode
	changed time.Time
}

func (i memoryInfo) Name() string       { return i.name }
func (i memoryInfo) Size() int64        { return i.size }
func (i memoryInfo) Mode() fs.FileMode  { return i.mode }
func (i memoryInfo) IsDir() bool        { return i.mode.IsDir() }
func (i memoryInfo) ModTime() time.Time { return i.changed }
func (i memoryInfo) Sys() any           { return nil }
