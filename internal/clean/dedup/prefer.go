package dedup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/inputs"
	"simsearch/internal/ground/objects"
)

// maxPrefer is the largest number of preferences, so that a rank is a byte.
const maxPrefer = 255

// Preference returns, for each file, the number of the first of prefer that is of it, or their number if none is. prefer has files, directories
// and patterns of these. The result is nil if there are none. One that is of no file is an error: it is most likely misspelt.
func preference(prefer []string, files []corpus.File) ([]uint8, error) {
	if len(prefer) == 0 {
		return nil, nil
	}
	if len(prefer) > maxPrefer {
		return nil, fmt.Errorf("%d preferences: want at most %d", len(prefer), maxPrefer)
	}
	of := make([]uint8, len(files))
	for i := range of {
		of[i] = uint8(len(prefer))
	}
	for rank, p := range prefer {
		is, err := isOf(p)
		if err != nil {
			return nil, err
		}
		found := false
		for i, f := range files {
			if !is(f.Path) {
				continue
			}
			found = true
			of[i] = min(of[i], uint8(rank))
		}
		if !found {
			return nil, fmt.Errorf("no file of the input is preferred by %q: want a file, a directory or a pattern of paths such as wiki/*.jsonl", p)
		}
	}
	return of, nil
}

// isOf returns whether a file belongs to p: p is the file or a directory that it is in, or a pattern of these, which may
// begin at any directory.
func isOf(p string) (func(path string) bool, error) {
	if objects.Is(p) {
		return func(path string) bool { return path == p || strings.HasPrefix(path, strings.TrimSuffix(p, "/")+"/") }, nil
	}
	if _, err := os.Stat(p); err == nil {
		dir := run.Absolute(p)
		return func(path string) bool { return run.IsBelow(run.Absolute(path), dir) }, nil
	}
	pattern := filepath.ToSlash(p)
	if !strings.HasPrefix(pattern, "/") {
		pattern = "**/" + strings.TrimPrefix(pattern, "./")
	}
	selection, err := inputs.Select([]string{pattern}, nil)
	if err != nil || p == "" {
		return nil, fmt.Errorf("%q is neither a file nor a directory, nor a pattern of paths", p)
	}
	return func(path string) bool {
		return selection.Includes(strings.TrimPrefix(filepath.ToSlash(objects.Local(run.Absolute(path))), "/"))
	}, nil
}
