//go:build !linux && !openbsd && !dragonfly && !solaris && !darwin && !freebsd && !netbsd

package disk

import (
	"io/fs"
	"time"
)

func ctimeOf(fs.FileInfo) (t time.Time, ok bool) { return t, false }
