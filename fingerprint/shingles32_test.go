package fingerprint

import "testing"

// Shingles as integers of 32 bits, as Mining of Massive Datasets (section 3.2.3) has them: of n shingles, about
// n²/2³³ pairs share an integer. Of the first 200,000 shingles of five letters, eight pairs do, where 4.7 are
// expected. Sets have hashes of 64 bits, which none of them share.
func TestShinglesAsIntegers(t *testing.T) {
	t.Parallel()
	const n = 200_000
	of32, of64 := map[uint32]string{}, map[uint64]bool{}
	collisions := map[string]string{}
	shingle := []byte("aaaaa")
	for range n {
		h := CharGram(shingle)
		if other, ok := of32[uint32(h)]; ok {
			collisions[other] = string(shingle)
		}
		of32[uint32(h)], of64[h] = string(shingle), true
		for i := len(shingle) - 1; ; i-- { // the next one in the order of the alphabet
			if shingle[i]++; shingle[i] <= 'z' {
				break
			}
			shingle[i] = 'a'
		}
	}
	if len(collisions) != 8 || len(of32) != n-8 || len(of64) != n {
		t.Errorf("%d pairs share an integer: %v; %d integers of 32 bits, %d of 64", len(collisions), collisions, len(of32), len(of64))
	}
	// Two texts of one shingle each that share the integer are equal in 32 bits, and far apart in 64.
	if collisions["aarod"] != "abvnn" {
		t.Fatalf("aarod shares its integer with %q, want abvnn", collisions["aarod"])
	}
	for bits, want := range map[int]bool{32: true, 64: false} {
		a, okA := Unit([]uint64{CharGram([]byte("aarod"))}, bits)
		b, okB := Unit([]uint64{CharGram([]byte("abvnn"))}, bits)
		if !okA || !okB || (a == b) != want {
			t.Errorf("fingerprints of %d bits are %x and %x", bits, a, b)
		}
	}
}
