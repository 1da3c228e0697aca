package section

// Damages calls bad with a CorruptError for each damaged part of the sections of f, in the order of the file. Damaged
// blocks that are neighbours in a section are one part. It checks all blocks, even those checked before.
func (f *File) Damages(bad func(error)) {
	for _, e := range f.entries {
		e.guard.damages(bad)
	}
}

func (g *Guard) damages(bad func(error)) {
	blocks := uint64(len(g.sums)) / 4
	for b := uint64(0); b < blocks; b++ {
		err := g.checkBlock(b)
		if err == nil {
			continue
		}
		first := b
		for b+1 < blocks && g.checkBlock(b+1) != nil {
			b++
		}
		if b > first {
			to := min((b+1)<<blockShift, uint64(len(g.bytes)))
			err = corruptf(g.name, g.offset+first<<blockShift, "%d bytes fail the checksums of %d blocks", to-first<<blockShift, b-first+1)
		}
		bad(err)
	}
}
