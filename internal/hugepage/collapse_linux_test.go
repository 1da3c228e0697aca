package hugepage

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// mapping returns what /proc/self/smaps says of the memory of s: how many kB of it are huge pages,
// and its flags.
func mapping(t testing.TB, s []uint64) (huge int, flags string) {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("the maps of this process cannot be read: ", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	from, to := uintptr(unsafe.Pointer(&s[0])), uintptr(unsafe.Pointer(&s[len(s)-1]))
	inside := false
	for lines.Scan() {
		var lo, hi uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &lo, &hi); n == 2 {
			inside = lo <= to && hi > from
			continue
		}
		if !inside {
			continue
		}
		var kB int
		if n, _ := fmt.Sscanf(lines.Text(), "AnonHugePages: %d kB", &kB); n == 1 {
			huge += kB
		}
		if f, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok {
			flags += f + " "
		}
	}
	return huge, flags
}

// The memory of a slice goes back to Go's heap as it came: no mark is left on it for whatever lies
// there later.
func TestNoMarkIsLeft(t *testing.T) {
	s := Make[uint64](16 * size / 8)
	huge, flags := mapping(t, s)
	if flags == "" {
		t.Fatal("the memory of the slice is not found")
	}
	for _, mark := range []string{"hg", "nh"} {
		if strings.Contains(flags, " "+mark+" ") {
			t.Errorf("the memory is marked %s: %s", mark, flags)
		}
	}
	t.Logf("%d kB of huge pages", huge)
}

// Random reads of 256 MB, by the way the memory was made.
func BenchmarkReads(b *testing.B) {
	const n = 32 << 20
	for name, make := range map[string]func(int) []uint64{
		"make": func(n int) []uint64 { return make([]uint64, n) }, "hugepage": Make[uint64],
	} {
		b.Run("by="+name, func(b *testing.B) {
			s := make(n)
			for i := range s {
				s[i] = uint64(i)
			}
			huge, _ := mapping(b, s)
			r, sum := rand.NewPCG(1, 2), uint64(0)
			for b.Loop() {
				sum += s[r.Uint64()%n]
			}
			b.ReportMetric(float64(huge)/1024, "MB-huge")
			if sum == 0 {
				b.Fatal("nothing was read")
			}
		})
	}
}
