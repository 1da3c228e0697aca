package prefix

import (
	"encoding/binary"
	"errors"
	"io"

	"simsearch/internal/ground/section"
	"simsearch/internal/ground/spill"
)

// Units are a list of numbers of 16 bits. With a disk, all but the last ones are in a temporary file.
type units struct {
	spill.Bytes
	n       int // how many there are
	scratch []byte
}

// heldUnits is about how many bytes of each list are in memory if there is a disk.
const heldUnits = 2 << 20

func newUnits(o *Options) units {
	hold := o.hold()
	if o.Disk != nil {
		hold = min(hold, heldUnits)
	}
	return units{Bytes: spill.NewBytes(o.Disk, o.Dir, hold)}
}

// add appends numbers. The error is that of the temporary file.
func (u *units) add(xs ...uint16) error {
	u.n += len(xs)
	u.scratch = u.scratch[:0]
	for _, x := range xs {
		u.scratch = binary.LittleEndian.AppendUint16(u.scratch, x)
	}
	u.Append(u.scratch)
	return u.Flush()
}

// write writes all of them into the open section of w, which keeps the errors of writing.
func (u *units) write(w *section.Writer) error {
	n, err := io.Copy(w, u.Reader())
	if err == nil && n < 2*int64(u.n) {
		err = spill.ErrCut
	}
	return err
}

// close removes the temporary files of b, if there are any.
func (b *builder) close() error {
	return errors.Join(b.first.Close(), b.features.Close(), b.lists.Close())
}
