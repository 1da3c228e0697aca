package disk

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// The holder of a lock may remove its file. Two processes never have the lock, whenever the others open
// and lock the file.
func TestLockOfAFileThatGoes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a locked file cannot be removed")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	var inside, got atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 4000 {
				l, err := OS.Lock(path, "somebody")
				var taken *LockedError
				if errors.As(err, &taken) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two have the lock")
				}
				got.Add(1)
				runtime.Gosched()
				inside.Add(-1) // removing the file gives up the lock
				removed := os.Remove(path)
				if err := errors.Join(removed, l.Close()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got.Load() < 100 {
		t.Errorf("the lock was had %d times: the test tests little", got.Load())
	}
}
