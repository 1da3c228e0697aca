package dedup

// distinctSets are a prefix.Source of the distinct sets.
type distinctSets struct{ *Collection }

func (d distinctSets) Len() int { return len(d.sizes) }

func (d distinctSets) Features() uint64 { return d.features }

func (d distinctSets) Scan(do func(features []uint64) error) error {
	length := func(i int) (int, bool) {
		if i >= len(d.sizes) {
			return 0, false
		}
		return int(d.sizes[i]), true
	}
	return d.sets.Scan(length, func(_ int, features []uint64) error { return do(features) })
}
