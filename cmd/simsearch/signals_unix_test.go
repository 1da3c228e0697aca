//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"simsearch/internal/tests/testkit"
)

// wait waits for the end of a program and returns its status. The status is -1 if a signal killed
// the program.
func wait(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	patience := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer patience.Stop()
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// The built program is told to end in the middle of a long read. It ends with status 130 and leaves
// nothing behind.
func TestSignals(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(fmt.Sprint(signal), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "idx")
			cmd := exec.Command("simsearch", "index", "--index", dir, "--format", "lines", "-")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			in, err := cmd.StdinPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			// This is more than a pipe holds: when it is written, most of it has been read.
			if _, err := io.WriteString(in, strings.Repeat("some line of text\n", 1<<16)); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if status := wait(t, cmd); status != statusInterrupted {
				t.Errorf("status %d, want %d", status, statusInterrupted)
			}
			if got := stderr.String(); got != "simsearch: interrupted\n" {
				t.Errorf("stderr %q", got)
			}
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("an index was left: %v", err)
			}
		})
	}
}

// The built program ends in the middle of an evaluation, by a signal that it can act on or not. It leaves no
// temporary file.
func TestKilledEvalLeavesNothing(t *testing.T) {
	testkit.Long(t, "a report is killed at several moments")
	var texts strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&texts, "some line of text with %d and %d\n", i/3, i*i)
	}
	input := write(t, filepath.Join(t.TempDir(), "lines.txt"), texts.String())
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}
	if !signal.Ignored(syscall.SIGHUP) { // as it is by nohup, for the program too
		signals = append(signals, syscall.SIGHUP)
	}
	for _, sent := range signals {
		for _, indexed := range []bool{false, true} {
			t.Run(fmt.Sprint(sent, indexed), func(t *testing.T) {
				t.Parallel()
				temp := t.TempDir()
				cmd := exec.Command("simsearch", "eval", "--format", "lines", "--experiment", "all", input)
				cmd.Env = append(os.Environ(), "TMPDIR="+temp)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				pause := 100 * time.Millisecond // it need not be more than begun
				if indexed {
					pause = time.Second // it works on experiments, which take several
				}
				if testkit.Race {
					pause += 2 * time.Second
				}
				time.Sleep(pause)
				if err := cmd.Process.Signal(sent); err != nil {
					t.Fatal(err)
				}
				want := []int{-1} // killed
				if sent != syscall.SIGKILL && indexed {
					want = []int{statusInterrupted}
				} else if sent != syscall.SIGKILL {
					want = append(want, statusInterrupted) // or killed, before it listens
				}
				if status := wait(t, cmd); !slices.Contains(want, status) {
					t.Errorf("status %d", status)
				}
				if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
					t.Errorf("%v is left, %v", left, err)
				}
			})
		}
	}
}

// The built program ends normally when its output is no longer read.
func TestClosedPipe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	list := filepath.Join(t.TempDir(), "list")
	must(t, "index", "--index", dir, "--quiet", "--format", "fingerprints", write(t, list, strings.Repeat("00000000000000ff\n", 1000)))
	cmd := exec.Command("simsearch", "pairs", "--quiet", "--index", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if status := wait(t, cmd); status != statusDone || stderr.Len() > 0 {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
}
