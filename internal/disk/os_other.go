//go:build !unix

package disk

const noFollow = 0

// unlink returns false: these systems cannot remove an open file.
func unlink(string) bool { return false }
