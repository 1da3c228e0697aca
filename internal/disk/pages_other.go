//go:build !linux

package disk

// LargePages does nothing on this system.
func LargePages([]byte) {}
