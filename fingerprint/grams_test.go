package fingerprint

import (
	"bufio"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Each backend has the hashes of n-grams that testdata/golden.py, an independent implementation, has written.
func TestGoldenGrams(t *testing.T) {
	file, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	eachBackend(func(name string) {
		read := 0
		for lines := bufio.NewScanner(strings.NewReader(string(file))); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if fields[0] != "word-grams" && fields[0] != "char-grams" {
				continue
			}
			read++
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			var text []byte
			if fields[2] != "-" {
				text = unhex(t, fields[2])
			}
			text = slices.Grow(text, 16)
			var got []uint64
			if fields[0] == "word-grams" {
				got = AppendWordGrams(nil, wordHashes(string(text)), n)
			} else {
				got = AppendCharGrams(nil, text, n)
			}
			var printed []string
			for _, h := range got {
				printed = append(printed, Format(h, 64))
			}
			if !slices.Equal(printed, fields[3:]) {
				t.Errorf("%s, %s %d of %q: got %v, want %v", name, fields[0], n, text, printed, fields[3:])
			}
		}
		if read != 126 {
			t.Errorf("read %d lines of the golden file, want 126", read)
		}
	})
}

func wordHashes(text string) (hashes []uint64) {
	for word := range strings.FieldsSeq(text) {
		hashes = append(hashes, Murmur3.Sum([]byte(word)))
	}
	return hashes
}

// The hashes of all n-grams of a text are those of one n-gram after the other.
func TestGramsEqualGram(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	alphabets := []string{"abc de", "abcdefghijklmnop é", "xyz近似é ", "近似重複𝒳"}
	eachBackend(func(name string) {
		for length := range 150 {
			chars := []rune(alphabets[length%len(alphabets)])
			var text []rune
			for range length {
				text = append(text, chars[rng.IntN(len(chars))])
			}
			encoded := slices.Grow([]byte(string(text)), 16)
			for i := len(encoded); i < cap(encoded); i++ {
				encoded[:cap(encoded)][i] = byte(rng.Uint32()) // must not matter
			}
			words := wordHashes(string(text))
			for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 64} {
				want := []uint64{7}
				for lo := 0; lo == 0 && length > 0 || lo+n <= length; lo++ {
					want = append(want, CharGram([]byte(string(text[lo:min(length, lo+n)]))))
				}
				if got := AppendCharGrams([]uint64{7}, encoded, n); !slices.Equal(got, want) {
					t.Fatalf("%s, %d-grams of %q: got %x, want %x", name, n, encoded, got, want)
				}
				want = want[:1]
				for lo := 0; lo == 0 && len(words) > 0 || lo+n <= len(words); lo++ {
					want = append(want, WordGram(words[lo:min(len(words), lo+n)]))
				}
				if got := AppendWordGrams([]uint64{7}, words, n); !slices.Equal(got, want) {
					t.Fatalf("%s, %d-grams of words of %q: got %x, want %x", name, n, text, got, want)
				}
			}
		}
	})
}

// Another letter, and another word, changes each bit of the hash about every other time.
func TestGramsAvalanche(t *testing.T) {
	t.Parallel()
	const pairs = 20_000
	rng := rand.New(rand.NewPCG(8, 8))
	for n := 1; n <= 12; n++ {
		var byChar, byWord [64]int
		for range pairs {
			gram := make([]byte, n)
			for i := range gram {
				gram[i] = 'a' + byte(rng.IntN(26))
			}
			before, at := CharGram(gram), rng.IntN(n)
			gram[at] = 'a' + (gram[at]-'a'+1+byte(rng.IntN(25)))%26
			countBits(&byChar, before^CharGram(gram))
			words := make([]uint64, n)
			for i := range words {
				words[i] = rng.Uint64()
			}
			before = WordGram(words)
			words[at] = rng.Uint64()
			countBits(&byWord, before^WordGram(words))
		}
		for j := range 64 {
			for kind, count := range map[string]int{"characters": byChar[j], "words": byWord[j]} {
				// The least deviation that fails is six standard deviations, which are half the root of pairs.
				if low, high := pairs/2-425, pairs/2+425; (n > 1 || kind == "words") && (count < low || count > high) {
					t.Errorf("%d %s: bit %d changes in %d of %d pairs", n, kind, j, count, pairs)
				}
			}
		}
	}
}

func countBits(counts *[64]int, x uint64) {
	for ; x != 0; x &= x - 1 {
		counts[bits.TrailingZeros64(x)]++
	}
}

func BenchmarkGrams(b *testing.B) {
	text := slices.Grow([]byte(strings.Repeat("some words of a text, ", 40)), 16)
	words := wordHashes(string(text))
	var dst []uint64
	eachBackend(func(name string) {
		b.Run(fmt.Sprintf("grams=char:5/bytes=%d/backend=%s", len(text), name), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				dst = AppendCharGrams(dst[:0], text, 5)
			}
		})
	})
	b.Run(fmt.Sprintf("grams=word:3/words=%d", len(words)), func(b *testing.B) {
		for b.Loop() {
			dst = AppendWordGrams(dst[:0], words, 3)
		}
		b.ReportMetric(float64(len(words))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfeatures/s")
	})
}
