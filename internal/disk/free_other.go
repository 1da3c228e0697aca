//go:build !linux && !darwin && !freebsd

package disk

// Free returns false: it is not known here how much space a disk has.
func Free(string) (bytes int64, ok bool) { return 0, false }
