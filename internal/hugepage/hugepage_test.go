package hugepage

import "testing"

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, worthwhile/8 - 1, worthwhile / 8, worthwhile/8 + 12345, 4 * worthwhile / 8} {
		s := Make[uint64](n)
		if len(s) != n {
			t.Fatalf("%d integers, want %d", len(s), n)
		}
		for i := range s {
			if s[i] != 0 {
				t.Fatalf("n = %d: integer %d is %d", n, i, s[i])
			}
			s[i] = uint64(i)
		}
	}
	if s := Make[uint32](worthwhile); len(s) != worthwhile {
		t.Errorf("%d integers, want %d", len(s), worthwhile)
	}
}
