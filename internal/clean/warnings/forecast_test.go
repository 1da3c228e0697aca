package warnings

import (
	"strings"
	"testing"
	"time"
)

// Of rows, it is what the program took for uniform ones: 2.8 s and 490 MB for 10,000,000, 24 s and 2.4 GB for ten
// times as many, and 320 s and 5.3 GB for a hundred times as many.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		rows       int
		read, took time.Duration
		memory     float64
	}{{1e7, 290 * time.Millisecond, 2800 * time.Millisecond, 0.49e9}, {1e8, 2700 * time.Millisecond, 24 * time.Second, 2.41e9}, {1e9, 27 * time.Second, 320 * time.Second, 5.3e9}} {
		r := Reading{Bytes: 8 * int64(c.rows), Read: 8 * int64(c.rows), Written: 8 * int64(c.rows), Documents: c.rows, Fingerprints: true, Rows: true, Took: c.read, Memory: 11.5e9}
		e := r.Estimate()
		if t1, m := e.Time.Seconds()/c.took.Seconds(), float64(e.Memory)/c.memory; t1 < 0.75 || t1 > 1.25 || m < 0.75 || m > 1.25 || e.Disk < r.Written {
			t.Errorf("%d rows: %v, %.2f and %.2f times as much", c.rows, e, t1, m)
		}
	}
}

// Documents are told with two digits.
func TestDocuments(t *testing.T) {
	r := Reading{Bytes: 1 << 30, Read: 1 << 26, Documents: 1000, Features: 1 << 20, Took: time.Second, Memory: 1 << 30}
	if e := r.Estimate().String(); !strings.HasPrefix(e, "16,000 documents: ") {
		t.Error(e)
	}
}
