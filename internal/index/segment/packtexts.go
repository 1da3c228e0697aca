package segment

import (
	"bytes"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// blockBytes is the size in bytes at which a block of texts ends. Larger blocks take less space, and longer to read a
// text from: on news, 64 KiB take 5 % more than 256 KiB, and a third of a millisecond less. Where passages are found,
// a search reads each text that may share one, so that blocks end at shortBytes: they take 8 to 10 % more, and a
// quarter of the time.
const blockBytes, shortBytes = 64 << 10, 16 << 10

// A Packed is texts that have been compressed, block by block.
type Packed struct {
	blocks [][]byte
	places []uint64 // of each text: its block and where it starts there; noText for none
	size   int      // at which a block ends
	last   atomic.Pointer[unpacked]
	dense  bool // who takes a block takes it in the dense form
}

// An unpacked is the block that At has read last, for as long as there is room: a text is mostly asked for together
// with its neighbours.
type unpacked struct {
	block uint64
	raw   weak.Pointer[[]byte]
}

// A block is first in the fast form: the byte fastForm and a block of S2. Once it is merged with others, it is in the
// dense form: a zstd frame, which begins with another byte. On news, zstd takes 73 % of the bytes of S2, and 2.2
// times as long; on texts of random words 67 %, and three times as long. Most blocks are merged once, or never.
const fastForm = 1

// maxBlock is the largest size of a block that is read. Documents are shorter. That of a fast block of n bytes is at
// most fastest*(n+blockBytes), so that its memory is not taken on the word of a damaged file.
const maxBlock, fastest = math.MaxUint32, 64

// unpack returns the bytes of a block.
func unpack(block []byte) ([]byte, error) {
	if len(block) == 0 || block[0] != fastForm {
		d, err := decoder()
		if err != nil {
			return nil, err
		}
		return d.DecodeAll(block, make([]byte, 0, min(4*len(block), 2*blockBytes)))
	}
	n, err := s2.DecodedLen(block[1:])
	if err == nil && n > fastest*(len(block)+blockBytes) {
		err = fmt.Errorf("%d bytes", n)
	}
	if err != nil {
		return nil, err
	}
	return s2.Decode(make([]byte, max(1, n)), block[1:])
}

// decoder returns the decoder of dense blocks, which several goroutines may use.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
})

// block returns a block as its taker gets it. One that cannot be unpacked stays as it is, for its reader to tell.
func (p *Packed) block(i int) []byte {
	block := p.blocks[i]
	if !p.dense || block[0] != fastForm {
		return block
	}
	raw, err := unpack(block)
	if err != nil {
		return block
	}
	e := beginBlock()
	defer encoders.Put(e)
	return bytes.Clone(e.compress(raw, true))
}

// raw returns the bytes of a block.
func (p *Packed) raw(block uint64) ([]byte, error) {
	if u := p.last.Load(); u != nil && u.block == block {
		if raw := u.raw.Value(); raw != nil {
			return *raw, nil
		}
	}
	raw, err := unpack(p.blocks[block])
	if err == nil {
		p.last.Store(&unpacked{block, weak.Make(&raw)})
	}
	return raw, err
}

// At returns what is kept of document i, which the caller must not change. A nil p has nothing.
func (p *Packed) At(i int) (k Kept, err error) {
	if p == nil || p.places[i] == noText {
		return k, nil
	}
	raw, err := p.raw(p.places[i] >> 32)
	if err == nil {
		k, _ = readKept(raw[uint32(p.places[i]):])
	}
	return k, err
}

// noText is the place of a document without a text.
const noText = ^uint64(0)

// place returns the place of a text that starts at byte start of a block.
func place(block, start int) uint64 { return uint64(block)<<32 | uint64(uint32(start)) }

// sizeOf returns the size at which a block ends: of texts in which passages are found, or of others.
func sizeOf(passages bool) int {
	if passages {
		return shortBytes
	}
	return blockBytes
}

// Pack compresses what is kept of the documents 0 to n-1, in which passages are found or not. kept returns it of
// each. Several goroutines may pack at the same time.
func Pack(n int, passages bool, kept func(i int) Kept) *Packed {
	e := beginBlock()
	defer encoders.Put(e)
	p := &Packed{places: make([]uint64, n), size: sizeOf(passages)}
	for i := range n {
		if k := kept(i); k.Text != nil || k.Source != nil {
			p.places[i] = p.pack(e, &k)
		} else {
			p.places[i] = noText
		}
	}
	p.end(e)
	return p
}

// pack adds what is kept of a document to the block that e gathers, and returns its place.
func (p *Packed) pack(e *encoder, k *Kept) uint64 {
	if len(e.raw) > 0 && len(e.raw)+len(k.Text) > p.size {
		p.end(e)
	}
	at := place(len(p.blocks), len(e.raw))
	e.raw = k.append(e.raw)
	return at
}

// end compresses a block, unless it is empty.
func (p *Packed) end(e *encoder) {
	if len(e.raw) == 0 {
		return
	}
	p.blocks = append(p.blocks, bytes.Clone(e.compress(e.raw, p.dense))) // no larger than it has to be
	if e.raw = e.raw[:0]; cap(e.raw) > 16*blockBytes {
		e.raw, e.packed = nil, nil
	}
}

// An encoder compresses texts, and has the memory for a block.
type encoder struct {
	zstd        *zstd.Encoder // nil before it is needed
	raw, packed []byte
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// compress returns a block of raw, valid until the next one. It is dense if that is asked for, or if raw is one byte,
// say, many times.
func (e *encoder) compress(raw []byte, dense bool) []byte {
	if !dense {
		need := 1 + s2.MaxEncodedLen(len(raw))
		if cap(e.packed) < need {
			e.packed = make([]byte, need)
		}
		e.packed = e.packed[:need]
		e.packed[0] = fastForm
		if n := 1 + len(s2.Encode(e.packed[1:], raw)); len(raw) <= fastest*(n+blockBytes) {
			return e.packed[:n]
		}
	}
	if e.zstd == nil {
		// The options are right, so that there is no error. Sections have checksums of their own.
		e.zstd, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	}
	e.packed = e.zstd.EncodeAll(raw, e.packed[:0])
	return e.packed
}

// beginBlock returns an encoder with an empty block, which goes back to encoders.
func beginBlock() *encoder {
	e := encoders.Get().(*encoder)
	e.raw = e.raw[:0]
	return e
}
