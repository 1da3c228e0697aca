package join

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"unsafe"

	"simsearch/internal/disk"
)

// neighbours holds the groups near each group, in memory or in a temporary file that is mapped.
type neighbours struct {
	fs   disk.FS
	hold int // how many are held in memory before the file is used; 0 is no limit

	// Few groups of a large collection have neighbours. some has a bit for each group that does, and before the number of
	// these before each word of some. If j of them come before group i, the neighbours of i, other than i, are
	// list[starts[j]:starts[j+1]].
	some   []uint64
	before []uint32
	starts []uint64
	list   []uint32

	n    uint64
	most uint64 // the number of neighbours of the group that has the most
	file disk.File
	w    *bufio.Writer
	m    *disk.Mapped
}

// add adds b as a neighbour of a. a must not be less than in earlier calls.
func (ns *neighbours) add(a, b uint32) error {
	for len(ns.some) <= int(a>>6) {
		ns.some = append(ns.some, 0)
	}
	if word, bit := &ns.some[a>>6], uint64(1)<<(a&63); *word&bit == 0 {
		*word |= bit
		ns.starts = append(ns.starts, ns.n)
	}
	ns.n++
	ns.most = max(ns.most, ns.n-ns.starts[len(ns.starts)-1])
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

// finish ends the adding for a number of groups. After it, of and any may be called.
func (ns *neighbours) finish(groups int) error {
	ns.starts = append(ns.starts, ns.n)
	for len(ns.some) < (groups+63)/64 {
		ns.some = append(ns.some, 0)
	}
	ns.before = make([]uint32, len(ns.some))
	n := 0
	for i, word := range ns.some {
		ns.before[i] = uint32(n)
		n += bits.OnesCount64(word)
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

// any reports whether group g has neighbours.
func (ns *neighbours) any(g uint32) bool { return ns.some[g>>6]>>(g&63)&1 != 0 }

// of returns the neighbours of group g.
func (ns *neighbours) of(g uint32) []uint32 {
	word := ns.some[g>>6]
	if word>>(g&63)&1 == 0 {
		return nil
	}
	j := ns.before[g>>6] + uint32(bits.OnesCount64(word&(1<<(g&63)-1)))
	return ns.list[ns.starts[j]:ns.starts[j+1]]
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
