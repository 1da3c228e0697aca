package join

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/spill"
)

// neighbours holds the groups near each group, in memory or in a temporary file that is mapped.
type neighbours struct {
	// Few groups of a large collection have neighbours. If j of them come before group i, which has some, the
	// neighbours of i, other than i, are list[starts[j]:starts[j+1]].
	some   ints.NumberedSet
	starts []uint64
	list   []uint32

	n     uint64
	most  uint64      // the number of neighbours of the group that has the most
	added []byte      // the last neighbours, which spool does not have
	spool spill.Bytes // of neighbours, each in 4 bytes as the machine has them
}

// neighbourBytes is how many bytes of neighbours are added to the spool at a time.
const neighbourBytes = 1 << 18

// newNeighbours returns neighbours of a number of groups, none yet. hold is how many are held in memory before a file
// is used; 0 is no limit.
func newNeighbours(fsys disk.FS, groups, hold int) neighbours {
	most := 4 * hold
	if hold == 0 {
		most = 1 << 62
	}
	return neighbours{some: ints.NewNumberedSet(groups), spool: spill.NewBytes(fsys, "", most)}
}

// add adds b as a neighbour of a. a must not be less than in earlier calls.
func (ns *neighbours) add(a, b uint32) error {
	if ns.some.Add(a) {
		ns.starts = append(ns.starts, ns.n)
	}
	ns.n++
	ns.most = max(ns.most, ns.n-ns.starts[len(ns.starts)-1])
	if ns.added = binary.NativeEndian.AppendUint32(ns.added, b); len(ns.added) < neighbourBytes {
		return nil
	}
	err := ns.flush()
	ns.added = make([]byte, 0, neighbourBytes)
	return err
}

func (ns *neighbours) flush() error {
	ns.spool.Add(ns.added)
	if err := ns.spool.Flush(); err != nil {
		return fmt.Errorf("spilling to disk, as memory is limited: %w", err)
	}
	return nil
}

// finish ends the adding. After it, of and any may be called.
func (ns *neighbours) finish() error {
	ns.starts = append(ns.starts, ns.n)
	ns.some.Index()
	if err := ns.flush(); err != nil {
		return err
	}
	data, err := ns.spool.Map()
	if err == nil {
		ns.list = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
	}
	return err
}

// any reports whether group g has neighbours.
func (ns *neighbours) any(g uint32) bool { return ns.some.Has(g) }

// of returns the neighbours of group g.
func (ns *neighbours) of(g uint32) []uint32 {
	j, ok := ns.some.Number(g)
	if !ok {
		return nil
	}
	return ns.list[ns.starts[j]:ns.starts[j+1]]
}

// close removes the file, if there is one.
func (ns *neighbours) close() error {
	err := ns.spool.Close()
	*ns = neighbours{}
	return err
}
