package tables_test

import (
	"fmt"

	"simsearch/tables"
)

func ExampleWide() {
	query, threads := []uint64{0xf0f0, 0, 1, 2}, 1
	values := []uint64{ // two fingerprints
		0xf0f0, 0, 1, 3,
		0xffff, 1, 2, 3,
	}

	t := tables.BuildWide(values, 256, threads) // sorted and distinct, four words each
	found := t.Near(nil, query, 3, nil)
	for _, m := range found {
		fmt.Printf("fingerprint %d, %d bits differ\n", m.Index, m.Distance)
	}
	// Output:
	// fingerprint 0, 1 bits differ
}
