package imagehash

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"simsearch/internal/tests/testkit"
)

// A vector is what testdata/golden.py has made of a picture, by ImageHash and Pillow.
type vector struct {
	Difference, DCT string
	Columns9        string `json:"9x8"` // levels in hexadecimal
	Columns32       string `json:"32x32"`
}

func vectors(t *testing.T) (all struct{ Files, Noise map[string]vector }) {
	t.Helper()
	b, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Files) < 15 || len(all.Noise) < 10 {
		t.Fatalf("only %d and %d pictures", len(all.Files), len(all.Noise))
	}
	return all
}

// Hashes of files are those of ImageHash.
func TestGolden(t *testing.T) {
	for name, want := range vectors(t).Files {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Decode(data, MaxPixels)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		// Decoders of JPEG and of lossy WebP round in their own ways, and so does the conversion from four
		// colours.
		atMost := map[string]int{".jpg": 1, ".webp": 1}[filepath.Ext(name)]
		for k, text := range map[Kind]string{Difference: want.Difference, DCT: want.DCT} {
			hash, ok := k.Of(p)
			if white := name == "white.png"; ok == white {
				t.Errorf("%s: %v is flat: %v", name, k, !ok)
			} else if d := distance(t, hash, text); d > atMost {
				t.Errorf("%s: %v is %016x, %d bits from %s", name, k, hash, d, text)
			}
		}
	}
}

// Pictures of all sizes are made small level by level as Pillow does it, and what is turned as well.
func TestSmall(t *testing.T) {
	for size, want := range vectors(t).Noise {
		var w, h int
		if _, err := fmt.Sscanf(size, "%dx%d", &w, &h); err != nil {
			t.Fatal(err)
		}
		m := noise(w, h)
		for way := 1; way <= 8 && (way == 1 || w*h < 200_000); way++ {
			p := &Picture{m, way}
			if way > 1 {
				p.Image = storedAs(m, way)
			}
			l, turning := levelsOf(p.Image), turning(way)
			for text, got := range map[string][]uint8{want.Columns9: turning.small(l, 9, 8), want.Columns32: turning.small(l, 32, 32)} {
				if levels, err := hex.DecodeString(text); err != nil || !bytes.Equal(got, levels) {
					t.Errorf("%s, orientation %d, %d cells: %x, want %s", size, way, len(got), got, text)
				}
			}
			if w*h == 1 {
				continue // of one colour
			}
			// The same eight hashes are in all positions, and that of the picture is the first.
			for _, k := range []Kind{Difference, DCT} {
				got := k.Positions(p)
				for i, hash := range got {
					if want, _ := k.Of(&Picture{p.Image, (way-1+i)%8 + 1}); hash != want {
						t.Errorf("%s, orientation %d: %v has %016x as position %d, want %016x", size, way, k, hash, i, want)
					}
				}
				if len(got) != 8 {
					t.Errorf("%s, orientation %d: %v has %d positions", size, way, k, len(got))
				}
			}
			for k, text := range map[Kind]string{Difference: want.Difference, DCT: want.DCT} {
				if hash, ok := k.Of(p); !ok || distance(t, hash, text) != 0 {
					t.Errorf("%s, orientation %d: %v is %016x, %v, want %s", size, way, k, hash, ok, text)
				}
			}
		}
	}
}

// sum returns the hash of a file.
func sum(k Kind, data []byte, maxPixels int) (hash uint64, ok bool, err error) {
	p, err := Decode(data, maxPixels)
	if err == nil {
		hash, ok = k.Of(p)
	}
	return hash, ok, err
}

// noise is that of testdata/golden.py.
func noise(width, height int) *image.Gray {
	m, blocks := image.NewGray(image.Rect(0, 0, width, height)), (width+4)/5
	state, levels := uint32(1), make([]uint8, (height+2)/3*blocks)
	for i := range levels {
		state = (state*1103515245 + 12345) % (1 << 31)
		levels[i] = uint8(state >> 23)
	}
	for i := range m.Pix {
		m.Pix[i] = levels[i/width/3*blocks+i%width/5]
	}
	return m
}

func distance(t *testing.T, hash uint64, text string) int {
	t.Helper()
	other, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return bits.OnesCount64(hash ^ other)
}

// Pictures that are turned are seen alike.
func TestOrientation(t *testing.T) {
	for _, k := range []Kind{Difference, DCT} {
		var first uint64
		stored := map[uint64]bool{}
		for way := 2; way <= 8; way++ {
			data, err := os.ReadFile("testdata/turned" + strconv.Itoa(way) + ".jpg")
			if err != nil {
				t.Fatal(err)
			}
			if got := orientation(data); got != way {
				t.Errorf("turned%d.jpg: orientation %d", way, got)
			}
			m := testkit.Photo(4, 90, 60)
			// The picture is stored so that turning it gives m.
			hash, _ := k.Of(&Picture{storedAs(m, way), way})
			if way == 2 {
				first, _ = k.Of(asStored(m))
			}
			if hash != first {
				t.Errorf("%v, orientation %d: %016x, want %016x", k, way, hash, first)
			}
			plain, _ := k.Of(asStored(storedAs(m, way)))
			stored[plain] = true
		}
		if len(stored) < 7 {
			t.Errorf("%v of 7 turned pictures has %d values", k, len(stored))
		}
	}
}

// storedAs returns the levels of a picture as a camera that was held in some way stores them.
func storedAs(m image.Image, way int) image.Image {
	w, h := m.Bounds().Dx(), m.Bounds().Dy()
	out := image.NewGray(image.Rect(0, 0, w, h))
	if turning(way).turned() {
		out = image.NewGray(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			column, row := turning(way).stored(x, y, w, h)
			out.Set(column, row, color.Gray{lumaOf(m)(make([]uint8, w), y)[x]})
		}
	}
	return out
}

// A thumbnail is small, upright and like the picture.
func TestThumbnail(t *testing.T) {
	m := testkit.Photo(4, 400, 200)
	want, _ := DCT.Of(asStored(m))
	for way := 1; way <= 8; way++ {
		p := &Picture{storedAs(m, way), way}
		if size := p.Upright().Bounds().Size(); size != image.Pt(400, 200) {
			t.Errorf("orientation %d: upright it has %v", way, size)
		}
		data, err := p.Thumbnail(100)
		if err != nil {
			t.Fatal(err)
		}
		small, err := Decode(data, 100*50)
		if err != nil {
			t.Fatal(err)
		}
		if w, h := small.Size(); w != 100 || h != 50 {
			t.Errorf("orientation %d: %d by %d", way, w, h)
		}
		if hash, _ := DCT.Of(small); bits.OnesCount64(hash^want) > 6 {
			t.Errorf("orientation %d: %016x, want nearly %016x", way, hash, want)
		}
	}
	data, err := (&Picture{image.NewNRGBA(image.Rect(0, 0, 3, 1)), 1}).Thumbnail(100)
	if w, h, sizeErr := Size(data); err != nil || sizeErr != nil || w != 3 || h != 1 {
		t.Errorf("a thumbnail of a small picture has %d by %d, %v, %v", w, h, err, sizeErr)
	}
}

func TestFlat(t *testing.T) {
	white := image.NewGray(image.Rect(0, 0, 640, 600))
	for i := range white.Pix {
		white.Pix[i] = 250
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, white, &jpeg.Options{Quality: 30}); err != nil {
		t.Fatal(err)
	}
	for _, k := range []Kind{Difference, DCT} {
		for what, m := range map[string]image.Image{"white": white, "empty": image.NewGray(image.Rect(0, 0, 0, 0)), "transparent": image.NewNRGBA(image.Rect(0, 0, 20, 20))} {
			if hash, ok := k.Of(asStored(m)); ok {
				t.Errorf("%v of a picture that is %s is %016x", k, what, hash)
			}
		}
		if _, ok, err := sum(k, b.Bytes(), MaxPixels); ok || err != nil {
			t.Errorf("%v of a white JPEG: %v, %v", k, ok, err)
		}
		if _, ok := k.Of(asStored(testkit.Photo(1, 300, 200))); !ok {
			t.Errorf("%v: a picture is flat", k)
		}
	}
}

// Readers of rows agree with reading pixel by pixel.
func TestLuma(t *testing.T) {
	m := testkit.Photo(5, 37, 23)
	gray := image.NewGray(m.Rect)
	rgba, nrgba := image.NewRGBA(image.Rect(-3, 2, 34, 25)), image.NewNRGBA(image.Rect(5, 5, 42, 28))
	deep := image.NewNRGBA64(m.Rect)
	palette := image.NewPaletted(m.Rect, color.Palette{color.NRGBA{10, 200, 30, 255}, color.NRGBA{200, 10, 100, 100}, color.Transparent})
	for y := range 23 {
		for x := range 37 {
			r, g, b, _ := m.At(x, y).RGBA()
			c := color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(7 * x)}
			gray.Set(x, y, c)
			rgba.Set(x-3, y+2, c)
			nrgba.SetNRGBA(x+5, y+5, c)
			deep.Set(x, y, c)
			palette.SetColorIndex(x, y, uint8((x+y)%3))
		}
	}
	for _, m := range []image.Image{gray, rgba, nrgba, deep, palette} {
		b := m.Bounds()
		fast, plain := lumaOf(m), pixels(m, plainPixel(m))
		for y := b.Min.Y; y < b.Max.Y; y++ {
			got, want := fast(make([]uint8, b.Dx()), y), plain(make([]uint8, b.Dx()), y)
			for x := range got {
				if d := int(got[x]) - int(want[x]); d < -2 || d > 2 {
					t.Fatalf("%T at %d, %d: %d, want %d", m, x, y, got[x], want[x])
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, testkit.Photo(1, 40, 30)); err != nil {
		t.Fatal(err)
	}
	good := b.Bytes()
	jpg, err := os.ReadFile("testdata/progressive.jpg")
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Clone(good)
	binary.BigEndian.PutUint32(long[16:], maxSide+1)
	binary.BigEndian.PutUint32(long[29:], crc32.ChecksumIEEE(long[12:29]))
	for name, tt := range map[string]struct {
		data   []byte
		pixels int
		want   error
	}{
		"too long":  {long, MaxPixels, errTooLarge},
		"text":      {[]byte("a text and no picture"), MaxPixels, errFormat},
		"nothing":   {nil, MaxPixels, errFormat},
		"cut":       {good[:len(good)/2], MaxPixels, ErrDamaged},
		"head":      {good[:20], MaxPixels, ErrDamaged},
		"too large": {good, 40*30 - 1, errTooLarge},
		"fits":      {good, 40 * 30, nil},
		"scans":     {append(bytes.Clone(jpg), bytes.Repeat([]byte("\xff\xda"), 101)...), MaxPixels, ErrDamaged},
	} {
		if _, err := Decode(tt.data, tt.pixels); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		if _, _, err := sum(Difference, tt.data, tt.pixels); !errors.Is(err, tt.want) {
			t.Errorf("the sum of %s: %v, want %v", name, err, tt.want)
		}
	}
}

// Of an animation, the first frame is hashed.
func TestAnimation(t *testing.T) {
	frames := &gif.GIF{}
	for n := range uint64(2) {
		m := testkit.Photo(n, 50, 40)
		p := image.NewPaletted(m.Rect, nil)
		for level := range 256 {
			p.Palette = append(p.Palette, color.Gray{uint8(level)})
		}
		copy(p.Pix, m.Y)
		frames.Image, frames.Delay = append(frames.Image, p), append(frames.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, frames); err != nil {
		t.Fatal(err)
	}
	got, _, err := sum(DCT, b.Bytes(), MaxPixels)
	if want, _ := DCT.Of(asStored(frames.Image[0])); err != nil || got != want {
		t.Errorf("%016x, %v, want that of the first frame, %016x", got, err, want)
	}
}

func TestKinds(t *testing.T) {
	for _, k := range []Kind{Difference, DCT} {
		text, err := k.MarshalText()
		var back Kind
		if err = errors.Join(err, back.UnmarshalText(text)); err != nil || back != k {
			t.Errorf("%v is read as %v, %v", k, back, err)
		}
	}
	var k Kind
	for _, name := range []string{"none", "", "DCT", "average"} {
		if err := k.UnmarshalText([]byte(name)); err == nil {
			t.Errorf("%q is %v", name, k)
		}
	}
	if Kind(9).Validate() == nil || Kind(0).Validate() != nil {
		t.Error("Validate")
	}
}

// asStored returns a picture as it lies in memory.
func asStored(m image.Image) *Picture { return &Picture{Image: m, Orientation: 1} }

// What Turned says of a hash is near that of the picture when it is turned, and keeps distances.
func TestTurned(t *testing.T) {
	t.Parallel()
	for k, of := range map[Kind][]int{DCT: {1, 3, 2, 4, 5, 7, 6}, Difference: {3, 2, 1}} { // as Positions has them
		apart, n := 0, 0
		for seed := range uint64(20) {
			p, q := k.Positions(asStored(testkit.Photo(seed, 200, 150))), k.Positions(asStored(testkit.Photo(seed+100, 200, 150)))
			others := k.Turned(nil, q[0])
			for i, other := range k.Turned(nil, p[0]) {
				apart, n = apart+bits.OnesCount64(p[of[i]]^other), n+1
				if d, want := bits.OnesCount64(other^others[i]), bits.OnesCount64(p[0]^q[0]); d != want {
					t.Errorf("%v, photo %d: a distance of %d, and %d when both are turned", k, seed, want, d)
				}
				if d := k.Distance(p[:1], []uint64{q[0], other}); d != 0 {
					t.Errorf("%v, photo %d: a distance of %d from itself turned", k, seed, d)
				}
			}
		}
		if n != 20*len(of) || apart > 4*n {
			t.Errorf("%v: %d bits apart in %d positions", k, apart, n)
		}
	}
	if d := Kind(0).Distance([]uint64{1}, []uint64{2}); d != 2 {
		t.Errorf("a distance of %d of what are no pictures", d)
	}
}
