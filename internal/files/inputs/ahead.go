package inputs

import (
	"io"
	"sync"

	"github.com/klauspost/readahead"
)

// aheadParts is how many buffers of BufferSize are read ahead, on a goroutine of its own, so that a file is
// decompressed while what was read of it is worked on.
const aheadParts = 3

// aheadFrom is the size in bytes of the smallest file that is worth a goroutine.
const aheadFrom = 64 << 10

// aheadBuffers have the memory of streams that have been closed. The next one uses it again.
var aheadBuffers = sync.Pool{New: func() any {
	buffers := make([][]byte, aheadParts)
	for i := range buffers {
		buffers[i] = make([]byte, BufferSize)
	}
	return &buffers
}}

// newAhead begins to read. end must be called. It waits for the Read that has begun.
func newAhead(from io.Reader) (ahead io.Reader, end func() error) {
	buffers := aheadBuffers.Get().(*[][]byte)
	r, _ := readahead.NewReaderBuffer(from, *buffers) // buffers of one size are no error
	return r, func() error {
		err := r.Close()
		aheadBuffers.Put(buffers)
		return err
	}
}
