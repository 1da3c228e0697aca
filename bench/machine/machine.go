// Package machine says what the programs that measure have in common: on what they run, and what a process takes.
package machine

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"simsearch/hamming"
)

// Line returns the line that a page has on the machine, on what was built there, and when.
func Line() string {
	return fmt.Sprintf("Machine: %s, %d processors, %s %s/%s, backend %s, commit %s, %s.",
		cpu(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, hamming.Backend(), commit(), time.Now().Format(time.DateOnly))
}

// cpu returns the name of the processor as Linux has it.
func cpu() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
			}
		}
	}
	return "unknown processor"
}

// commit returns the commit that is checked out.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// ProcessorTime returns the seconds of processor time that this process has taken.
func ProcessorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// A Sample is what a process takes.
type Sample struct {
	Wall, Processor time.Duration
	Memory          int64 // bytes, at the most, with pages of mapped files
	Anonymous       int64 // bytes, at the most, without them, as seen every few milliseconds
}

// anonymousOf returns the bytes of memory of a process that are no pages of files, or 0 if it has ended.
func anonymousOf(pid int) (bytes int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if _, line, ok := strings.Cut(string(status), "RssAnon:"); ok {
		_, _ = fmt.Sscan(line, &bytes)
	}
	return bytes << 10
}

// Process runs a process, whose messages it passes on.
func Process(name string, args ...string) (s Sample, err error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	return Run(cmd)
}

// Run runs a process that has not begun.
func Run(cmd *exec.Cmd) (s Sample, err error) {
	// Until it has begun, a process counts the memory of this one, and the most that this one had.
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // Linux then forgets the most
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return s, fmt.Errorf("%s: %w", cmd.Path, err)
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	anonymous, is := int64(0), error(nil)
	for running := true; running; {
		select {
		case is = <-ended:
			running = false
		case <-time.After(5 * time.Millisecond):
			anonymous = max(anonymous, anonymousOf(cmd.Process.Pid))
		}
	}
	if is != nil {
		return s, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), is)
	}
	s = Sample{Wall: time.Since(begin), Processor: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), Anonymous: anonymous}
	s.Memory = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return s, nil
}
