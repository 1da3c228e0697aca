package lsh

import (
	"slices"
	"testing"
)

// The example of bands: of the documents whose first band of four rows holds 1360, 2310, 1360 and 2131,
// exactly the first and the third are candidates. Twenty positions are five bands of four. The other bands
// of these documents agree nowhere; that of document 1 and the next band of document 3 are equal, which is
// no match.
func TestGoldenBands(t *testing.T) {
	t.Parallel()
	const positions = 20
	b := Bands{positions / 4, 4}
	if b.Bands != 5 {
		t.Fatalf("%v", b)
	}
	first := [][]byte{{1, 3, 6, 0}, {2, 3, 1, 0}, {1, 3, 6, 0}, {2, 1, 3, 1}}
	s := NewSignatures(positions, len(first))
	for doc, band := range first {
		signature := slices.Clone(band)
		for len(signature) < positions {
			signature = append(signature, byte(10+50*doc+len(signature)))
		}
		if doc == 3 {
			copy(signature[4:], first[1])
		}
		s.Add(signature)
	}
	if got := pairs(t, s, b, 0.5, PairOptions{Threads: 1}, all); !slices.Equal(got, []uint64{0<<32 | 2}) {
		t.Errorf("pairs %x, want documents 0 and 2", got)
	}
	tables := build(s, b)
	for doc, want := range [][]uint32{{0, 2}, {1}, {0, 2}, {3}} {
		if got := tables.Candidates(nil, s.Of(uint32(doc)), b); !slices.Equal(got, want) {
			t.Errorf("candidates of %d: %v, want %v", doc, got, want)
		}
	}
}

// Figure 3.7 of Mining of Massive Datasets: signatures of twelve values are four bands of three. The second and the
// fourth of the documents have 0, 2, 1 in the first band, and are the only candidates. The last ones agree on as many
// values, but not on those of a band, and no document agrees with another on the other bands.
func TestGoldenTwelveValues(t *testing.T) {
	t.Parallel()
	b := Bands{4, 3}
	documents := [][]byte{{1, 3, 0}, {0, 2, 1}, {0, 1, 3}, {0, 2, 1}, {2, 2, 1}}
	s := NewSignatures(12, len(documents))
	for doc, band := range documents {
		signature := slices.Clone(band)
		for len(signature) < 12 {
			signature = append(signature, byte(10+50*doc+len(signature)))
		}
		if doc == 4 { // as the third, in one value of each other band
			signature[3], signature[7], signature[11] = 10+50*2+3, 10+50*2+7, 10+50*2+11
		}
		s.Add(signature)
	}
	if got := pairs(t, s, b, 0.01, PairOptions{Threads: 1}, all); !slices.Equal(got, []uint64{1<<32 | 3}) {
		t.Errorf("pairs %x, want the second and the fourth", got)
	}
	tables := build(s, b)
	for doc, want := range [][]uint32{{0}, {1, 3}, {2}, {1, 3}, {4}} {
		if got := tables.Candidates(nil, s.Of(uint32(doc)), b); !slices.Equal(got, want) {
			t.Errorf("candidates of %d: %v, want %v", doc, got, want)
		}
	}
}
