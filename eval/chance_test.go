package eval

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"simsearch/internal/truth"
)

// related returns fingerprints whose bits depend on each other, as those of texts of one language do: each has a share of its
// bits from one of some topics.
func related(r *rand.Rand, n int) (values []uint64) {
	var topics [40]uint64
	for i := range topics {
		topics[i] = r.Uint64()
	}
	for range n {
		from := r.Uint64() & r.Uint64() // a quarter of the bits
		values = append(values, topics[r.IntN(len(topics))]&from|r.Uint64()&^from)
	}
	return values
}

// The bound on pairs by chance is not below their number, and near pairs are told from them.
func TestPairsByChance(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	values := related(r, 3000)
	at := make([]int, farthest+1)
	count := func() {
		clear(at)
		for i, x := range values {
			for _, y := range values[:i] {
				if d := bits.OnesCount64(x ^ y); d <= farthest {
					at[d]++
				}
			}
		}
	}
	count()
	chances := append([]int(nil), at...)
	if by, ok := truth.ByChance(at); ok {
		t.Errorf("unrelated fingerprints are not taken for chance within %d bits: %+v", by.K, by)
	}
	const planted = 500
	for i := range planted {
		x := values[i]
		for _, b := range r.Perm(64)[:i%4] {
			x ^= 1 << b
		}
		values = append(values, x)
	}
	count()
	by, ok := truth.ByChance(at)
	within := 0
	for _, n := range chances[:by.K+1] {
		within += n
	}
	if !ok || by.K < 3 || by.Found < planted || float64(within) > by.Most+1 {
		t.Errorf("%+v, %v, with %d unrelated pairs", by, ok, within)
	}
	for _, tt := range []struct {
		at   []int
		k    int
		most float64
		ok   bool
	}{
		{[]int{50, 0, 0, 0, 0, 0, 0}, 0, 0, true},
		{[]int{50, 0, 7, 0, 0, 0, 0}, 2, 0, true},
		{[]int{50, 1, 1, 2, 4, 8, 16}, 2, 36. / (24 - 6), true},
		{[]int{3, 1, 1, 2, 2, 9, 9}, 2, 16. / (18 - 4), false},
		{[]int{1, 2, 4, 8, 16, 32}, 0, 0, false},
		{[]int{1, 9, 9, 1, 1}, 0, 0, false},
	} {
		by, ok := truth.ByChance(tt.at)
		if ok != tt.ok || by.Found > 0 && (by.K != tt.k || by.Most != tt.most) {
			t.Errorf("%v: %+v, %v, want k = %d with %v by chance, %v", tt.at, by, ok, tt.k, tt.most, tt.ok)
		}
	}
}

// A verdict on ready-made fingerprints goes by labels or, without them, says how many pairs may be there by chance.
func TestVerdictOnFingerprints(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 9))
	values := related(r, 300)
	var labels bytes.Buffer
	for i := range 150 {
		values = append(values, values[i]^1<<(i%64))
		fmt.Fprintf(&labels, `{"a": "f%d", "b": "f%d"}`+"\n", i, 300+i)
	}
	verdict := func(values []uint64, bits int, labels string) string {
		c, err := Load(t.Context(), fingerprints(values), readyMade(bits))
		if err != nil {
			t.Fatal(err)
		}
		if labels != "" {
			if err := c.Judge(strings.NewReader(labels)); err != nil {
				t.Fatal(err)
			}
		}
		experiments, err := FindExperiments([]string{"distances"}, true)
		if err != nil {
			t.Fatal(err)
		}
		report, err := Run(t.Context(), c, experiments, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := report.Verdict
		return strings.Join(append(append(v.Commands, v.Text...), v.Notes...), "\n")
	}
	halves := make([]uint64, len(values))
	for i, x := range values {
		halves[i] = x & (1<<32 - 1)
	}
	for _, tt := range []struct {
		name, got string
		want      []string
	}{
		{"labels", verdict(values, 64, labels.String()), []string{
			"--format fingerprints INPUT\n", "pairs --index idx --k ", "Search fingerprints for a distance of at most ", "It finds 150 of the 150 pairs that are near in truth", "a label that says so", "By the distances alone, of the 150 pairs within ",
		}},
		{"no labels", verdict(values, 64, ""), []string{"index --index idx --format fingerprints INPUT\n", "150 pairs are within it, 0 of them of equal fingerprints.\n", "hardly any is there by chance", "(--truth)"}},
		{"32 bits", verdict(halves, 32, ""), []string{"index --index idx --bits 32 --format fingerprints INPUT\n", "simsearch pairs --index idx --k "}},
		{"none", verdict(values[:2], 64, ""), []string{"No two of these fingerprints are within 16 bits"}},
		{"chance", verdict(related(r, 2000), 64, ""), []string{"At each distance up to 12 bits, more than 10 % of the pairs may be there by chance", "support no recommendation", " of them of equal fingerprints."}},
	} {
		for _, want := range tt.want {
			if !strings.Contains(tt.got, want) {
				t.Errorf("%s: %q is not in\n%s", tt.name, want, tt.got)
			}
		}
	}
}
