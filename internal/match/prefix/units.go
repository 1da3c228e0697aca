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
	held  []uint16
	spool spill.Bytes // of those before
	moved int         // how many these are
	most  int         // how many move at a time; 0 if there is no disk
}

// heldUnits is how many numbers of each list move to the disk at a time.
const heldUnits = 1 << 20

func newUnits(o *Options) (u units) {
	if o.Disk != nil {
		u = units{spool: spill.NewBytes(o.Disk, o.Dir, 0), most: max(1, min(heldUnits, o.hold()))}
	}
	return u
}

func (u *units) len() int { return u.moved + len(u.held) }

// flush moves the numbers to the disk if they are many.
func (u *units) flush() error {
	if u.most == 0 || len(u.held) < u.most {
		return nil
	}
	b := make([]byte, 0, 2*len(u.held))
	for _, x := range u.held {
		b = binary.LittleEndian.AppendUint16(b, x)
	}
	u.spool.Add(b)
	u.moved, u.held = u.moved+len(u.held), u.held[:0]
	return u.spool.Flush()
}

// write writes all of them into the open section of w, which keeps the errors of writing.
func (u *units) write(w *section.Writer) error {
	n, err := io.Copy(w, u.spool.Reader())
	if err == nil && n < 2*int64(u.moved) {
		err = spill.ErrCut
	}
	w.Uint16s(u.held)
	return err
}

// close removes the temporary files of b, if there are any.
func (b *builder) close() error {
	return errors.Join(b.first.Close(), b.inverter.features.spool.Close(), b.lists.spool.Close())
}
