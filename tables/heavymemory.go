package tables

import "sync/atomic"

// minHeavyBudget is part of the default budget of the tables of heavy runs, in bytes. The default is
// minHeavyBudget or twice Tables.Bytes, whichever is greater.
const minHeavyBudget = 256 << 20

// A heavyMemory counts the bytes of the tables of heavy runs, and of the heavy runs of these.
type heavyMemory struct {
	used, budget atomic.Int64
}

// fits reports whether the budget leaves room for the given number of bytes.
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

// SetHeavyBudget sets the number of bytes that the tables of all heavy runs may take. A heavy run is
// that of a header which more than 4096 values share. Near and NearBatch make tables of such a run
// when comparing it has cost about as much as making them. If the budget leaves no room for them, they
// go on comparing, with the same answers. A budget of 0 or less allows no tables. Tables made before
// are kept.
//
// The budget does not include the 16 n bytes that are in use while tables of n values are made.
// SetHeavyBudget is safe for concurrent use.
func (t *Tables) SetHeavyBudget(bytes int64) { t.memory.budget.Store(bytes) }

// HeavyBytes returns the number of bytes that the tables of heavy runs take. They are not part of
// Bytes. It is safe for concurrent use.
func (t *Tables) HeavyBytes() int64 { return t.memory.used.Load() }
