package lsh

import "simsearch/internal/ints"

// Check returns an error if the tables break a rule of docs/FORMAT.md that checksums do not tell: keys ascend, each
// band has each set once, sets of one key ascend, and directories lead to the keys. All bytes must have passed their
// checksums. The error is section.ErrCorrupt. It takes a bit a set.
func (t *Tables) Check() error {
	for i := range t.tables {
		if err := t.tables[i].check(t.n); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) check(n int) error {
	seen := ints.NewNumberedSet(n)
	at := 0
	for slot := range t.dir.Len() - 1 {
		lo, hi, ok := t.dir.Entries(slot, slot, n)
		if !ok || lo != at {
			return t.dirGuard.Corruptf(4*slot, "slot %#x leads to entries [%d, %d) of %d, behind %d", slot, lo, hi, n, at)
		}
		for ; at < hi; at++ {
			key, set := t.keys.All[at], t.sets.All[at]
			if t.dir.Slot(key) != slot || at > 0 && key < t.keys.All[at-1] {
				return t.keys.Corruptf(uint64(at), "key %d is %#x, not in order", at, key)
			}
			if int(set) >= n || !seen.Add(set) || at > 0 && key == t.keys.All[at-1] && set <= t.sets.All[at-1] {
				return t.sets.Corruptf(uint64(at), "set %d is not in order", set)
			}
		}
	}
	if at != n {
		return t.sets.Corruptf(uint64(at), "%d of %d sets are in the directory", at, n)
	}
	return nil
}
