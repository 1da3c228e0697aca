package kernels

import (
	"encoding/binary"
	"hash/crc32"
	"unsafe"
)

// A Line is a cache line with up to LineWords words. The lowest byte of the last element is their number, or a larger one in a
// line that has something else. The other three bytes are a checksum.
type Line [16]uint32

// LineWords is the largest number of words of a line.
const LineWords = 15

// Count returns the lowest byte of the last element.
func (l *Line) Count() int { return int(l[LineWords] & 0xff) }

// LinesWithin returns a mask with bit i set if line i has a word within ks[i] of qs[i], or more than LineWords words. ks
// are in [0, 32]. It panics if there are more than 64 lines, or fewer queries or distances.
func LinesWithin(lines []*Line, qs, ks []uint32) uint64 {
	if len(lines) > 64 || len(qs) < len(lines) || len(ks) < len(lines) {
		panic("kernels: a mask is of at most 64 lines, each with a query and a distance")
	}
	if len(lines) == 0 {
		return 0
	}
	return linesWithin(lines, qs, ks)
}

// linesWithinEach is LinesWithin by one mask a line.
func linesWithinEach(lines []*Line, qs, ks []uint32) (some uint64) {
	for i, l := range lines {
		if l.Count() > LineWords || maskWithin32(l[:l.Count()], qs[i], int(ks[i])) != 0 {
			some |= 1 << (i & 63)
		}
	}
	return some
}

// A Place is the address of something that is to be read.
type Place = unsafe.Pointer

// PlaceOf returns the address of x.
func PlaceOf[T any](x *T) Place { return unsafe.Pointer(x) }

// Prefetch reads the cache lines of places into the cache. On amd64 it does not wait for them.
func Prefetch(places []Place) {
	if len(places) > 0 {
		prefetch(places)
	}
}

// PrefetchLines is Prefetch for lines.
func PrefetchLines(lines []*Line) {
	if len(lines) > 0 {
		prefetch(unsafe.Slice((*Place)(unsafe.Pointer(&lines[0])), len(lines)))
	}
}

// touch is Prefetch in Go.
func touch(places []Place) {
	var touched byte
	for _, p := range places {
		touched |= *(*byte)(p)
	}
	keep(touched)
}

// keep uses a value that is computed only to read memory into the cache.
//
//go:noinline
func keep(byte) {}

// SealLine sets the checksum of a line that has the given number.
func SealLine(l *Line, number uint64) {
	l[LineWords] = l[LineWords]&0xff | lineSum(l, number)
}

// UnsoundLines returns a mask with bit i set if line i, which has the number numbers[i], fails its checksum. It panics if
// there are more than 64 lines, or fewer numbers.
func UnsoundLines(lines []*Line, numbers []uint64) (mask uint64) {
	if len(lines) > 64 || len(numbers) < len(lines) {
		panic("kernels: a mask is of at most 64 lines, each with a number")
	}
	for i, l := range lines {
		if lineSum(l, numbers[i]) != l[LineWords]&^0xff {
			mask |= 1 << (i & 63)
		}
	}
	return mask
}

// lineSumGeneric returns the upper three bytes of the CRC-32C of the number, the words and the count of a line.
// It is the reference of the assembly.
func lineSumGeneric(l *Line, number uint64) uint32 {
	var b [69]byte
	binary.LittleEndian.PutUint64(b[:], number)
	for i, x := range l[:LineWords] {
		binary.LittleEndian.PutUint32(b[8+4*i:], x)
	}
	b[68] = byte(l[LineWords])
	return crc32.Checksum(b[:], castagnoli) &^ 0xff
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// LinesOf returns words as lines. Their number must be a multiple of that of a line.
func LinesOf(words []uint32) []Line {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*Line)(unsafe.Pointer(&words[0])), len(words)/len(Line{}))
}

// WordsOf undoes LinesOf.
func WordsOf(lines []Line) []uint32 {
	if len(lines) == 0 {
		return nil
	}
	return unsafe.Slice(&lines[0][0], len(lines)*len(Line{}))
}
