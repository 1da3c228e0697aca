package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 9995: "10.0 kB", 99949: "99.9 kB", 999499: "999 kB",
		999500: "1.00 MB", 4_900_000: "4.90 MB", 1_620_000_000: "1.62 GB", 5e15: "5000 TB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		phase       string
		done, total int64
		want        string
	}{
		{"", 25_000_000, 100_000_000, "indexing: 25% of 100 MB, 2.50 MB/s, 30 s left, 7.00 MB of memory"},
		{"", 25_000_000, 0, "indexing: 25.0 MB, 2.50 MB/s, 7.00 MB of memory"},
		{"", 0, 10, "indexing: 0% of 10 B, 0 B/s, 7.00 MB of memory"},
		{"", 3, -4, "indexing: 75%, 3 s left, 7.00 MB of memory"},
		{"3 groups printed", 4, -4, "indexing: 3 groups printed, 7.00 MB of memory, 10 s"},
		{"building 4 tables", 25_000_000, 25_000_000, "indexing: building 4 tables, 25.0 MB read, 7.00 MB of memory, 10 s"},
	} {
		if got := progressLine("indexing", tt.phase, tt.done, tt.total, 10*time.Second, 7_000_000); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	for d, want := range map[time.Duration]string{30 * time.Second: "30 s", 90 * time.Second: "2 min", 90 * time.Minute: "1.5 h"} {
		if got := Coarse(d); got != want {
			t.Errorf("Coarse(%v) = %s, want %s", d, got, want)
		}
	}
}

func TestBarIsClearedAroundMessages(t *testing.T) {
	var out bytes.Buffer
	m := StartMeter(&out, Bar, "indexing", func() (int64, int64) { return 1, 2 })
	time.Sleep(3 * barInterval / 2)
	m.Print("a message")
	m.Phase("sorting")
	m.show()
	m.Stop()
	got := out.String()
	if !strings.Contains(got, "\rindexing: 50% of 2 B") || !strings.Contains(got, "\ra message\n") || !strings.Contains(got, "sorting") {
		t.Errorf("shown: %q", got)
	}
	if !strings.HasSuffix(got, "\r") {
		t.Errorf("the bar is left on the screen: %q", got)
	}
}

// The bar is shown at the start of the work, before the first interval has passed.
func TestBarIsThereAtOnce(t *testing.T) {
	var out bytes.Buffer
	StartMeter(&out, Bar, "indexing", func() (int64, int64) { return 1, 2 }).Stop()
	if !strings.HasPrefix(out.String(), "\rindexing: 50% of 2 B") {
		t.Errorf("shown: %q", out.String())
	}
}

func TestNoneShowsNothing(t *testing.T) {
	var out bytes.Buffer
	m := StartMeter(&out, NoProgress, "indexing", func() (int64, int64) { return 1, 2 })
	time.Sleep(3 * barInterval / 2)
	m.Stop()
	if out.Len() > 0 {
		t.Errorf("shown: %q", out.String())
	}
}

// A log says once that all of a work is done, however long what follows takes.
func TestLogSaysOnceThatAllIsDone(t *testing.T) {
	var out bytes.Buffer
	m := StartMeter(&out, Log, "reading", nil)
	defer m.Stop()
	for _, next := range []string{"comparing", "writing"} {
		for done := range 4 {
			m.Parts(min(done, 2), 2)
			m.show()
		}
		m.Next(next)
	}
	if got := out.String(); strings.Count(got, "\n") != 6 || strings.Count(got, "100%") != 2 || strings.Count(got, "comparing: 100%") != 1 {
		t.Errorf("shown:\n%s", got)
	}
}
