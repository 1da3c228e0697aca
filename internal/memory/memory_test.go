package memory

import "testing"

func TestDefault(t *testing.T) {
	m, ok := machine()
	if n := Default(); n <= 0 || ok && n > max(least, m.total/2) {
		t.Errorf("%d bytes of %+v", n, m)
	}
	if Or(5) != 5 || Or(0) != Default() {
		t.Error("Or replaces what is asked for")
	}
}
