package disk

import (
	"io/fs"
	"time"

	"github.com/djherbis/times"
)

// Changed returns when the file of info was changed last: its contents, its name or its other properties. Nothing can
// be put in its place without changing that, as programs can set the time of the last change of the contents (mtime),
// and not that of the inode (ctime). It is the later of the two, since some file systems have no ctime of their own.
// Where the system has none, it is the mtime.
func Changed(info fs.FileInfo) time.Time {
	mtime := info.ModTime()
	if info.Sys() == nil { // a file in memory
		return mtime
	}
	if t := times.Get(info); t.HasChangeTime() && t.ChangeTime().After(mtime) {
		return t.ChangeTime()
	}
	return mtime
}
