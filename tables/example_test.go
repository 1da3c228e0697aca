package tables_test

import (
	"fmt"

	"simsearch/tables"
)

func Example() {
	fingerprints, query := []uint64{0x00, 0x01, 0xff}, uint64(0x03) // ascending
	t := tables.Build(fingerprints, tables.Choose(64, len(fingerprints), 3, 0).Design)
	matches, err := t.Near(nil, query, 3)
	fmt.Println(len(matches), err)
	// Output:
	// 2 <nil>
}
