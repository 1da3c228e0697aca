package forecast

import (
	"strings"
	"testing"
	"time"
)

// At a low threshold, an estimate says that it may be more. Fingerprints are compared soon at any distance.
func TestLowThreshold(t *testing.T) {
	for _, c := range []struct {
		threshold    float64
		fingerprints bool
		more         bool
	}{{0.8, false, false}, {0.7, false, false}, {0.6, false, true}, {0.1, true, false}} {
		r := Reading{Bytes: 1 << 30, Read: 1 << 26, Documents: 1000, Features: 1 << 20, Took: time.Second, Memory: 1 << 30, Threshold: c.threshold,
			Fingerprints: c.fingerprints}
		e := r.Estimate()
		if said := strings.Contains(e.String(), " or more, "); e.More != c.more || said != c.more || !strings.Contains(e.String(), "16,000 documents") {
			t.Errorf("%v, fingerprints %v: %v", c.threshold, c.fingerprints, e)
		}
	}
}
