package join

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"simsearch/internal/disk"
	"simsearch/internal/mmap"
)

// neighbours holds the groups near each group, in memory or in a temporary file that is mapped.
type neighbours struct {
	fs   disk.FS
	hold int // how many are held in memory before the file is used; 0 is no limit

	// The neighbours of group i, other than i, are list[ends[i-1]:ends[i]].
	ends []uint64
	list []uint32

	n    uint64
	file disk.File
	w    *bufio.Writer
	m    *mmap.File
}

// add adds b as a neighbour of a. a must not be less than in earlier calls.
func (ns *neighbours) add(a, b uint32) error {
	for len(ns.ends) <= int(a) {
		ns.ends = append(ns.ends, ns.n)
	}
	ns.n++
	ns.ends[a] = ns.n
	if ns.file == nil && (ns.hold == 0 || len(ns.list) < ns.hold) {
		ns.list = append(ns.list, b)
		return nil
	}
	if ns.file == nil {
		f, err := ns.fs.CreateTemp("")
		if err != nil {
			return fmt.Errorf("spilling to disk, as memory is limited: %w", err)
		}
		ns.file, ns.w = f, bufio.NewWriterSize(f, 1<<20)
		for _, x := range ns.list {
			if err := ns.write(x); err != nil {
				return err
			}
		}
		ns.list = nil
	}
	return ns.write(b)
}

func (ns *neighbours) write(x uint32) error {
	var b [4]byte
	binary.NativeEndian.PutUint32(b[:], x)
	_, err := ns.w.Write(b[:])
	return err
}

// finish ends the adding for a number of groups. After it, of may be called.
func (ns *neighbours) finish(groups int) error {
	for len(ns.ends) < groups {
		ns.ends = append(ns.ends, ns.n)
	}
	if ns.file == nil {
		return nil
	}
	if err := ns.w.Flush(); err != nil {
		return err
	}
	var err error
	if ns.m, err = ns.file.Map(); err != nil {
		return err
	}
	data := ns.m.Data()
	ns.list = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
	return nil
}

// of returns the neighbours of group g.
func (ns *neighbours) of(g uint32) []uint32 {
	var from uint64
	if g > 0 {
		from = ns.ends[g-1]
	}
	return ns.list[from:ns.ends[g]]
}

// close removes the file, if there is one.
func (ns *neighbours) close() error {
	ns.list = nil
	var err error
	if ns.m != nil {
		err = ns.m.Close()
	}
	if ns.file != nil {
		err = errors.Join(err, ns.file.Close())
	}
	return err
}
