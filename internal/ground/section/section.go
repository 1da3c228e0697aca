// Package section reads and writes section files, the container of every binary file of an index. A
// section file is a sequence of named, aligned sections with a checksum of each block of them, and a table of
// contents with the checksums of these. "The section file" in internal/ground/section/FORMAT.md is its specification.
//
// A reader takes the mapped file and returns parts of it. Nothing is copied on machines with
// little-endian integers. A Guard checks a block when it is first used. So opening a file reads
// its table of contents only, and no damaged byte is used.
//
// What reads a File panics with a CorruptError, a disk.Damage, if it is damaged. So it is read within disk.Guarded,
// as every map is, and nothing between a damaged byte and that looks for errors.
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
	// version is the version of the format.
	version = 3

	// align is the alignment of every section, in bytes: a cache line.
	align      = 64
	headerSize = 64
	footerSize = 32

	// BlockSize is the number of bytes of a block, which has a checksum of its own. A query that reads a cache line
	// checks the block around it: 512 bytes take 30 ns once they are there, less than it takes to fetch them, and
	// crc32 goes through them in three streams. Checksums are a 128th of the file.
	BlockSize  = 1 << blockShift
	blockShift = 9
	// sumsInContents is the number of checksums of a section up to which they stand in the table of contents. More of
	// them lie behind the section, and are checked in blocks of 1<<sumsShift bytes. So the table of contents is less
	// than a 100,000th of a large file.
	sumsInContents = 16
	sumsShift      = 12

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

// blocks returns the number of blocks of 1<<shift bytes in n bytes. The last one may be shorter.
func blocks(n uint64, shift uint8) uint64 {
	size := uint64(1) << shift
	return n>>shift + (n&(size-1)+size-1)>>shift
}
