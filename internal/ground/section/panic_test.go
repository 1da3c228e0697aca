package section

import (
	"errors"
	"testing"

	"simsearch/internal/ground/disk"
)

// A panic of damage is an error of what is around it, and any other panic goes on.
func TestDamageIsReturned(t *testing.T) {
	t.Parallel()
	damage := corruptf("numbers", 64, "wrong")
	other := errors.New("no damage")
	for name, around := range map[string]func(do func()) error{
		"DamageOf": DamageOf,
		"Guarded":  func(do func()) error { return disk.Guarded(func() error { do(); return nil }) },
	} {
		if err := around(func() {}); err != nil {
			t.Errorf("%s: %v of nothing", name, err)
		}
		if err := around(func() { panic(damage) }); !errors.Is(err, damage) {
			t.Errorf("%s: %v, want %v", name, err, damage)
		}
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, other) {
					t.Errorf("%s: the panic is %v, want %v", name, err, other)
				}
			}()
			err := around(func() { panic(other) })
			t.Errorf("%s: another panic ends in %v", name, err)
		}()
	}
}
