// Publishas writes a tree as a Go module of another path into a module proxy of files. It is what scripts/publish-as
// runs.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: publishas TREE PATH VERSION DIR")
		os.Exit(2)
	}
	if err := publish(os.Args[1], module.Version{Path: os.Args[2], Version: os.Args[3]}, os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "publish-as:", err)
		os.Exit(1)
	}
}

// publish writes the files of tree that git tracks, without modules below it, as the module as into proxy.
func publish(tree string, as module.Version, proxy string) (err error) {
	if err := module.Check(as.Path, as.Version); err != nil {
		return err
	}
	files, err := tracked(tree)
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	if err != nil {
		return err
	}
	old := modfile.ModulePath(mod)
	if old == "" {
		return errors.New("go.mod names no module")
	}
	var in []zip.File
	for _, name := range files {
		f := &file{root: tree, name: name}
		switch {
		case name == "go.mod":
			f.content, err = renamedModule(mod, as.Path)
			mod = f.content
		case strings.HasSuffix(name, ".go"):
			f.content, err = renamedImports(filepath.Join(tree, name), old, as.Path)
		}
		if err != nil {
			return err
		}
		in = append(in, f)
	}
	path, err := module.EscapePath(as.Path)
	if err != nil {
		return err
	}
	version, err := module.EscapeVersion(as.Version)
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := zip.Create(&packed, as, in); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{as.Version, committed(tree)})
	if err != nil {
		return err
	}
	for end, content := range map[string][]byte{".zip": packed.Bytes(), ".mod": mod, ".info": info} {
		if err := os.WriteFile(filepath.Join(dir, version+end), content, 0o644); err != nil {
			return err
		}
	}
	return list(filepath.Join(dir, "list"), as.Version)
}

// list adds a version to the list of a proxy.
func list(name, version string) error {
	had, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(had)) {
		if strings.TrimSpace(line) == version {
			return nil
		}
	}
	return os.WriteFile(name, append(had, version+"\n"...), 0o644)
}

// tracked returns the names of the files of tree that git tracks, relative and with slashes. Those of modules below
// it are left out.
func tracked(tree string) ([]string, error) {
	out, err := exec.Command("git", "-C", tree, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("the files of a module are those that git tracks: %w", err)
	}
	all := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	below := []string{}
	for _, name := range all {
		if dir, is := strings.CutSuffix(name, "/go.mod"); is {
			below = append(below, dir+"/")
		}
	}
	var files []string
next:
	for _, name := range all {
		for _, dir := range below {
			if strings.HasPrefix(name, dir) {
				continue next
			}
		}
		if info, err := os.Lstat(filepath.Join(tree, name)); err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files, nil
}

// committed returns the time of the last commit of tree, or of now if there is none.
func committed(tree string) time.Time {
	out, err := exec.Command("git", "-C", tree, "log", "-1", "--format=%ct").Output()
	if err == nil {
		if s, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64); err == nil {
			return time.Unix(s, 0).UTC()
		}
	}
	return time.Now().UTC().Truncate(time.Second)
}

// renamedModule returns a go.mod with another module path.
func renamedModule(mod []byte, path string) ([]byte, error) {
	f, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return nil, err
	}
	if err := f.AddModuleStmt(path); err != nil {
		return nil, err
	}
	return f.Format()
}

// renamedImports returns a Go file whose imports of packages of the module old are of the module path.
func renamedImports(name, old, path string) ([]byte, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, source, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []byte
	at := 0
	for _, spec := range f.Imports {
		value, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		below, is := strings.CutPrefix(value, old)
		if !is || below != "" && below[0] != '/' {
			continue
		}
		begin := set.Position(spec.Path.Pos()).Offset
		out = append(out, source[at:begin]...)
		out = strconv.AppendQuote(out, path+below)
		at = begin + len(spec.Path.Value)
	}
	return append(out, source[at:]...), nil
}

// A file is a file of a tree, whose content may be another.
type file struct {
	root, name string
	content    []byte // nil is what the file has
}

func (f *file) Path() string { return f.name }

func (f *file) Lstat() (os.FileInfo, error) {
	info, err := os.Lstat(filepath.Join(f.root, f.name))
	if err != nil || f.content == nil {
		return info, err
	}
	return sized{info, int64(len(f.content))}, nil
}

func (f *file) Open() (io.ReadCloser, error) {
	if f.content != nil {
		return io.NopCloser(bytes.NewReader(f.content)), nil
	}
	return os.Open(filepath.Join(f.root, f.name))
}

// A sized is a file of another size.
type sized struct {
	os.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }
