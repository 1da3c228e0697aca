package fingerprint_test

import (
	"fmt"

	"simsearch/fingerprint"
)

func Example() {
	word1, word2 := []byte("near"), []byte("duplicate")
	hashes := []uint64{fingerprint.Murmur3.Sum(word1), fingerprint.Murmur3.Sum(word2)}
	fp, ok := fingerprint.Unit(hashes, 64) // ok is false for a document without features
	text := fingerprint.Format(fp, 64)     // 16 hexadecimal digits
	fmt.Println(ok, len(text))
	// Output:
	// true 16
}
