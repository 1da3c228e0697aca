package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/ground/disk"
)

// LockName is the name of the lock.
const LockName = "lock"

// Extensions of the files that commits write.
const (
	SegmentExtension = ".seg"
	IDFExtension     = ".idf"
	DeletedExtension = ".del"
	LogExtension     = ".log"

	CatalogueExtension = ".files"
)

// IsNumbered reports whether a commit writes files of this name.
func IsNumbered(name string) bool {
	_, ok := numberOf(name)
	return ok
}

// fileName returns the name of a file of the commit with the given number.
func fileName(number int, extension string) string { return fmt.Sprintf("%06d%s", number, extension) }

// A Leftover is a file in the directory of an index that its manifest does not name.
type Leftover struct {
	Name string
	// Reserved is set if the manifest has reserved the name, or if the file is unfinished. The file
	// was left by an interrupted commit and was never a part of the index. The next writer removes
	// it.
	//
	// Otherwise the file belongs to a commit later than the manifest: an older manifest has been
	// put back. The next writer moves the file to AsideName.
	Reserved bool
	// Damaged is set if the file was damaged, and a repair has replaced it. The next writer moves it to AsideName.
	Damaged bool
}

// extensions are those of the files that commits write.
var extensions = []string{SegmentExtension, IDFExtension, DeletedExtension, LogExtension, CatalogueExtension}

// numberOf returns the number of the commit that writes a file of this name: 6 to 18 digits before the extension.
func numberOf(name string) (int, bool) {
	extension := filepath.Ext(name)
	digits := strings.TrimSuffix(name, extension)
	if len(digits) < 6 || len(digits) > 18 || strings.Trim(digits, "0123456789") != "" || !slices.Contains(extensions, extension) {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// foreignNames returns the names in dir that an unfinished index would not have.
func foreignNames(fsys disk.FS, dir string) ([]string, error) {
	all, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == LockName || IsTemporary(name) }), nil
}

// IsTemporary reports whether name is the name of an unfinished file.
func IsTemporary(name string) bool {
	ok, err := filepath.Match(disk.TempPattern, name)
	return ok && err == nil
}
