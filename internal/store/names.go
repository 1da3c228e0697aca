package store

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"simsearch/internal/disk"
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

// commitFile matches the names of the files that commits write.
var commitFile = regexp.MustCompile(`^([0-9]{6,18})\.(seg|idf|del|log|files)$`)

// IsNumbered reports whether a commit writes files of this name.
func IsNumbered(name string) bool { return commitFile.MatchString(name) }

// isNumbered reports whether a commit writes files of this name that have an extension. A manifest names no others, and so
// nothing outside of the directory.
func isNumbered(name, extension string) bool {
	return IsNumbered(name) && filepath.Ext(name) == extension
}

// FileName returns the name of a file of the commit with the given number.
func FileName(number int, extension string) string { return fmt.Sprintf("%06d%s", number, extension) }

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

// NumberOf returns the number of the commit that writes a file of this name.
func NumberOf(name string) (int, bool) {
	match := commitFile.FindStringSubmatch(name)
	if match == nil {
		return 0, false
	}
	n, err := strconv.Atoi(match[1])
	return n, err == nil
}

// ForeignNames returns the names in dir that an unfinished index would not have.
func ForeignNames(fsys disk.FS, dir string) ([]string, error) {
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
