package spill

import (
	"encoding/binary"
	"errors"
	"io"

	"simsearch/internal/disk"
)

const (
	keySize = 8  // bytes in a file
	held    = 16 // bytes that a key takes while it is sorted in memory

	// wantedBuffer is the size of a buffer, in bytes, that disks read and write well; maxBuffer
	// is one beyond which nothing is gained.
	wantedBuffer, maxBuffer = 64 << 10, 256 << 10
	// Merging fewer runs than minFanIn at a time would take too many passes, more than
	// maxFanIn too long a key.
	minFanIn, maxFanIn = 4, 256
)

// plan returns how many runs are merged at a time, and the size in bytes of each of their buffers
// and of the one that is written, so that all of them fit the memory of limit keys.
func plan(limit int) (fanIn, buffer int) {
	memory := held * limit
	fanIn = min(max(minFanIn, memory/wantedBuffer-1), maxFanIn)
	buffer = min(max(keySize, memory/(fanIn+1)), maxBuffer)
	return fanIn, buffer / keySize * keySize
}

// runs are sorted runs of keys, one behind the other in a file.
type runs struct {
	file   disk.File
	ends   []int64 // run i has the keys [ends[i-1], ends[i])
	n      int64   // keys
	buffer []byte  // what is to be written next
}

func newRuns(f disk.File, buffer int) *runs {
	return &runs{file: f, buffer: make([]byte, 0, buffer)}
}

// add adds a key to the run being written.
func (r *runs) add(x uint64) error {
	if len(r.buffer) == cap(r.buffer) {
		if err := r.flush(); err != nil {
			return err
		}
	}
	r.buffer = binary.LittleEndian.AppendUint64(r.buffer, x)
	r.n++
	return nil
}

// end ends the run being written.
func (r *runs) end() { r.ends = append(r.ends, r.n) }

func (r *runs) flush() error {
	_, err := r.file.Write(r.buffer)
	r.buffer = r.buffer[:0]
	return err
}

// sources returns readers of the runs [lo, hi), each with a buffer of so many bytes.
func (r *runs) sources(lo, hi, buffer int) ([]*source, error) {
	if err := r.flush(); err != nil {
		return nil, err
	}
	var out []*source
	for i := lo; i < hi; i++ {
		at := int64(0)
		if i > 0 {
			at = r.ends[i-1]
		}
		out = append(out, &source{
			file:   io.NewSectionReader(r.file, at*keySize, (r.ends[i]-at)*keySize),
			left:   r.ends[i] - at,
			buffer: make([]byte, buffer),
		})
	}
	return out, nil
}

func (r *runs) close() error { return r.file.Close() }

// A source yields sorted keys, from memory or from a run.
type source struct {
	keys []uint64

	file   *io.SectionReader // nil if the keys are in memory
	left   int64             // keys of the run that have not been read
	buffer []byte
	some   []byte // what is left of the buffer

	next uint64
}

// advance sets next and reports whether there was one more key.
func (m *source) advance() (bool, error) {
	if m.file == nil {
		if len(m.keys) == 0 {
			return false, nil
		}
		m.next, m.keys = m.keys[0], m.keys[1:]
		return true, nil
	}
	if len(m.some) == 0 {
		if m.left == 0 {
			return false, nil
		}
		n := min(m.left, int64(len(m.buffer)/keySize))
		m.some, m.left = m.buffer[:n*keySize], m.left-n
		switch _, err := io.ReadFull(m.file, m.some); {
		case errors.Is(err, io.EOF): // the run is shorter than it was
			return false, io.ErrUnexpectedEOF
		case err != nil:
			return false, err
		}
	}
	m.next, m.some = binary.LittleEndian.Uint64(m.some), m.some[keySize:]
	return true, nil
}
