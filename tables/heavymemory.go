package tables

import "sync/atomic"

// MinHeavyBudget is the least budget, in bytes, of the tables of heavy runs where SetHeavyBudget has
// not been called: the budget is then this or twice Tables.Bytes, whichever is greater.
const MinHeavyBudget = 256 << 20

// A heavyMemory counts the bytes of the tables of heavy runs, and of the heavy runs of these.
type heavyMemory struct {
	used, budget atomic.Int64
}

// fits reports whether the budget leaves room for so many bytes.
func (m *heavyMemory) fits(bytes int64) bool { return m.used.Load()+bytes <= m.budget.Load() }

// reserve counts bytes as used and reports true, unless they exceed the budget.
func (m *heavyMemory) reserve(bytes int64) bool {
	if m.used.Add(bytes) > m.budget.Load() {
		m.used.Add(-bytes)
		return false
	}
	return true
}

// release undoes reserve.
func (m *heavyMemory) release(bytes int64) { m.used.Add(-bytes) }

// SetHeavyBudget sets how many bytes of memory the tables of heavy runs may take together. Near and
// NearBatch make such tables for a header that very many values share, when queries have met it so
// often that comparing its values has cost as much. Where the budget leaves no room they go on
// comparing: the answers are the same. Tables that there are already stay. A budget of 0 or less
// allows none.
//
// While tables of n values are made, 16 n bytes more are in use. It is safe for concurrent use.
func (t *Tables) SetHeavyBudget(bytes int64) { t.memory.budget.Store(bytes) }

// HeavyBytes returns how many bytes of memory the tables of heavy runs take. Bytes does not include
// them. It is safe for concurrent use.
func (t *Tables) HeavyBytes() int64 { return t.memory.used.Load() }
