package disk

import (
	"cmp"
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
func NewMemory() FS { return &memory{tree: &tree{nodes: map[string]*node{}}} }

// A memory is all of a tree, or a Root of it.
type memory struct {
	*tree
	dir string // of a Root
}

type tree struct {
	mu    sync.Mutex       // guards all below, and all nodes
	nodes map[string]*node // by clean path
}

// at returns a path in the tree.
func (m *memory) at(op, path string) (string, error) {
	if m.dir != "" && !filepath.IsLocal(path) {
		return "", memoryError(op, path, errOutside)
	}
	return filepath.Join(m.dir, path), nil
}

// A node is a file or a directory, whatever its name.
type node struct {
	isDir   bool
	data    []byte
	mapped  int // the first bytes of data that are parts of maps
	changed time.Time
	locked  bool
}

// share returns a map of all that the file has. path is its name in errors.
func (n *node) share(path string) *Mapped {
	n.mapped = len(n.data)
	return MappedBytes(path, n.data[:n.mapped:n.mapped])
}

// write writes p at a place that is not negative.
func (n *node) write(p []byte, at int64) {
	if at < int64(n.mapped) && len(p) > 0 {
		n.data, n.mapped = slices.Clone(n.data), 0
	}
	if size := int64(len(n.data)); at > size {
		n.data = append(n.data, make([]byte, at-size)...)
	}
	there := copy(n.data[at:], p)
	n.data, n.changed = append(n.data, p[there:]...), time.Now()
}

// memoryError returns the error of an operation that is refused.
func memoryError(op, path string, why error) error {
	return &fs.PathError{Op: op, Path: path, Err: why}
}

// find returns the node of a path. The caller holds m.mu, as that of all functions below that are not exported.
func (m *memory) find(op, path string) (*node, error) {
	path, err := m.at(op, path)
	n := m.nodes[path]
	switch {
	case n != nil || err != nil:
		return n, err
	case path == "." || filepath.Dir(path) == path:
		return &node{isDir: true}, nil
	}
	return nil, memoryError(op, path, fs.ErrNotExist)
}

// directory returns an error unless there is a directory at path.
func (m *memory) directory(op, path string) error {
	n, err := m.find(op, path)
	if err == nil && !n.isDir {
		err = memoryError(op, path, syscall.ENOTDIR)
	}
	return err
}

// file returns the file at path.
func (m *memory) file(op, path string) (*node, error) {
	n, err := m.find(op, path)
	if err == nil && n.isDir {
		err = memoryError(op, path, syscall.EISDIR)
	}
	return n, err
}

// add adds a node at path, which must not exist.
func (m *memory) add(op, path string, n *node) error {
	if err := m.directory(op, filepath.Dir(filepath.Clean(path))); err != nil {
		return err
	}
	if _, err := m.find(op, path); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, memoryError(op, path, fs.ErrExist))
	}
	at, err := m.at(op, path)
	m.nodes[at] = n
	return err
}

func (m *memory) Create(path string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := &node{changed: time.Now()}
	if err := m.add("create", path, n); err != nil {
		return nil, err
	}
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
	return &memoryFile{m: m, node: &node{}, path: filepath.Join(dir, "temporary file")}, nil
}

func (m *memory) ReadFile(path string, most int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("read", path)
	if err != nil {
		return nil, err
	}
	if int64(len(n.data)) > most {
		return nil, tooLarge(path, most)
	}
	return slices.Clone(n.data), nil
}

func (m *memory) Map(path string) (*Mapped, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("map", path)
	if err != nil {
		return nil, err
	}
	return n.share(path), nil
}

func (m *memory) ReadDir(dir string) (names []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.directory("readdir", dir); err != nil {
		return nil, err
	}
	dir = filepath.Join(m.dir, dir)
	for path := range m.nodes {
		if filepath.Dir(path) == dir {
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
	if !n.isDir {
		info.size, info.mode = int64(len(n.data)), 0o666
	}
	return info, nil
}

func (m *memory) Mkdir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.add("mkdir", dir, &node{isDir: true, changed: time.Now()})
}

func (m *memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("rename", from)
	if err == nil {
		err = m.directory("rename", filepath.Dir(filepath.Clean(to)))
	}
	to, outside := m.at("rename", to)
	if from = filepath.Join(m.dir, from); err != nil || outside != nil || from == to {
		return cmp.Or(err, outside)
	}
	old := m.nodes[to]
	inside := from + string(filepath.Separator)
	if old != nil && (n.isDir || old.isDir) || strings.HasPrefix(to, inside) {
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
	return nil
}

func (m *memory) Link(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("link", from)
	if err == nil {
		err = m.add("link", to, n)
	}
	return err
}

func (m *memory) Remove(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("remove", path)
	if err != nil {
		return err
	}
	path = filepath.Join(m.dir, path)
	for other := range m.nodes {
		if n.isDir && filepath.Dir(other) == path {
			return memoryError("remove", path, syscall.ENOTEMPTY)
		}
	}
	delete(m.nodes, path)
	return nil
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
	return &memory{m.tree, filepath.Join(m.dir, dir)}, m.directory("open", dir)
}

// Close is that of a Root.
func (*memory) Close() error { return nil }

func (m *memory) Lock(path, note string) (Lock, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.file("lock", path)
	if errors.Is(err, fs.ErrNotExist) {
		n = &node{}
		err = m.add("lock", path, n)
	}
	if err != nil {
		return nil, err
	}
	if n.locked {
		return nil, &LockedError{path, strings.TrimSpace(string(n.data))}
	}
	n.data, n.mapped, n.locked, n.changed = []byte(note+"\n"), 0, true, time.Now()
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
		f.node.write(p, at)
		n = len(p)
		return nil
	})
	return n, err
}

func (f *memoryFile) ReadAt(p []byte, at int64) (n int, err error) {
	err = f.do("read", at, func() error {
		if at < int64(len(f.node.data)) {
			n = copy(p, f.node.data[at:])
		}
		if n < len(p) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

func (f *memoryFile) Sync() error { return f.do("sync", 0, func() error { return nil }) }

func (f *memoryFile) Map() (m *Mapped, err error) {
	err = f.do("map", 0, func() error {
		m = f.node.share(f.path)
		return nil
	})
	return m, err
}

func (f *memoryFile) Close() error {
	return f.do("close", 0, func() error {
		f.closed = true
		return nil
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
