package wal

import (
	"errors"
	"runtime"
	"testing"

	"simsearch/internal/ground/section"
)

// Whatever a file has, reading it ends with records or with an error of damage, and takes little memory.
func FuzzRead(f *testing.F) {
	log, ends := example(f, 2, 1, 3)
	f.Add(log)
	f.Add(stale(log))
	f.Add(log[:ends[1]])
	f.Add([]byte(magic))
	f.Add(append(log[:ends[3]:ends[3]], make([]byte, 1000)...))
	f.Fuzz(func(t *testing.T, log []byte) {
		fsys := put(t, log)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		bytes := 0
		end, err := Read(fsys, "log", 7, func(p []byte) error { bytes += len(p); return nil })
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<10+2*uint64(len(log)) {
			t.Errorf("%d bytes of memory for a log of %d", took, len(log))
		}
		if err != nil && !errors.Is(err, section.ErrCorrupt) && !errors.Is(err, section.ErrVersion) {
			t.Errorf("%v", err)
		}
		if end > int64(len(log)) || int64(bytes) > end {
			t.Errorf("%d bytes of records to %d of %d", bytes, end, len(log))
		}
		if err != nil {
			return
		}
		// A log that is read is read again, to the same end, without what is behind.
		if again, err := Read(put(t, log[:max(end, recordsAt)]), "log", 7, func([]byte) error { return nil }); again != end || err != nil {
			t.Errorf("read to %d, then to %d, %v", end, again, err)
		}
	})
}
