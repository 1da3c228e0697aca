// Package wal is a log of records in one file. What is appended is durable when it is acknowledged, whatever
// happens to the process or the power.
//
// A Writer creates the file, and one process appends to it. When it has been closed, or its process has
// ended, nothing is appended any more: the next writer creates another file. Read returns the records in
// their order. internal/ground/section/FORMAT.md specifies the bytes.
//
// A disk may have any part of what was written since the last sync, so that the last records of a file may
// fail their checksums after a crash. That is no damage as long as they were never acknowledged. Two things
// tell what was: after each sync, the writer notes the length that is durable in the header, and each record
// says what was durable when it was written. Below that length a record that fails is damage. Above it the
// log ends there.
package wal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"simsearch/internal/ground/section"
)

// magic begins every log.
const magic = "SIMLOG\r\n"

// version is the version of the format of a log.
const version = 1

// maxPayload is the largest size of a record, in bytes. The least is 1.
const maxPayload = 1 << 30

const (
	headerSize   = 64
	cellAt       = headerSize // the first of two cells
	cellStep     = 32         // from one cell to the next
	cellSize     = 16
	recordsAt    = cellAt + 2*cellStep
	recordHeader = 16
	farBack      = 1<<32 - 1 // what a record says if more was not yet durable than fits
)

// errUnbegun is the class of errors of a file that has no whole header, and no records behind it. Create
// leaves such a file if it is interrupted, so that nothing was ever acknowledged in it. A caller who knows
// that Create has returned takes it for damage, as the error says, too: it wraps section.ErrCorrupt.
var errUnbegun = errors.New("the log has not been begun")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newHeader returns a header and two cells, of which the first says that there are no records.
func newHeader(identity, seed uint64) []byte {
	h := make([]byte, recordsAt)
	copy(h, magic)
	binary.LittleEndian.PutUint32(h[8:], version)
	binary.LittleEndian.PutUint64(h[16:], identity)
	binary.LittleEndian.PutUint64(h[24:], seed)
	binary.LittleEndian.PutUint32(h[headerSize-4:], section.Checksum(h[:headerSize-4]))
	copy(h[cellAt:], newCell(seed, 0, recordsAt))
	return h
}

// headerChain returns what the first record has in place of the checksum of the one before.
func headerChain(header []byte) uint32 { return binary.LittleEndian.Uint32(header[headerSize-4:]) }

// newCell returns cell 0 or 1, which says that the first bytes of the file, as many as durable, have been
// acknowledged.
func newCell(seed uint64, cell int, durable int64) []byte {
	c := make([]byte, cellSize)
	binary.LittleEndian.PutUint64(c, uint64(durable))
	binary.LittleEndian.PutUint32(c[8:], cellChecksum(seed, cell, durable))
	return c
}

func cellChecksum(seed uint64, cell int, durable int64) uint32 {
	var b [24]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(cell))
	binary.LittleEndian.PutUint64(b[16:], uint64(durable))
	return section.Checksum(b[:])
}

// A head is the header of a record.
type head struct {
	length   uint32 // of the payload, in bytes
	back     uint32 // from the record back to what was durable when it was written, or farBack
	checksum uint32 // of the checksum of the record before, length, back and payload
}

// A summer computes checksums without allocating: crc32 makes what it is given escape.
type summer [28]byte

// sum returns the checksum of a record behind one with the checksum before.
func (b *summer) sum(h head, before uint32, payload []byte) uint32 {
	binary.LittleEndian.PutUint32(b[:], before)
	binary.LittleEndian.PutUint32(b[4:], h.length)
	binary.LittleEndian.PutUint32(b[8:], h.back)
	return crc32.Update(section.Checksum(b[:12]), castagnoli, payload)
}

// mark returns the checksum of the header itself, for a record at byte at. It depends on the seed, so that no
// payload has a header in it.
func (b *summer) mark(h head, seed uint64, at int64) uint32 {
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint64(b[8:], uint64(at))
	binary.LittleEndian.PutUint32(b[16:], h.length)
	binary.LittleEndian.PutUint32(b[20:], h.back)
	binary.LittleEndian.PutUint32(b[24:], h.checksum)
	return section.Checksum(b[:])
}

// appendHead appends the header of a record, and its mark.
func appendHead(dst []byte, h head, mark uint32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, h.length)
	dst = binary.LittleEndian.AppendUint32(dst, h.back)
	dst = binary.LittleEndian.AppendUint32(dst, h.checksum)
	return binary.LittleEndian.AppendUint32(dst, mark)
}

// parseHead returns the header that p begins with, and its mark. p has recordHeader bytes.
func parseHead(p []byte) (h head, mark uint32) {
	_ = p[recordHeader-1]
	h.length, h.back = binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[4:])
	h.checksum = binary.LittleEndian.Uint32(p[8:])
	return h, binary.LittleEndian.Uint32(p[12:])
}
