package main

import (
	"bytes"
	integers "encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"simsearch/internal/tests/testkit"
)

// The processes of plan, scatter and join hold what --memory says, and a fifth more at most, and a part that a memory
// does not hold is told of.
func TestStepsKeepToTheirMemory(t *testing.T) {
	testkit.Long(t, "a collection that memory does not hold")
	if testkit.Race {
		t.Skip("the race detector has memory of its own")
	}
	const memory = 128 << 20
	const n = 3_000_000
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 7))
	data := make([]byte, 0, 8*n)
	for i := range n {
		one := r.Uint64()
		if i%100 == 99 { // near one before
			one = integers.LittleEndian.Uint64(data[8*r.IntN(i):]) ^ 1<<r.IntN(64) ^ 1<<r.IntN(64)
		}
		data = integers.LittleEndian.AppendUint64(data, one)
	}
	if err := os.WriteFile(filepath.Join(dir, "prints.u64"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	step := func(name string, args ...string) (peak int64) {
		cmd := exec.Command("simsearch", append([]string{"step", name, "--quiet", "--threads", "1"}, args...)...)
		printed.Reset()
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &printed, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { ended <- cmd.Wait() }()
		// The peak that is known when it has ended has that of this process in it, from before the program began.
		for {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("step %s: %v", name, err)
				}
				return peak
			case <-time.After(time.Millisecond):
				status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
				if _, line, ok := strings.Cut(string(status), "VmHWM:"); ok {
					var kilobytes int64
					_, _ = fmt.Sscan(line, &kilobytes)
					peak = max(peak, kilobytes<<10)
				}
			}
		}
	}
	bounded := func(name string, args ...string) {
		peak := step(name, append(args, fmt.Sprintf("--memory=%d", memory))...)
		if t.Logf("step %s of %d fingerprints: %d MB", name, n, peak>>20); peak == 0 || peak > memory+memory/5 {
			t.Errorf("step %s held %d bytes, of %d", name, peak, memory)
		}
	}
	step("sketch", "--k", "3", "--out", "sketch", "prints.u64")
	bounded("plan", "--parts", "1", "--in", "sketch", "--out", "plan") // as large parts as there can be
	parts, err := strconv.Atoi(strings.TrimSpace(printed.String()))
	if err != nil || parts < 2 {
		t.Fatalf("a plan of %d parts: %v", parts, err)
	}
	bounded("scatter", "--in", "plan", "--in", "sketch", "--out", "scattered")
	size := 0
	for part := range parts {
		bounded("join", "--in", "plan", "--in", "scattered", "--part", strconv.Itoa(part+1), "--out", "pairs")
		found, err := os.ReadFile(filepath.Join(dir, "pairs"))
		if err != nil {
			t.Fatal(err)
		}
		size += len(found)
	}
	if size < n/100*23 {
		t.Errorf("%d bytes of pairs of %d near ones", size, n/100)
	}
	// What the memory does not hold is said in a line.
	step("plan", "--parts", "1", "--in", "sketch", "--out", "large")
	step("scatter", "--in", "large", "--in", "sketch", "--out", "scattered")
	told, err := exec.Command("simsearch", "step", "join", "--in", filepath.Join(dir, "large"), "--in", filepath.Join(dir, "scattered"), "--part", "1",
		"--out", filepath.Join(dir, "few"), fmt.Sprintf("--memory=%d", memory)).CombinedOutput()
	if err == nil || !strings.Contains(string(told), "are too few: give more, or make the plan with the same --memory") {
		t.Errorf("%v: %s", err, told)
	}
}
