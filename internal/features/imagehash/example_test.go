package imagehash_test

import (
	"fmt"
	"os"

	"simsearch/internal/features/imagehash"
)

func Example() {
	data, err := os.ReadFile("testdata/colour.png")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := imagehash.Decode(data, imagehash.MaxPixels) // a PNG, JPEG, GIF or WebP file
	if err != nil {
		fmt.Println(err)
		return
	}
	hash, ok := imagehash.Usual.Of(p)
	fmt.Printf("%016x %v\n", hash, ok)
	// Output: 8073176698af9ee4 true
}
