package explain

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"simsearch/fingerprint"
	"simsearch/preprocess"
)

func count(t testing.TB, text string) Features {
	t.Helper()
	a, err := preprocess.New(preprocess.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var doc preprocess.Document
	a.Analyze(&doc, []byte(text))
	return Count(&doc)
}

// byCount weighs features by how often they occur.
var byCount = Weigher{Weight: func(_ string, n int64) (int64, error) { return n, nil }, One: 1}

func TestTruth(t *testing.T) {
	for _, tt := range []struct {
		name, a, b      string
		cosine, jaccard float64
	}{
		{"equal", "one two", "two one", 1, 1},
		{"disjoint", "one", "two", 0, 0},
		{"three of five", "chair desk rug keyboard mouse", "chair rug keyboard", 3 / math.Sqrt(15), 0.6},
		{"weights count for the cosine alone", "a a a b", "a b b b", 6.0 / 10, 1},
		{"one empty", "a", "", 0, 0},
		{"both empty", "", "", 0, 0},
	} {
		a, b := count(t, tt.a), count(t, tt.b)
		if got := Cosine(a, b); math.Abs(got-tt.cosine) > 1e-12 || got != Cosine(b, a) {
			t.Errorf("%s: cosine %v, want %v", tt.name, got, tt.cosine)
		}
		if got := Jaccard(a, b); got != tt.jaccard || got != Jaccard(b, a) {
			t.Errorf("%s: Jaccard %v, want %v", tt.name, got, tt.jaccard)
		}
	}
}

func TestCompare(t *testing.T) {
	a, b := count(t, "red red red green blue sky"), count(t, "red red green green grass")
	c, err := Compare("A", "B", a, b, Options{Weigher: byCount, Hash: fingerprint.Murmur3, Bits: 64, Top: 2})
	if err != nil {
		t.Fatal(err)
	}
	if c.A != (Side{"A", 6, 4, c.A.Fingerprint}) || c.B.Features != 5 || c.B.Distinct != 3 || c.Shared != 2 {
		t.Errorf("sides %+v %+v, %d shared", c.A, c.B, c.Shared)
	}
	if len(c.Differ) != c.Distance || !slices.IsSorted(c.Differ) {
		t.Errorf("distance %d, differing bits %v", c.Distance, c.Differ)
	}
	fpA, _ := fingerprint.Parse(c.A.Fingerprint, 64)
	fpB, _ := fingerprint.Parse(c.B.Fingerprint, 64)
	for _, bit := range c.Differ {
		fpA ^= 1 << bit
	}
	if fpA != fpB {
		t.Error("flipping the differing bits of one fingerprint does not give the other")
	}
	if want := []Weights{{"red", 3, 2}, {"green", 1, 2}}; !slices.Equal(c.Heaviest, want) {
		t.Errorf("heaviest shared %v, want %v", c.Heaviest, want)
	}
	if want := []Weights{{"blue", 1, 0}, {"grass", 0, 1}}; !slices.Equal(c.Differing, want) {
		t.Errorf("heaviest differing %v, want %v", c.Differing, want)
	}
	if c.AInB.Exact != 0.5 || c.BInA.Exact != 2.0/3 || math.Abs(c.AInB.Estimate-0.5) > 0.2 || c.BInA.Estimate < c.AInB.Estimate {
		t.Errorf("containment %+v and %+v", c.AInB, c.BInA)
	}
	if c.Jaccard.Exact != 0.4 || math.Abs(c.Jaccard.Estimate-0.4) > 4*c.JaccardError {
		t.Errorf("Jaccard %+v ± %v", c.Jaccard, c.JaccardError)
	}
}

// The fingerprint of a comparison must be the one that an index stores.
func TestCompareMakesTheSameFingerprint(t *testing.T) {
	text := "some words and some more words"
	var units []uint64
	a, err := preprocess.New(preprocess.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var doc preprocess.Document
	a.Analyze(&doc, []byte(text))
	for i := range doc.Len() {
		units = append(units, fingerprint.MD5.Sum(doc.Feature(i)))
	}
	for _, bits := range []int{32, 64} {
		want, _ := fingerprint.Unit(units, bits)
		f := Count(&doc)
		if c, err := Compare("", "", f, f, Options{Weigher: byCount, Hash: fingerprint.MD5, Bits: bits}); err != nil || c.A.Fingerprint != fingerprint.Format(want, bits) {
			t.Errorf("%d bits: %s, want %s", bits, c.A.Fingerprint, fingerprint.Format(want, bits))
		}
	}
}

func ExampleJaccard() {
	a := Features{"chair": 1, "desk": 1, "rug": 1, "keyboard": 1, "mouse": 1}
	b := Features{"chair": 1, "rug": 1, "keyboard": 1}
	fmt.Println(Jaccard(a, b))
	// Output:
	// 0.6
}
