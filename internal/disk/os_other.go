//go:build !unix

package disk

const noFollow = 0

// unlink reports false: an open file keeps its name here.
func unlink(string) bool { return false }
