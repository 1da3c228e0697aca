package rewrite

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/objects"
)

// Names returns the paths of the outputs of files, below a directory, with slashes. They are the names that the files
// have in ids: paths from the base, which is corpus.Options.Base, and for a file that is not below it the
// absolute path without what stands for its root. It is an error if two files have one output.
func Names(base string, files []corpus.File) ([]string, error) {
	namer := inputs.NewNamer(base)
	names := make([]string, len(files))
	from := map[string]string{}
	for i, f := range files {
		name := filepath.ToSlash(f.Path)
		switch {
		case name == corpus.Stdin.Path:
		case objects.Is(name):
			below, ok := objects.Below(name, base)
			if !ok {
				below = objects.Local(name)
			}
			name = path.Clean(below)
		default:
			name = namer.Name(f.Path)
			name = strings.TrimPrefix(name, filepath.ToSlash(filepath.VolumeName(filepath.FromSlash(name))))
			name = strings.TrimPrefix(path.Clean(name), "/")
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%s has no name below a directory", f.Path)
		}
		if other, again := from[name]; again {
			return nil, fmt.Errorf("%s and %s would both be written to %s: name each file once", other, f.Path, name)
		}
		from[name], names[i] = f.Path, name
	}
	return names, nil
}
