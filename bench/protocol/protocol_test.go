package main

import (
	"math"
	"strings"
	"testing"

	"simsearch/internal/quality/truth"
)

// Six records counted by hand: three duplicates, two of which a run finds; a pair, which it finds;
// and one record without duplicates and without finds.
func TestScoreCORE(t *testing.T) {
	duplicates := [][]uint32{{1, 2}, {0, 2}, {0, 1}, {4}, {3}, nil}
	predicted := [][]uint32{{1}, {0}, nil, {4}, {3}, nil}
	got := ScoreCORE(duplicates, predicted)
	if want := (CoreScore{TruePositives: 2, FalsePositives: 2, TrueNegatives: 1, FalseNegatives: 1, Exact: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// A prediction of more than the duplicates is a true positive, but not an exact one.
	got = ScoreCORE([][]uint32{{1}, {0}, nil}, [][]uint32{{1, 2}, {0, 2}, {0, 1}})
	if want := (CoreScore{TruePositives: 2, FalsePositives: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Two partitions of six things, counted by hand. Of 15 pairs, 4 are together in a, 3 in b, and 2 in
// both. By chance, 4·3/15 = 0.8 would be together in both, and the maximum is 3.5. The index is (2
// − 0.8) / (3.5 − 0.8).
func TestAdjustedRandIndex(t *testing.T) {
	a, b := []uint32{1, 1, 1, 2, 2, 3}, []uint32{1, 1, 2, 2, 3, 3}
	for _, tt := range []struct {
		a, b []uint32
		want float64
	}{
		{a, a, 1}, {b, b, 1}, {[]uint32{1, 2, 3}, []uint32{3, 1, 2}, 1}, {[]uint32{1, 1}, []uint32{1, 2}, 0}, {nil, nil, 1},
		{a, b, (1 - 0.8) / (3.5 - 0.8)}, {a, []uint32{1, 1, 1, 2, 3, 4}, (3 - 4*3/15.0) / (3.5 - 4*3/15.0)},
	} {
		if got := AdjustedRandIndex(tt.a, tt.b); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v and %v: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestCOREProtocol(t *testing.T) {
	const text = "a study of the growth of barley under dry conditions in the northern hills over ten years"
	records, err := ReadCORE(strings.NewReader(
		`{"core_id": "1", "processed_title": "Barley", "processed_abstract": "` + text + `", "labelled_duplicates": ["2"]}
{"core_id": 2, "title": "BARLEY:", "abstract": "` + text + `!", "labelled_duplicates": [1]}
{"core_id": "3", "title": "Wheat", "abstract": "nothing in common with others here", "labelled_duplicates": []}`))
	if err != nil || len(records) != 3 || records[1].ID != "2" || records[1].Duplicates[0] != "1" {
		t.Fatalf("%+v, %v", records, err)
	}
	r, err := CORE(t.Context(), records, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Sections[0].Tables[0].Rows {
		if accuracy := row[6].(truth.Rate); accuracy.Share != 1 || row[5] != 1.0 {
			t.Errorf("%v", row)
		}
	}
	for lines, want := range map[string]string{"": "no records", "{": "line 1", `{"core_id": 1}`: "line 1: want core_id and labelled_duplicates"} {
		if _, err := ReadCORE(strings.NewReader(lines)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

func TestNewsCopyProtocol(t *testing.T) {
	texts := []string{"one two three four five six seven", "one two three four five six eight", "quite another thing altogether, this"}
	l, err := truth.ReadLabels(strings.NewReader(`{"cluster": ["0", "1"]}`), func(id string) (uint32, bool) { return uint32(id[0] - '0'), true }, truth.MaxLabels)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewsCopy(t.Context(), texts, l, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Sections[0].Tables[0].Rows
	if rows[0][1] != 1.0 || rows[2][1] != 1.0 || rows[len(rows)-1][1] != 0.0 {
		t.Errorf("%v", rows)
	}
}
