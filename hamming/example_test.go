package hamming_test

import (
	"fmt"

	"simsearch/hamming"
)

func Example() {
	fingerprints, query := []uint64{0b1011, 0xffff}, uint64(0b0010)
	d := hamming.Distance(0b1011, 0b0010) // 2
	near := hamming.Scan(nil, fingerprints, query, 3)
	fmt.Println(d, near)
	// Output:
	// 2 [{0 2}]
}
