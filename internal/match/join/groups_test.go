package join

import (
	"context"
	"errors"
	"testing"
)

// A group of very many distinct documents is Measured by a part of its pairs, and says so.
func TestLargeGroupsAreEstimated(t *testing.T) {
	t.Parallel()
	n, compared := 3*Measured, 0
	some, err := Comparisons(t.Context(), n, 7, Measured, func(a, b int) error { compared++; return nil })
	if err != nil || !some || compared < n || compared > Measured*Measured {
		t.Errorf("%d comparisons, %v, %v", compared, some, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Comparisons(ctx, 10, 0, Measured, func(a, b int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if some, _ := Comparisons(t.Context(), Measured, 0, Measured, func(a, b int) error { return nil }); some {
		t.Error("all pairs are some")
	}
	for _, tt := range []struct{ groups, size, want int }{{10, 100, Measured}, {9, 5000, Measured}, {100, 5000, Measured}, {400, 5000, Measured / 2}, {1e6, 1000, Measured / 64}, {1, 1e6, Measured}} {
		got := MeasuredOf(func(yield func(int) bool) {
			for range tt.groups {
				if !yield(tt.size) {
					return
				}
			}
		})
		if got != tt.want {
			t.Errorf("of %d groups of %d documents, %d are compared, want %d", tt.groups, tt.size, got, tt.want)
		}
	}
}
