package fingerprint

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGolden compares hashes and fingerprints with testdata/golden.txt, which was written by
// testdata/golden.py, an independent implementation.
func TestGolden(t *testing.T) {
	file, err := os.Open("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	hashes, fingerprints := 0, 0
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch fields[0] {
		case "hash":
			var h Hash
			if err := h.UnmarshalText([]byte(fields[1])); err != nil {
				t.Fatal(err)
			}
			text := unhex(t, fields[2])
			if got := Format(h.Sum(text), 64); got != fields[3] {
				t.Errorf("%v of %q is %s, want %s", h, text, got, fields[3])
			}
			hashes++
		case "simhash":
			goldenSimHash(t, fields)
			fingerprints++
		}
	}
	if err := lines.Err(); err != nil || hashes != 51 || fingerprints != 54 {
		t.Errorf("read %d hashes and %d fingerprints of the golden file, want 51 and 54; %v", hashes, fingerprints, err)
	}
}

func goldenSimHash(t *testing.T, fields []string) {
	t.Helper()
	var h Hash
	err := h.UnmarshalText([]byte(fields[1]))
	if err != nil {
		t.Fatal(err)
	}
	width, err := strconv.Atoi(fields[2])
	if err != nil {
		t.Fatal(err)
	}
	var sums Sums
	var units []uint64 // each feature as often as its weight says
	for _, f := range fields[4:] {
		text, weight, _ := strings.Cut(f, "=")
		w, err := strconv.ParseInt(weight, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		hash := h.Sum(unhex(t, text))
		sums.Add(hash, w)
		for range min(w, 1000) {
			units = append(units, hash)
		}
	}
	if fp, ok := sums.Fingerprint(width); !ok || Format(fp, width) != fields[3] {
		t.Errorf("%v: weighted fingerprint %s, want %s", fields[:5], Format(fp, width), fields[3])
	}
	if sums.total == int64(len(units)) {
		if fp, ok := Unit(units, width); !ok || Format(fp, width) != fields[3] {
			t.Errorf("%v: unit fingerprint %s, want %s", fields[:5], Format(fp, width), fields[3])
		}
	}
}

// The golden file is the output of its script.
func TestGoldenFileIsCurrent(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	out, err := exec.Command(python, "testdata/golden.py").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != string(want) {
		t.Error("testdata/golden.txt differs from the output of golden.py")
	}
}

func TestUnitEqualsSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 300 {
		for _, share := range []uint64{^uint64(0), 0xffff} { // all bits, and bits that are never set
			hashes := make([]uint64, n)
			var sums Sums
			for i := range hashes {
				hashes[i] = rng.Uint64() & share
				if n%3 == 0 {
					hashes[i] = hashes[rng.IntN(i+1)] // few distinct: many ties
				}
				sums.Add(hashes[i], 1)
			}
			for _, width := range []int{32, 64} {
				got, gotOK := Unit(hashes, width)
				want, wantOK := sums.Fingerprint(width)
				if n == 0 {
					want = got // without features the value is undefined
				}
				if got != want || gotOK != wantOK || gotOK != (n > 0) {
					t.Fatalf("%d hashes, %d bits: %x %v, want %x %v", n, width, got, gotOK, want, wantOK)
				}
			}
		}
	}
}

// Lengths at which the bit-sliced counters need another plane.
func TestUnitCountsFar(t *testing.T) {
	for _, n := range []int{255, 256, 257, 65535, 65536, 65543} {
		hashes := make([]uint64, n)
		for i := range hashes {
			if i < n/2 {
				hashes[i] = 0x0f
			} else {
				hashes[i] = 0xf0
			}
		}
		want := uint64(0xf0)
		if n%2 == 0 {
			want = 0xff // a tie gives 1
		}
		if got, _ := Unit(hashes, 64); got != want {
			t.Errorf("%d hashes: %#x, want %#x", n, got, want)
		}
	}
}

// Every backend agrees with Sums: weights up to the largest, repeated hashes, few features and many.
func TestWeightedEqualsSums(t *testing.T) {
	eachBackend(func(name string) { testWeightedEqualsSums(t, name) })
}

func testWeightedEqualsSums(t *testing.T, backend string) {
	rng := rand.New(rand.NewPCG(1, 9))
	for n := range 200 {
		hashes, weights := make([]uint64, n), make([]uint32, n)
		var sums Sums
		for i := range hashes {
			hashes[i], weights[i] = rng.Uint64(), 1+rng.Uint32N(5)
			switch n % 3 {
			case 1:
				hashes[i], weights[i] = hashes[rng.IntN(i+1)], 1
			case 2:
				weights[i] = math.MaxUint32 - rng.Uint32N(3)
			}
			sums.Add(hashes[i], int64(weights[i]))
		}
		var fast, plain [64]uint64
		if n > 0 {
			addWeights(&fast, hashes, weights)
			addWeightsGeneric(&plain, hashes, weights)
		}
		if fast != plain {
			t.Fatalf("%s: %d features: %v, generic %v", backend, n, fast, plain)
		}
		for _, width := range []int{32, 64} {
			got, gotOK := Weighted(hashes, weights, width)
			want, wantOK := sums.Fingerprint(width)
			if gotOK != wantOK || gotOK && got != want {
				t.Fatalf("%s: %d features, %d bits: %x %v, want %x %v", backend, n, width, got, gotOK, want, wantOK)
			}
		}
	}
}

func TestCounter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 11))
	var c Counter
	var counts []uint32
	for n := range 302 {
		if n > 299 {
			n *= 60 // more than manyHashes
		}
		hashes := make([]uint64, n)
		want := map[uint64]uint32{}
		var order []uint64
		for i := range hashes {
			hashes[i] = rng.Uint64N(uint64(n)) << (n % 50) // some are 0, and some have constant upper bits
			if want[hashes[i]]++; want[hashes[i]] == 1 {
				order = append(order, hashes[i])
			}
		}
		if got := c.Distinct(slices.Clone(hashes)); !slices.Equal(got, order) {
			t.Fatalf("%d hashes: Distinct leaves %v, want %v", n, got, order)
		}
		var distinct []uint64
		distinct, counts = c.Count(hashes, counts)
		if !slices.Equal(distinct, order) || len(counts) != len(distinct) {
			t.Fatalf("%d hashes: distinct %v, want %v", n, distinct, order)
		}
		for i, h := range distinct {
			if counts[i] != want[h] {
				t.Fatalf("%d hashes: %d counted %d times, want %d", n, h, counts[i], want[h])
			}
		}
	}
}

func TestTiesGiveOne(t *testing.T) {
	if fp, _ := Unit([]uint64{0b0011, 0b0101}, 64); fp != 0b0111 {
		t.Errorf("fingerprint %b, want 111", fp)
	}
}

func TestEmpty(t *testing.T) {
	var sums Sums
	if _, ok := sums.Fingerprint(64); ok {
		t.Error("no features have a fingerprint by Sums")
	}
	if _, ok := Unit(nil, 64); ok {
		t.Error("no features have a fingerprint by Unit")
	}
}

func TestFNV1a(t *testing.T) {
	for _, s := range []string{"", "a", "foobar", "近似"} {
		h := fnv.New64a()
		h.Write([]byte(s))
		if got := FNV1a.Sum([]byte(s)); got != h.Sum64() {
			t.Errorf("FNV-1a of %q is %x, the standard library has %x", s, got, h.Sum64())
		}
	}
}

// A changed letter changes about half of the bits. The mean over 4000 pairs has a standard deviation of
// 0.063 bits. The limit is six of them: one false alarm in 10^9 runs. FNV-1a fails this test, so that it
// is not the default.
func TestAvalanche(t *testing.T) {
	for _, h := range []Hash{Murmur3, MD5} {
		total := 0
		for i := range 4000 {
			a, b := h.Sum(fmt.Appendf(nil, "word%da", i)), h.Sum(fmt.Appendf(nil, "word%db", i))
			for x := a ^ b; x != 0; x &= x - 1 {
				total++
			}
		}
		if mean := float64(total) / 4000; math.Abs(mean-32) > 0.38 {
			t.Errorf("%v: a changed letter changes %.2f bits of 64, want 32", h, mean)
		}
	}
}

func TestTextForm(t *testing.T) {
	for _, tt := range []struct {
		fp   uint64
		bits int
		text string
	}{
		{0, 64, "0000000000000000"}, {0x70f26225f4a2a2a9, 64, "70f26225f4a2a2a9"}, {^uint64(0), 64, "ffffffffffffffff"},
		{0xabc, 32, "00000abc"},
	} {
		if got := Format(tt.fp, tt.bits); got != tt.text {
			t.Errorf("Format(%x, %d) = %s", tt.fp, tt.bits, got)
		}
		for _, text := range []string{tt.text, strings.ToUpper(tt.text)} {
			if fp, err := Parse(text, tt.bits); err != nil || fp != tt.fp {
				t.Errorf("Parse(%s, %d) = %x, %v", text, tt.bits, fp, err)
			}
		}
	}
	for _, text := range []string{"", "12", "70f26225f4a2a2a", "70f26225f4a2a2a99", "70f26225f4a2a2ag", "+0f26225f4a2a2a9", "-0f26225f4a2a2a9", "0x0f26225f4a2a2a", "7_f26225f4a2a2a9"} {
		if fp, err := Parse(text, 64); err == nil {
			t.Errorf("Parse(%q) = %x, want an error", text, fp)
		}
	}
}

func TestEstimates(t *testing.T) {
	for _, tt := range []struct {
		d                  int
		similarity, cosine float64
	}{{0, 1, 1}, {32, 0.5, 0}, {64, 0, -1}, {16, 0.75, math.Sqrt2 / 2}} {
		if got := Similarity(tt.d, 64); got != tt.similarity {
			t.Errorf("Similarity(%d) = %v, want %v", tt.d, got, tt.similarity)
		}
		if got := Cosine(tt.d, 64); math.Abs(got-tt.cosine) > 1e-12 {
			t.Errorf("Cosine(%d) = %v, want %v", tt.d, got, tt.cosine)
		}
	}
}

// SumAll is Sum of each feature, for all lengths, and for any bytes around the feature.
func TestSumAllEqualsSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for round := range 300 {
		text := make([]byte, 200, 200+16)
		for i := range text[:cap(text)] {
			text[:cap(text)][i] = byte(rng.Uint32())
		}
		var spans [][2]int
		for lo := 0; lo < len(text); {
			hi := min(len(text), lo+rng.IntN(40))
			spans = append(spans, [2]int{lo, hi})
			lo = hi + rng.IntN(3)
		}
		for _, h := range []Hash{Murmur3, FNV1a, MD5} {
			got := h.SumAll([]uint64{99}, text, spans)
			if got[0] != 99 || len(got) != 1+len(spans) {
				t.Fatalf("%v: SumAll lost what dst held, or features", h)
			}
			for i, s := range spans {
				if want := h.Sum(text[s[0]:s[1]]); got[1+i] != want {
					t.Fatalf("round %d, %v of %d bytes: got %x, want %x", round, h, s[1]-s[0], got[1+i], want)
				}
			}
		}
	}
}

func TestNamesAndWidths(t *testing.T) {
	for _, h := range []Hash{Murmur3, FNV1a, MD5} {
		var got Hash
		if err := got.UnmarshalText([]byte(h.String())); err != nil || got != h {
			t.Errorf("%q = %v, %v", h.String(), got, err)
		}
	}
	for _, w := range []Weighting{TF, LogTF, TFIDF, Set} {
		var got Weighting
		if err := got.UnmarshalText([]byte(w.String())); err != nil || got != w {
			t.Errorf("%q = %v, %v", w.String(), got, err)
		}
	}
	if err := new(Weighting).UnmarshalText([]byte("idf")); err == nil || !strings.Contains(err.Error(), "tf, log-tf, tfidf, set") {
		t.Errorf("an unknown name: %v", err)
	}
	if err := new(Hash).UnmarshalText([]byte("sha1")); err == nil || !strings.Contains(err.Error(), "murmur3, fnv1a, md5") {
		t.Errorf("an unknown name: %v", err)
	}
	if CheckBits(64) != nil || CheckBits(32) != nil || CheckBits(16) == nil {
		t.Error("CheckBits wants 64 or 32")
	}
}

func TestNoAllocations(t *testing.T) {
	hashes := make([]uint64, 100)
	word := []byte("fingerprint")
	n := testing.AllocsPerRun(100, func() {
		hashes[0] = Murmur3.Sum(word) + FNV1a.Sum(word) + MD5.Sum(word)
		hashes[1], _ = Unit(hashes, 64)
	})
	if n != 0 {
		t.Errorf("hashing and fingerprinting allocate %v times", n)
	}
}

func BenchmarkHash(b *testing.B) {
	words := strings.Fields("quick brown fox fingerprint of near-duplicates jumped over international")
	for _, h := range []Hash{Murmur3, FNV1a, MD5} {
		b.Run("hash="+h.String(), func(b *testing.B) {
			var sum uint64
			i := 0
			for b.Loop() {
				sum += h.Sum([]byte(words[i%len(words)]))
				i++
			}
			_ = sum
		})
	}
}

func BenchmarkSimHash(b *testing.B) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{10, 100, 1000, 10000} {
		hashes := make([]uint64, n)
		for i := range hashes {
			hashes[i] = rng.Uint64()
		}
		for _, way := range []string{"unit", "sums"} {
			b.Run(fmt.Sprintf("features=%d/way=%s", n, way), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if way == "unit" {
						Unit(hashes, 64)
						continue
					}
					var sums Sums
					for _, h := range hashes {
						sums.Add(h, 1)
					}
					sums.Fingerprint(64)
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfeatures/s")
			})
		}
	}
}

func ExampleUnit() {
	var hashes []uint64
	for word := range strings.FieldsSeq("quick brown fox jumps lazy dog") {
		hashes = append(hashes, Murmur3.Sum([]byte(word)))
	}
	fp, ok := Unit(hashes, 64)
	fmt.Println(Format(fp, 64), ok)
	// Output:
	// 5abf969df17af7dd true
}
