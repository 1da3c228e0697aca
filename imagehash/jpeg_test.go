package imagehash

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/photogen"
)

// The means of blocks are those of the decoded picture, as far as decoders round.
func TestMeans(t *testing.T) {
	for _, name := range []string{
		"baseline.jpg", "progressive.jpg", "turned5.jpg", "means/restarts.jpg", "means/grey.jpg", "means/full.jpg", "means/wide.jpg",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		compareMeans(t, name, data)
	}
	for n, quality := range []int{40, 60, 75, 95, 100} {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, photogen.YCbCr(uint64(n), 203+n, 151), &jpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		compareMeans(t, "generated", b.Bytes())
	}
}

func compareMeans(t *testing.T, name string, data []byte) {
	t.Helper()
	l := jpegMeans(data)
	if l == nil {
		t.Errorf("%s: no means", name)
		return
	}
	m, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if size := m.Bounds().Size(); size != image.Pt(l.width, l.height) {
		t.Errorf("%s: %d by %d pixels, want %v", name, l.width, l.height, size)
	}
	read := lumaOf(m)
	for y := range l.height / blockSide {
		means := bytes.Clone(l.row(y))
		sums := make([]int, l.width/blockSide)
		for i := range blockSide {
			line := read(make([]uint8, l.width), y*blockSide+i)
			for x := range len(sums) * blockSide {
				sums[x/blockSide] += int(line[x])
			}
		}
		for x, sum := range sums {
			// At the ends of the range, pixels are cut off, and the mean of a block is not.
			if mean := sum / 64; mean-int(means[x]) > 2 || int(means[x])-mean > 2 {
				if mean > 20 && mean < 235 {
					t.Fatalf("%s: block %d, %d is %d, want %d", name, x, y, means[x], mean)
				}
			}
		}
	}
}

// Restarts do not change the means. The standard library does not read a progressive JPEG with restarts.
func TestProgressiveRestarts(t *testing.T) {
	var of [2]*levels
	for i, name := range []string{"progressive.jpg", "means/progressive-restarts.jpg"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if of[i] = jpegMeans(data); of[i] == nil {
			t.Fatalf("%s: no means", name)
		}
	}
	for y := range of[0].height / blockSide {
		if a, b := bytes.Clone(of[0].row(y)), of[1].row(y); !bytes.Equal(a, b) {
			t.Errorf("row %d is %v with restarts, want %v", y, b, a)
		}
	}
}

// Hashes by means are hardly others.
func TestSumIsNearOf(t *testing.T) {
	for n := range 20 {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, photogen.YCbCr(uint64(n), 800+7*n, 600), &jpeg.Options{Quality: 40 + 3*n}); err != nil {
			t.Fatal(err)
		}
		p, err := Decode(b.Bytes(), MaxPixels)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []Kind{Difference, DCT} {
			want, _ := k.Of(p)
			got, ok, err := k.Sum(b.Bytes(), MaxPixels)
			if d := bits.OnesCount64(got ^ want); err != nil || !ok || d > 2 {
				t.Errorf("%d: %v by means is %016x, %v, %v, %d bits from %016x", n, k, got, ok, err, d, want)
			}
		}
	}
}

// Whatever a file is, it is read or refused, and no picture is larger than was allowed.
func FuzzSum(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	more, _ := filepath.Glob("testdata/means/*.jpg")
	for _, name := range append(files, more...) {
		if data, err := os.ReadFile(name); err == nil && Format(data) != "" {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 16
		if l := jpegMeans(limited(data, most)); l != nil {
			l.average(differenceColumns, differenceRows)
		}
		_, _, err := Difference.Sum(data, most)
		p, decodeErr := Decode(data, most)
		if decodeErr != nil {
			return
		}
		if err != nil {
			t.Errorf("decoded, but: %v", err)
		}
		if w, h := p.Size(); w*h > most {
			t.Errorf("%d by %d pixels, want at most %d", w, h, most)
		}
	})
}

// limited returns data, or nothing if it is a picture of more pixels.
func limited(data []byte, most int) []byte {
	if check(data, most) != nil {
		return nil
	}
	return data
}

// BenchmarkSum hashes JPEGs of 2 million pixels, as cameras and the web have them.
func BenchmarkSum(b *testing.B) {
	m := photogen.YCbCr(1, 1632, 1224)
	for _, quality := range []int{75, 90} {
		var file bytes.Buffer
		if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: quality}); err != nil {
			b.Fatal(err)
		}
		for _, way := range []string{"means", "pixels"} {
			for _, k := range []Kind{Difference, DCT} {
				b.Run("quality="+map[int]string{75: "75", 90: "90"}[quality]+"/hash="+k.String()+"/way="+way, func(b *testing.B) {
					b.SetBytes(int64(file.Len()))
					for b.Loop() {
						var err error
						if way == "means" {
							_, _, err = k.Sum(file.Bytes(), MaxPixels)
						} else {
							var p *Picture
							if p, err = Decode(file.Bytes(), MaxPixels); err == nil {
								k.Of(p)
							}
						}
						if err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
