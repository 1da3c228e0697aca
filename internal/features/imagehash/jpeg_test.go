package imagehash

import (
	"bytes"
	"image/jpeg"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"simsearch/internal/tests/testkit"
)

// A picture has about the same hash however its JPEG is coded: with restarts, with all colours or half of them in a
// row.
func TestCodings(t *testing.T) {
	read := func(name string) *Picture {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Decode(data, MaxPixels)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return p
	}
	of := read("baseline.jpg")
	for _, name := range []string{"progressive.jpg", "coded/restarts.jpg", "coded/full.jpg", "coded/wide.jpg"} {
		p := read(name)
		for _, k := range []Kind{Difference, DCT} {
			want, _ := k.Of(of)
			if got, ok := k.Of(p); !ok || bits.OnesCount64(got^want) > 2 {
				t.Errorf("%s: %v is %016x, %v, want about %016x", name, k, got, ok, want)
			}
		}
	}
	read("coded/grey.jpg")
}

// Whatever a file is, it is read or refused, and no picture is larger than was allowed.
func FuzzSum(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	more, _ := filepath.Glob("testdata/coded/*.jpg")
	for _, name := range append(files, more...) {
		if data, err := os.ReadFile(name); err == nil && Format(data) != "" {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 16
		_, _, err := sum(Difference, data, most)
		p, decodeErr := Decode(data, most)
		if (err == nil) != (decodeErr == nil) {
			t.Errorf("decoded: %v, hashed: %v", decodeErr, err)
		}
		if decodeErr != nil {
			return
		}
		if w, h := p.Size(); w*h > most {
			t.Errorf("%d by %d pixels, want at most %d", w, h, most)
		}
	})
}

// BenchmarkSum hashes JPEGs of 2 million pixels, as cameras and the web have them.
func BenchmarkSum(b *testing.B) {
	m := testkit.Photo(1, 1632, 1224)
	for quality, name := range map[int]string{75: "75", 90: "90"} {
		var file bytes.Buffer
		if err := jpeg.Encode(&file, m, &jpeg.Options{Quality: quality}); err != nil {
			b.Fatal(err)
		}
		for _, k := range []Kind{Difference, DCT} {
			b.Run("quality="+name+"/hash="+k.String(), func(b *testing.B) {
				b.SetBytes(int64(file.Len()))
				for b.Loop() {
					if _, _, err := sum(k, file.Bytes(), MaxPixels); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
