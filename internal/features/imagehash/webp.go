package imagehash

import (
	"encoding/binary"
	"image"
	"image/draw"
)

// The library reads no animations. So the first frame of one is taken out, as a picture of its own.
//
// An animation (WebP Container Specification) is a chunk VP8X with the size of the canvas, and a chunk ANMF for each
// frame, which has chunks as a picture has them.

const (
	webpHeader   = 12 // bytes before the first chunk
	chunkHeader  = 8
	canvasSize   = 10 // of what VP8X has
	frameHeader  = 16 // bytes of ANMF before its chunks
	isAnimation  = 1 << 1
	hasAlphaFlag = 1 << 4
)

// A frame is the first one of an animation.
type frame struct {
	file   []byte          // of the frame alone
	canvas image.Rectangle // of the animation
	at     image.Point     // where the frame lies in it
}

// chunk returns the chunk that data begins with, and what is behind it.
func chunk(data []byte) (id string, body, rest []byte, ok bool) {
	if len(data) < chunkHeader {
		return "", nil, nil, false
	}
	size := int64(binary.LittleEndian.Uint32(data[4:]))
	body = data[chunkHeader:]
	if size > int64(len(body)) {
		return "", nil, nil, false
	}
	return string(data[:4]), body[:size], body[min(size+size&1, int64(len(body))):], true
}

// uint24 returns a number of three bytes.
func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// firstFrame returns the first frame of a WebP file that is an animation. ok is false for any other.
func firstFrame(data []byte) (f frame, ok bool) {
	if len(data) < webpHeader {
		return f, false
	}
	id, head, rest, ok := chunk(data[webpHeader:])
	if !ok || id != "VP8X" || len(head) != canvasSize || head[0]&isAnimation == 0 {
		return f, false
	}
	f.canvas = image.Rect(0, 0, uint24(head[4:])+1, uint24(head[7:])+1)
	var body []byte
	for id != "ANMF" {
		if id, body, rest, ok = chunk(rest); !ok {
			return f, false
		}
	}
	if len(body) < frameHeader {
		return f, false
	}
	f.at = image.Pt(2*uint24(body), 2*uint24(body[3:]))
	size := [canvasSize]byte{}
	copy(size[4:], body[6:12])
	if lies := image.Rect(0, 0, uint24(size[4:])+1, uint24(size[7:])+1).Add(f.at); !lies.In(f.canvas) {
		return f, false
	}
	body = body[frameHeader:]
	if id, _, _, _ := chunk(body); id == "ALPH" {
		size[0] = hasAlphaFlag
	}
	f.file = append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), size[:]...)
	f.file = append(f.file, body...)
	binary.LittleEndian.PutUint32(f.file[4:], uint32(len(f.file)-8))
	return f, true
}

// on returns the canvas of the animation with the frame on it, which has been decoded.
func (f frame) on(m image.Image) image.Image {
	if m.Bounds() == f.canvas {
		return m
	}
	canvas := image.NewNRGBA(f.canvas)
	draw.Draw(canvas, m.Bounds().Add(f.at), m, m.Bounds().Min, draw.Src)
	return canvas
}
