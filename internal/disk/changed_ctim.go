//go:build linux || openbsd || dragonfly || solaris

package disk

import (
	"io/fs"
	"syscall"
	"time"
)

func ctimeOf(info fs.FileInfo) (t time.Time, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return t, false
	}
	return time.Unix(stat.Ctim.Unix()), true
}
