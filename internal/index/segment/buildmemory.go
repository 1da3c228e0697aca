package segment

// What Builder.Write takes at most of what it is given, in bytes, with what Add has kept. All was measured.
const (
	perDocument = 120 // hashes of ids and their order, groups, places
	perSet      = 240 // its digest, the hash table of digests, where it ends, its order by size
	perFeature  = 1   // of a set: sorting first features, at a similarity of 0.8
	perShared   = 60  // a feature of the vocabulary
)

// A load is what a segment is made of.
type load struct {
	documents, idBytes, sets, features, shared uint64
	positions                                  int
}

// bytes returns about how much memory it takes to write the segment, beside what a Builder holds of features and
// texts, and what counting features takes, which are bounded.
func (l load) bytes() int64 {
	return int64(perDocument*l.documents + l.idBytes + (perSet+2*uint64(l.positions))*l.sets + perFeature*l.features + perShared*l.shared)
}

// Memory returns about how many bytes of memory it takes to write the documents that have been added, beside what is
// bounded: what NewBuilder is told to hold, and WriteOptions.SetMemory.
func (b *Builder) Memory() int64 {
	bytes := b.load().bytes()
	if b.mayStream() {
		bytes = min(bytes, b.streamed())
	}
	return bytes
}

// load returns what the segment is made of.
func (b *Builder) load() load {
	s := &b.sets
	return load{uint64(b.Len()), b.ids.Bytes(), uint64(s.drafts.Len()), s.drafts.Features(), s.shared.estimate(), b.layout.Positions}
}

// A sharedCounter estimates how many features two sets or more have, by one of sharedEvery.
type sharedCounter struct {
	several map[uint64]bool // whether a feature came again
	shared  uint64
}

// sharedEvery is a power of two.
const sharedEvery = 1 << 10

func (c *sharedCounter) add(features []uint64) {
	for _, f := range features {
		if f%sharedEvery != 0 {
			continue
		}
		if c.several == nil {
			c.several = map[uint64]bool{}
		}
		again, known := c.several[f]
		if c.several[f] = known; known && !again {
			c.shared++
		}
	}
}

func (c *sharedCounter) estimate() uint64 { return c.shared * sharedEvery }
