// Package section reads and writes section files, the container of every binary file of an index. A
// section file is a sequence of named, aligned sections, and a table of contents with a checksum of each
// block of them. "The section file" in docs/FORMAT.md is its specification.
//
// A reader takes the mapped file and returns parts of it. Nothing is copied on machines with
// little-endian integers. A Guard checks a block when it is first used. So opening a file reads
// its table of contents only, and no damaged byte is used.
package section

import (
	"errors"
	"hash/crc32"
	"unsafe"
)

const (
	// magic is the beginning of a file. Its line end shows a transfer that rewrote line ends.
	magic = "SIMSEG\r\n"
	// endMagic is the end of a file, which a truncated file does not have.
	endMagic = "SIMEND\r\n"
	// version is the version of the format that this package writes and reads.
	version = 2

	// align is the alignment of every section, in bytes: a cache line.
	align      = 64
	headerSize = 64
	footerSize = 32

	// BlockSize is the number of bytes of a block, which has a checksum of its own. Checking it takes a
	// microsecond or two. The checksums are a four-thousandth of the file.
	BlockSize  = 1 << blockShift
	blockShift = 14

	// MaxSections is the largest number of sections of a file.
	MaxSections = 1 << 16
	maxName     = 255
	// leastEntry is the size of an entry of the table of contents with a name of one byte.
	leastEntry = 1 + 1 + 8 + 8
)

// ErrForeign is returned for bytes that do not begin with magic.
var ErrForeign = errors.New("not a simsearch file")

// ErrVersion marks data that was written by another version of the program and that this version
// does not know.
var ErrVersion = errors.New("written by another version")

// castagnoli is the table of CRC-32C (polynomial 0x1EDC6F41, RFC 3720), for which processors have an
// instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of p.
func Checksum(p []byte) uint32 { return crc32.Checksum(p, castagnoli) }

// littleEndian reports whether integers have the same bytes in memory as in files.
var littleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// pad returns the number of bytes from n to the next multiple of align.
func pad(n uint64) uint64 { return -n & (align - 1) }

// blocks returns the number of blocks of n bytes. The last one may be shorter.
func blocks(n uint64) uint64 { return n>>blockShift + (n&(BlockSize-1)+BlockSize-1)>>blockShift }
