package eval

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/quality/truth"
)

// readyMade returns how ready-made fingerprints are loaded.
func readyMade(bits int) LoadOptions {
	s := analysis.Classic()
	s.Bits = bits
	return LoadOptions{Name: "ready-made", Settings: s, Fingerprints: true, Threads: 2}
}

// Figures of ready-made fingerprints are those of counting their pairs.
func TestReadyMadeFingerprints(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 7))
	var values []uint64
	var labels bytes.Buffer
	for i := range 400 {
		x := r.Uint64()
		y := x
		for _, b := range r.Perm(64)[:i%9] {
			y ^= 1 << b
		}
		values = append(values, x, y)
		fmt.Fprintf(&labels, `{"a": "f%d", "b": "f%d"}`+"\n", 2*i, 2*i+1)
	}
	c, err := Load(t.Context(), fingerprints(values), readyMade(64))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Judge(&labels); err != nil {
		t.Fatal(err)
	}
	experiments, err := FindExperiments(nil, true)
	if err != nil || len(experiments) != 1 {
		t.Fatalf("%d experiments, %v", len(experiments), err)
	}
	report, err := Run(t.Context(), c, experiments, nil)
	if err != nil {
		t.Fatal(err)
	}
	within := func(k int) (found, labelled int) {
		for i, x := range values {
			for j := range i {
				if bits.OnesCount64(x^values[j]) > k {
					continue
				}
				found++
				if i%2 == 1 && j == i-1 {
					labelled++
				}
			}
		}
		return found, labelled
	}
	_, all := within(64)
	for _, s := range report.Sections {
		for _, row := range s.Tables[0].Rows {
			if s.Name == "distances" {
				found, labelled := within(row[0].(int))
				if row[1] != found || row[2] != found-labelled || row[3] != all-labelled || row[7].(truth.Rate).Hits != row[3] || row[7].(truth.Rate).Trials != all {
					t.Errorf("k = %v: %v, want %d found and %d labelled", row[0], row, found, labelled)
				}
			}
		}
	}
	if _, err := FindExperiments([]string{"bands"}, true); err == nil || !strings.Contains(err.Error(), "no features") {
		t.Errorf("bands of fingerprints: %v", err)
	}
	if _, err := Load(t.Context(), documents([]string{"text"}), readyMade(64)); !errors.Is(err, ErrNotFingerprint) {
		t.Errorf("a text: %v", err)
	}
	if _, err := Load(t.Context(), fingerprints(nil), readyMade(64)); !errors.Is(err, ErrEmpty) {
		t.Errorf("none: %v", err)
	}
}

func fingerprints(values []uint64) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for i, x := range values {
			if !yield(&document.Document{ID: fmt.Append(nil, "f", i), Fingerprint: x, HasFingerprint: true}, nil) {
				return
			}
		}
	}
}

// A verdict on ready-made fingerprints goes by labels. Without them, there is none.
func TestVerdictOnFingerprints(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 9))
	var values []uint64
	var labels strings.Builder
	for i := range 150 {
		x := r.Uint64() & (1<<32 - 1)
		values = append(values, x, x^1<<(i%32))
		fmt.Fprintf(&labels, `{"a": "f%d", "b": "f%d"}`+"\n", 2*i, 2*i+1)
	}
	for _, tt := range []struct {
		bits   int
		labels string
		want   []string
	}{
		{64, labels.String(), []string{"index --index idx --format fingerprints INPUT\n", "pairs --index idx --k ", "Search fingerprints for a distance of at most ", "It finds 150 of the 150 pairs that are near in truth", "a label that says so"}},
		{32, labels.String(), []string{"index --index idx --bits 32 --format fingerprints INPUT\n", "simsearch pairs --index idx --k "}},
		{64, "", nil},
	} {
		c, err := Load(t.Context(), fingerprints(values), readyMade(tt.bits))
		if err == nil && tt.labels != "" {
			err = c.Judge(strings.NewReader(tt.labels))
		}
		if err != nil {
			t.Fatal(err)
		}
		report, err := Run(t.Context(), c, Experiments()[2:3], nil)
		if err != nil || (report.Verdict == nil) != (tt.want == nil) {
			t.Fatalf("%v, %v", report.Verdict, err)
		}
		for _, want := range tt.want {
			if got := strings.Join(slices.Concat(report.Verdict.Commands, report.Verdict.Text, report.Verdict.Notes), "\n"); !strings.Contains(got, want) {
				t.Errorf("%d bits: %q is not in\n%s", tt.bits, want, got)
			}
		}
	}
}
