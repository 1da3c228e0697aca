package tables

import (
	"simsearch/internal/disk"
	"simsearch/internal/kernels"
)

// hugeLines returns n lines in memory of large pages, if the system has such: a query reads a line of each table, and looks up the
// address of each.
func hugeLines(n int) []kernels.Line {
	lines := make([]kernels.Line, n)
	disk.LargePages(kernels.BytesOf(lines))
	return lines
}
