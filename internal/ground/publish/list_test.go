package publish

import (
	"testing"
	"testing/fstest"
	"time"
)

// A file is taken for what was written, without a look at its contents, if another change before the list would have
// given it another time.
func TestIsAsWritten(t *testing.T) {
	listed := time.Unix(1000, 500_000_000)
	for _, c := range []struct {
		what    string
		written time.Time
		now     time.Time
		bytes   int
		want    bool
	}{
		{"long before", time.Unix(900, 1), time.Unix(900, 1), 3, true},
		{"of another time", time.Unix(900, 1), time.Unix(900, 2), 3, false},
		{"of another size", time.Unix(900, 1), time.Unix(900, 1), 4, false},
		{"parts of a second, a tenth before", listed.Add(-100 * time.Millisecond), listed.Add(-100 * time.Millisecond), 3, true},
		{"parts of a second, a hundredth before", listed.Add(-10 * time.Millisecond), listed.Add(-10 * time.Millisecond), 3, false},
		{"whole seconds, as FAT has them, a second before", time.Unix(999, 0), time.Unix(999, 0), 3, false},
		{"whole seconds, three before", time.Unix(997, 0), time.Unix(997, 0), 3, true},
	} {
		l := &list{time: listed.UnixNano()}
		files := fstest.MapFS{"a": {Data: make([]byte, c.bytes), ModTime: c.now}}
		info, err := files.Stat("a")
		if err != nil {
			t.Fatal(err)
		}
		if got := l.isAsWritten(entry{Name: "a", Bytes: 3, Time: c.written.UnixNano()}, info); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
