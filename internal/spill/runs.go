package spill

import (
	"encoding/binary"
	"errors"
	"io"

	"simsearch/internal/disk"
)

const (
	keySize = 8  // bytes in a file
	held    = 16 // bytes of memory for a key while it is sorted

	// wantedBuffer is the size of a buffer in bytes that is efficient for disks. A larger buffer than
	// maxBuffer gains nothing.
	wantedBuffer, maxBuffer = 64 << 10, 256 << 10
	// Merging fewer runs than minFanIn at a time would take too many passes. Merging more than maxFanIn
	// would take too long for each key.
	minFanIn, maxFanIn = 4, 256
)

// plan returns the number of runs that are merged at a time, and the size in bytes of their buffers and of
// the buffer of the output. All buffers fit the memory of limit keys.
func plan(limit int) (fanIn, buffer int) {
	memory := held * limit
	fanIn = min(max(minFanIn, memory/wantedBuffer-1), maxFanIn)
	buffer = min(max(keySize, memory/(fanIn+1)), maxBuffer)
	return fanIn, buffer / keySize * keySize
}

// runs are sorted runs of keys, one after another in a file.
type runs struct {
	file   disk.File
	ends   []int64 // run i has the keys [ends[i-1], ends[i])
	n      int64   // keys
	buffer []byte  // keys still to be written
}

func newRuns(f disk.File, buffer int) *runs {
	return &runs{file: f, buffer: make([]byte, 0, buffer)}
}

// add adds a key to the run that is being written.
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

// end ends the run that is being written.
func (r *runs) end() { r.ends = append(r.ends, r.n) }

func (r *runs) flush() error {
	_, err := r.file.Write(r.buffer)
	r.buffer = r.buffer[:0]
	return err
}

// sources returns readers of the runs [lo, hi), each with a buffer of the given number of bytes.
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

// A source yields sorted keys from memory or from a run.
type source struct {
	keys []uint64

	file   *io.SectionReader // nil if the keys are in memory
	left   int64             // the number of keys of the run that have not been read
	buffer []byte
	some   []byte // the bytes of the buffer that have not been used

	next uint64
}

// advance reads the next key into next, and reports whether there was one.
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
		case errors.Is(err, io.EOF): // the file has been truncated
			return false, io.ErrUnexpectedEOF
		case err != nil:
			return false, err
		}
	}
	m.next, m.some = binary.LittleEndian.Uint64(m.some), m.some[keySize:]
	return true, nil
}
