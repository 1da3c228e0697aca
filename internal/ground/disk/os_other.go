//go:build !unix

package disk

import "io/fs"

const noFollow, nonBlocking = 0, 0

// namesOf returns 1: how many names a file has is not known.
func namesOf(fs.FileInfo) uint64 { return 1 }

// isOwn reports whether a file belongs to the user of this process, whose directory for temporary files no other one
// has here.
func isOwn(fs.FileInfo) bool { return true }
