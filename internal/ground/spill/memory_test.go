package spill

import "testing"

func TestDefault(t *testing.T) {
	m, ok := machine()
	if n := DefaultMemory(); n <= 0 || ok && n > max(least, m.total/2) {
		t.Errorf("%d bytes of %+v", n, m)
	}
	if MemoryOr(5) != 5 || MemoryOr(0) != DefaultMemory() {
		t.Error("MemoryOr replaces what is asked for")
	}
}
