package disktest

import (
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/ground/disk"
)

// A Shadow follows the operations below one directory, which is empty at first, and knows what a disk may
// have after a crash. By the rules of POSIX, contents are certain after Sync, and names after SyncDir.
// Other names may have reached the disk or not, and other contents in part. A Shadow leaves out the files
// of locks.
type Shadow struct {
	root   string
	nodes  map[string]*node // by name, relative to root
	synced map[string]*node // the names that are certainly on the disk
	// changes are the changes of names since the last SyncDir of their directory, in order.
	changes []change
}

// A node is a file or a directory, independent of its name.
type node struct {
	dir  bool
	data []byte // the contents as they are read now
	sure []byte // the contents at the last Sync
}

// A change gives a name to a node, or removes the name. A directory that is renamed is one change, with
// all that is in it, and so is what is moved to another directory.
type change struct {
	name string
	node *node  // nil if the name is removed
	from string // the earlier name of what was moved, or ""
}

// in reports whether the change is one of names in a directory.
func (c change) in(dir string) bool {
	return filepath.Dir(c.name) == dir || c.from != "" && filepath.Dir(c.from) == dir
}

// NewShadow returns a Shadow of the empty directory root.
func NewShadow(root string) *Shadow {
	return &Shadow{root: root, nodes: map[string]*node{}, synced: map[string]*node{}}
}

// Done follows an operation. It is the After of an FS.
func (s *Shadow) Done(op Op) {
	name := s.name(op.Path)
	switch op.Kind {
	case "create":
		s.set(name, &node{})
	case "mkdir":
		s.set(name, &node{dir: true})
	case "write":
		if op.Path == "" {
			return // a temporary file has no name
		}
		n := s.nodes[name]
		if end := int(op.At) + len(op.Data); end > len(n.data) {
			n.data = append(slices.Clone(n.data), make([]byte, end-len(n.data))...)
		} else {
			n.data = slices.Clone(n.data)
		}
		copy(n.data[op.At:], op.Data)
	case "sync":
		if n := s.nodes[name]; n != nil {
			n.sure = n.data
		}
	case "rename":
		n := s.nodes[name]
		if n.dir || filepath.Dir(name) != filepath.Dir(s.name(op.To)) {
			s.change(change{s.name(op.To), n, name})
			return
		}
		s.set(name, nil)
		s.set(s.name(op.To), n)
	case "link":
		s.set(s.name(op.To), s.nodes[name])
	case "remove":
		s.set(name, nil)
	case "syncdir":
		kept := s.changes[:0]
		for _, c := range s.changes {
			if !c.in(name) {
				kept = append(kept, c)
				continue
			}
			if s.synced = apply(s.synced, c); c.node == nil { // nothing comes back to a directory that is gone
				kept = slices.DeleteFunc(kept, func(b change) bool { return within(b.name, c.name) })
			}
		}
		s.changes = kept
	}
}

func (s *Shadow) name(path string) string {
	name, err := filepath.Rel(s.root, path)
	if err != nil {
		return path
	}
	return name
}

func (s *Shadow) set(name string, n *node) { s.change(change{name: name, node: n}) }

func (s *Shadow) change(c change) {
	s.nodes = apply(s.nodes, c)
	s.changes = append(s.changes, c)
}

// within reports whether a name is below a directory.
func within(name, dir string) bool { return strings.HasPrefix(name, dir+string(filepath.Separator)) }

// apply returns a copy of names with a change.
func apply(names map[string]*node, c change) map[string]*node {
	names = maps.Clone(names)
	switch {
	case c.node == nil:
		maps.DeleteFunc(names, func(name string, _ *node) bool { return name == c.name || within(name, c.name) })
	case c.from != "":
		for name, n := range names {
			if within(name, c.from) {
				delete(names, name)
				names[filepath.Join(c.name, name[len(c.from):])] = n
			}
		}
		delete(names, c.from)
		names[c.name] = c.node
	default:
		names[c.name] = c.node
	}
	return names
}

// Image writes to dir, which must be empty, what the disk may have if the power is cut now. Without rng
// that is what is certain, and nothing else. With rng, some changes of names since the last SyncDir have
// reached the disk, and a part of what has been written to each file since its last Sync.
func (s *Shadow) Image(dir string, rng *rand.Rand) error { return s.ImageIn(disk.OS, dir, rng) }

// ImageIn is Image for a directory of another file system, such as one in memory.
func (s *Shadow) ImageIn(fsys disk.FS, dir string, rng *rand.Rand) error {
	names := s.synced
	for _, c := range s.changes {
		if rng != nil && rng.IntN(2) == 0 {
			names = apply(names, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n, path := names[name], filepath.Join(dir, name)
		if isLost(names, name) {
			continue
		}
		if n.dir {
			if _, err := disk.MkdirAll(fsys, path); err != nil {
				return err
			}
			continue
		}
		f, err := fsys.Create(path)
		if err != nil {
			return err
		}
		_, err = f.Write(n.contents(rng))
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// isLost reports whether a name is in a directory that is lost.
func isLost(names map[string]*node, name string) bool {
	dir := filepath.Dir(name)
	if dir == "." {
		return false
	}
	n, ok := names[dir]
	return !ok || !n.dir || isLost(names, dir)
}

// contents returns contents of a file that the disk may have.
func (n *node) contents(rng *rand.Rand) []byte {
	if rng == nil {
		return n.sure
	}
	const sector = 512
	size := len(n.sure)
	if len(n.data) > size {
		size += rng.IntN(len(n.data) - size + 1)
	}
	out := make([]byte, size)
	copy(out, n.sure)
	for at := 0; at < size; at += sector {
		end := min(at+sector, size)
		if rng.IntN(2) == 0 {
			copy(out[at:end], n.data[at:min(end, len(n.data))])
		}
	}
	return out
}
