package imagehash

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
)

// animation returns a WebP file with frames of the same picture, which has a width and a height, on a canvas.
func animation(t *testing.T, still []byte, w, h, canvasW, canvasH, x, y int) []byte {
	t.Helper()
	put := func(dst []byte, id string, body []byte) []byte {
		dst = binary.LittleEndian.AppendUint32(append(dst, id...), uint32(len(body)))
		return append(append(dst, body...), make([]byte, len(body)%2)...)
	}
	three := func(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }
	head := bytes.Join([][]byte{{isAnimation, 0, 0, 0}, three(canvasW - 1), three(canvasH - 1)}, nil)
	body := put([]byte("WEBP"), "VP8X", head)
	body = put(body, "ANIM", make([]byte, 6))
	frame := bytes.Join([][]byte{three(x / 2), three(y / 2), three(w - 1), three(h - 1), three(100), {0}, still[webpHeader:]}, nil)
	for range 3 {
		body = put(body, "ANMF", frame)
	}
	return put(nil, "RIFF", body)
}

// Of an animation, the first frame is hashed, on its canvas.
func TestAnimatedWebP(t *testing.T) {
	still, err := os.ReadFile("../../../testdata/formats/image.webp")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(still, MaxPixels)
	if err != nil {
		t.Fatal(err)
	}
	w, h := m.Size()
	want, _, _ := sum(Usual, still, MaxPixels)
	if got, ok, err := sum(Usual, animation(t, still, w, h, w, h, 0, 0), MaxPixels); err != nil || !ok || got != want {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
	p, err := Decode(animation(t, still, w, h, w+20, h+10, 4, 6), MaxPixels)
	if err != nil {
		t.Fatal(err)
	}
	if gotW, gotH := p.Size(); gotW != w+20 || gotH != h+10 {
		t.Errorf("%d by %d", gotW, gotH)
	}
	if r, g, b, _ := p.Image.At(4+w/2, 6+h/2).RGBA(); func() bool {
		a, c, d, _ := m.Image.At(w/2, h/2).RGBA()
		return r>>8 != a>>8 || g>>8 != c>>8 || b>>8 != d>>8
	}() {
		t.Error("the frame lies elsewhere")
	}
	whole := animation(t, still, w, h, w, h, 0, 0)
	for _, bad := range [][]byte{animation(t, still, w, h, w-2, h, 0, 0), animation(t, still, w, h, w, h, 2, 0), whole[:60], whole[:200]} {
		if _, err := Decode(bad, MaxPixels); err == nil {
			t.Errorf("%d bytes pass", len(bad))
		}
	}
}
