// Package section reads and writes the container of every binary file of an
// index: named, aligned sections behind one another, with a table of contents that
// holds a checksum for every block of them. docs/FORMAT.md, "The section file", is its
// specification.
//
// A reader maps the file and gets slices of it: nothing is copied on machines
// with little-endian integers. A block is checked when it is first used (Guard), so that
// opening takes no time and no damaged byte is ever believed.
package section

import (
	"errors"
	"hash/crc32"
	"unsafe"
)

const (
	// Magic begins a file. The line end shows a transfer that rewrote line ends.
	Magic = "SIMSEG\r\n"
	// EndMagic ends it, so that a truncated file is known at once.
	EndMagic = "SIMEND\r\n"
	// Version is the version of the container that this package writes and reads.
	Version = 2

	// Align is the alignment of every section, in bytes: a cache line.
	Align      = 64
	headerSize = 64
	footerSize = 32

	// BlockSize is how many bytes of a section have a checksum of their own: so few that
	// checking them takes a microsecond or two, so many that the checksums are a
	// four-thousandth of the file.
	BlockSize  = 1 << blockShift
	blockShift = 14

	// MaxSections is how many sections a file has at most.
	MaxSections = 1 << 16
	maxName     = 255
	// leastEntry is the size of an entry of the table of contents with a name of one byte.
	leastEntry = 1 + 1 + 8 + 8
)

// ErrForeign marks bytes that do not begin as a section file does.
var ErrForeign = errors.New("not a simsearch file")

// ErrVersion marks what a version of the program has written that this one does not know.
var ErrVersion = errors.New("written by another version")

// castagnoli is the polynomial 0x1EDC6F41 (CRC-32C, RFC 3720), for which
// processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of p.
func Checksum(p []byte) uint32 { return crc32.Checksum(p, castagnoli) }

// littleEndian reports whether integers lie in memory as they do in files.
var littleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// pad returns how many zero bytes bring n to a multiple of Align.
func pad(n uint64) uint64 { return -n & (Align - 1) }

// blocks returns how many blocks so many bytes have, the last of which may be shorter.
func blocks(n uint64) uint64 { return n>>blockShift + (n&(BlockSize-1)+BlockSize-1)>>blockShift }
