package index

import (
	"simsearch/internal/disk"
	"simsearch/internal/store"
)

// AsideName is the directory within an index that holds files unknown to the manifest.
const AsideName = store.AsideName

// A Leftover is a file in the directory of an index that its manifest does not name. It has its Name.
// Reserved is set if an interrupted commit has left the file, which the next writer removes. Otherwise the
// next writer moves the file to AsideName.
type Leftover = store.Leftover

// Leftovers returns the files of commits that the manifest of the index in dir does not name, in
// ascending order. While a writer is at work, these include its unfinished files.
func Leftovers(dir string) ([]Leftover, error) {
	// Read the directory before the manifest: a number is reserved before its file exists.
	names, err := disk.OS.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	m, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		return nil, err
	}
	return m.Leftovers(names), nil
}
