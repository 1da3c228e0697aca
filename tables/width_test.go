package tables

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/ground/section"
)

// All functions refuse fingerprints that are wider than the tables, whether they would look up headers
// or scan, and before they answer anything.
func TestFingerprintsThatAreTooWide(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	const width = 32
	values := collections(rng, width, 3000)["planted"]
	tb := Build(values, Choose(width, len(values), 3, 0).Design)
	empty := Build(nil, Choose(width, 0, 3, 0).Design)
	for _, wide := range []uint64{1 << width, 1<<63 | values[0], ^uint64(0)} {
		for _, k := range []int{-1, 0, 3, 8, 31, 32, 64} {
			for name, tb := range map[string]*Tables{"tables": tb, "no values": empty} {
				if got, err := tb.Near(make([]hamming.Match, 1), wide, k); !errors.Is(err, ErrWidth) || len(got) != 1 {
					t.Errorf("%s, near %#x, k = %d: %v", name, wide, k, err)
				}
				err := tb.NearBatch([]uint64{values[0], wide}, k, func(int, []hamming.Match) error { return errors.New("answered") })
				if !errors.Is(err, ErrWidth) {
					t.Errorf("%s, a batch with %#x, k = %d: %v", name, wide, k, err)
				}
			}
			err := Pairs(t.Context(), append(values[:10:10], wide), width, k, PairOptions{Threads: 2}, func(Pair) error { return nil })
			if !errors.Is(err, ErrWidth) {
				t.Errorf("pairs with %#x, k = %d: %v", wide, k, err)
			}
		}
		var out bytes.Buffer
		if err := WriteParts(t.Context(), section.NewWriter(&out), append(values[:10:10], wide), tb.Design(), WriteOptions{Threads: 1}); !errors.Is(err, ErrWidth) {
			t.Errorf("write with %#x: %v", wide, err)
		}
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !errors.Is(err, ErrWidth) {
					t.Errorf("build with %#x: %v", wide, err)
				}
			}()
			Build(append(values[:10:10], wide), tb.Design())
		}()
	}
	// The widest fingerprints that fit are answered.
	for _, q := range []uint64{1<<width - 1, 0} {
		got, err := tb.Near(nil, q, 8)
		if w := want(values, q, 8); err != nil || fmt.Sprint(got) != fmt.Sprint(w) {
			t.Errorf("near %#x: %v, %v, want %v", q, got, err, w)
		}
	}
}
