package disk

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestFree(t *testing.T) {
	dir := t.TempDir()
	bytes, ok := Free(dir)
	if ok != (bytes > 0) || !ok && (runtime.GOOS == "linux" || runtime.GOOS == "windows") {
		t.Errorf("%d bytes, %v", bytes, ok)
	}
	if _, deep := Free(filepath.Join(dir, "a", "b")); deep != ok {
		t.Errorf("%v of a directory that is to be made, want %v", deep, ok)
	}
}
