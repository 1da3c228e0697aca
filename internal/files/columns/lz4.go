package columns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/pierrec/lz4/v4"
)

// A Frames decompresses frames of LZ4, one behind the other (lz4_Frame_format.md of LZ4, version 1.6). The library takes checksums of blocks
// that other programs have written for wrong, and a file that is cut behind a block for a whole one.
//
// A frame is a header, blocks with their sizes, a size of 0, and perhaps a checksum.
type Frames struct {
	from                    io.Reader
	open                    bool // a frame has begun
	linked, checked, summed bool // blocks depend on those before; there are checksums of blocks, and of the content
	most                    int  // bytes of a block
	sum                     xxh32
	packed, out             []byte
	done                    int // bytes of out that have been returned
	any                     bool
	err                     error
}

// NewFrames returns a reader of the frames that from yields. It reads small pieces, too.
func NewFrames(from io.Reader) *Frames { return &Frames{from: from} }

const (
	lz4Magic   = 0x184d2204
	lz4Window  = 64 << 10
	lz4Stored  = 1 << 31 // says that a block is not compressed
	lz4Skipped = 0x184d2a50
)

var errCutFrame = fmt.Errorf("a frame of LZ4 that is cut: %w", io.ErrUnexpectedEOF)

// Read decompresses up to len(p) bytes.
func (f *Frames) Read(p []byte) (int, error) {
	for f.done == len(f.out) {
		if f.err == nil {
			f.err = f.turn()
		}
		if f.err != nil {
			return 0, f.err
		}
	}
	n := copy(p, f.out[f.done:])
	f.done += n
	return n, nil
}

// number reads a number of four bytes, and returns errCutFrame at the end.
func (f *Frames) number() (uint32, error) {
	var b [4]byte
	if _, err := io.ReadFull(f.from, b[:]); err != nil {
		return 0, cutFrame(err)
	}
	return binary.LittleEndian.Uint32(b[:]), nil
}

// cutFrame returns errCutFrame for an end that comes too soon, and other errors as they are.
func cutFrame(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCutFrame
	}
	return err
}

// turn decompresses the next block, or begins or ends a frame.
func (f *Frames) turn() error {
	if !f.open {
		return f.begin()
	}
	head, err := f.number()
	if err != nil {
		return err
	}
	size := int(head &^ lz4Stored)
	switch {
	case head == 0:
		return f.end()
	case size > f.most:
		return fmt.Errorf("a block of LZ4 of %d bytes, in a frame of blocks of %d", size, f.most)
	}
	f.packed = slices.Grow(f.packed[:0], size)[:size]
	if _, err := io.ReadFull(f.from, f.packed); err != nil {
		return cutFrame(err)
	}
	if f.checked {
		var sum xxh32
		sum.add(f.packed)
		if want, err := f.number(); err != nil || want != sum.value() {
			return cmp.Or(err, errors.New("a block of LZ4 does not have its checksum"))
		}
	}
	if !f.linked {
		f.out = f.out[:0]
	}
	if over := len(f.out) - lz4Window; over > 0 {
		f.out = append(f.out[:0], f.out[over:]...)
	}
	before := len(f.out)
	f.done = before
	if head >= lz4Stored {
		f.out = append(f.out, f.packed...)
	} else {
		f.out = slices.Grow(f.out, f.most)[:before+f.most]
		n, err := lz4.UncompressBlockWithDict(f.packed, f.out[before:], f.out[:before:before])
		if err != nil {
			f.out = f.out[:before]
			return err
		}
		f.out = f.out[:before+n]
	}
	if f.summed {
		f.sum.add(f.out[before:])
	}
	return nil
}

// begin reads the header of a frame. The error is io.EOF if there is none, behind another.
func (f *Frames) begin() error {
	var b [4]byte
	switch n, err := io.ReadFull(f.from, b[:]); {
	case n == 0 && errors.Is(err, io.EOF) && f.any:
		return io.EOF
	case err != nil:
		return cutFrame(err)
	}
	magic := binary.LittleEndian.Uint32(b[:])
	if magic&^0xf == lz4Skipped {
		n, err := f.number()
		if err == nil {
			_, err = io.CopyN(io.Discard, f.from, int64(n))
		}
		return cutFrame(err)
	}
	if magic != lz4Magic {
		return errors.New("no frame of LZ4")
	}
	if _, err := io.ReadFull(f.from, b[:3]); err != nil {
		return cutFrame(err)
	}
	flags, size := b[0], b[1]>>4&7
	if flags>>6 != 1 || flags&3 != 0 || size < 4 {
		return errors.New("a frame of LZ4 of another version, or with a dictionary")
	}
	if flags>>3&1 == 1 { // the size of the content
		if _, err := io.CopyN(io.Discard, f.from, 8); err != nil {
			return cutFrame(err)
		}
	}
	f.linked, f.checked, f.summed = flags>>5&1 == 0, flags>>4&1 == 1, flags>>2&1 == 1
	f.most = 1 << (8 + 2*int(size))
	f.open, f.any, f.sum = true, true, xxh32{}
	f.out, f.done = f.out[:0], 0
	return nil
}

// end reads what is behind the blocks of a frame.
func (f *Frames) end() error {
	f.open = false
	if !f.summed {
		return nil
	}
	if want, err := f.number(); err != nil || want != f.sum.value() {
		return cmp.Or(err, errors.New("what is compressed by LZ4 does not have its checksum"))
	}
	return nil
}

// unpackFrame decompresses a frame of LZ4 to n bytes.
func unpackFrame(frame []byte, n int64) ([]byte, error) {
	const most = 255 // a block decompresses to at most so many times its size
	if n > most*int64(len(frame)) {
		return nil, fmt.Errorf("%d bytes of LZ4 that say that they are %d", len(frame), n)
	}
	from := NewFrames(bytes.NewReader(frame))
	out := make([]byte, n)
	if _, err := io.ReadFull(from, out); err != nil {
		return nil, fmt.Errorf("a buffer of %d bytes: %w", n, cutFrame(err))
	}
	if more, err := io.Copy(io.Discard, from); more > 0 || err != nil {
		return nil, cmp.Or(err, fmt.Errorf("a buffer of %d bytes says that it has %d", n+more, n))
	}
	return out, nil
}

// An xxh32 is the hash XXH32 of what has been added, with the seed 0 (xxhash_spec.md of xxHash, version 0.2). The zero xxh32 is of nothing.
type xxh32 struct {
	lanes [4]uint32
	begun bool
	rest  [16]byte
	n     int // bytes in all
}

const prime1, prime2, prime3, prime4, prime5 uint32 = 2654435761, 2246822519, 3266489917, 668265263, 374761393

func (h *xxh32) add(p []byte) {
	if !h.begun {
		one, two := prime1, prime2
		h.lanes, h.begun = [4]uint32{one + two, two, 0, -one}, true
	}
	if held := h.n % 16; held > 0 {
		n := copy(h.rest[held:], p)
		h.n, p = h.n+n, p[n:]
		if held+n < 16 {
			return
		}
		h.stripe(h.rest[:])
	}
	h.n += len(p)
	for ; len(p) >= 16; p = p[16:] {
		h.stripe(p)
	}
	copy(h.rest[:], p)
}

func (h *xxh32) stripe(p []byte) {
	for i := range h.lanes {
		h.lanes[i] = bits.RotateLeft32(h.lanes[i]+binary.LittleEndian.Uint32(p[4*i:])*prime2, 13) * prime1
	}
}

func (h *xxh32) value() uint32 {
	sum := prime5
	if h.n >= 16 {
		l := h.lanes
		sum = bits.RotateLeft32(l[0], 1) + bits.RotateLeft32(l[1], 7) + bits.RotateLeft32(l[2], 12) + bits.RotateLeft32(l[3], 18)
	}
	sum += uint32(h.n)
	rest := h.rest[:h.n%16]
	for ; len(rest) >= 4; rest = rest[4:] {
		sum = bits.RotateLeft32(sum+binary.LittleEndian.Uint32(rest)*prime3, 17) * prime4
	}
	for _, b := range rest {
		sum = bits.RotateLeft32(sum+uint32(b)*prime5, 11) * prime1
	}
	sum = (sum ^ sum>>15) * prime2
	sum = (sum ^ sum>>13) * prime3
	return sum ^ sum>>16
}
