package arrowfile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pierrec/lz4/v4"
)

// unpackLZ4 decompresses a frame of LZ4 to n bytes. Its checksums are not compared: the library takes those of blocks of other programs for
// wrong, and the batch is checked by its schema.
//
// A frame (lz4_Frame_format.md of LZ4, version 1.6) is a header, blocks with their sizes, and a size of 0.
func unpackLZ4(frame []byte, n int64) ([]byte, error) {
	const magic, stored, most = 0x184d2204, 1 << 31, 255 // a block decompresses to at most so many times its size
	if len(frame) < 7 || binary.LittleEndian.Uint32(frame) != magic {
		return nil, errors.New("no frame of LZ4")
	}
	if n > most*int64(len(frame)) {
		return nil, fmt.Errorf("%d bytes of LZ4 that say that they are %d", len(frame), n)
	}
	flags, at := frame[4], 7
	checked, linked := flags>>4&1 == 1, flags>>5&1 == 0
	if flags>>6 != 1 || flags&1 == 1 {
		return nil, errors.New("a frame of LZ4 of another version, or with a dictionary")
	}
	if flags>>3&1 == 1 { // the size of the content
		at += 8
	}
	out := make([]byte, n)
	got := 0
	for {
		if len(frame) < at+4 {
			return nil, errors.New("a frame of LZ4 that is cut")
		}
		head := binary.LittleEndian.Uint32(frame[at:])
		size := int(head &^ stored)
		if at += 4; size == 0 {
			break
		}
		if size > len(frame)-at {
			return nil, errors.New("a frame of LZ4 that is cut")
		}
		block := frame[at : at+size]
		if at += size; checked {
			at += 4
		}
		if head >= stored {
			if size > len(out)-got {
				return nil, errors.New("a frame of LZ4 that has more than it says")
			}
			got += copy(out[got:], block)
			continue
		}
		var before []byte
		if linked {
			before = out[max(0, got-(64<<10)):got]
		}
		k, err := lz4.UncompressBlockWithDict(block, out[got:], before)
		if err != nil {
			return nil, err
		}
		got += k
	}
	if int64(got) != n {
		return nil, fmt.Errorf("a buffer of %d bytes says that it has %d", got, n)
	}
	return out, nil
}
