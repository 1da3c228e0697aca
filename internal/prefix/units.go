package prefix

import (
	"encoding/binary"
	"errors"
	"io"

	"simsearch/internal/section"
	"simsearch/internal/spill"
)

// Units are a list of numbers of 16 bits. With a disk, all but the last ones are in a temporary file.
type units struct {
	held  []uint16
	spool spill.Bytes // of those before
	moved int         // how many these are
}

// heldUnits is how many numbers move to the spool at a time.
const heldUnits = 1 << 18

func (u *units) len() int { return u.moved + len(u.held) }

// flush moves numbers to the spool if they are many. After an error nothing is lost.
func (u *units) flush() error {
	if len(u.held) < heldUnits || !u.spool.Spills() {
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
	_, err := io.Copy(w, u.spool.Reader())
	w.Uint16s(u.held)
	return err
}

// close removes the temporary files of b, if there are any.
func (b *builder) close() error {
	return errors.Join(b.first.Close(), b.inverter.features.spool.Close(), b.lists.spool.Close())
}
