package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process is a server and the processes that it has started.
type process struct {
	cmd     *exec.Cmd
	address string
}

// start starts a server, which prints its address when it is ready.
func start(name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...)}
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("%s did not start: %w", strings.Join(p.cmd.Args, " "), err)
	}
	p.address = strings.Trim(strings.TrimPrefix(strings.TrimSpace(line), "http://"), "/")
	for range 100 {
		conn, err := net.Dial("tcp", p.address)
		if err == nil {
			return p, conn.Close()
		}
		time.Sleep(100 * time.Millisecond)
	}
	p.stop()
	return nil, fmt.Errorf("%s does not answer", p.address)
}

// stop ends a server, and waits for that.
func (p *process) stop() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.cmd.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	}
}

// family returns a process and those that descend from it.
func family(pid int) []int {
	all := []int{pid}
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range children {
		text, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(text)) {
			if c, err := strconv.Atoi(child); err == nil {
				all = append(all, family(c)...)
			}
		}
	}
	return all
}

// processor returns the seconds of processor time that a server has taken, and the processes of it that have ended.
func processor(pid int) float64 {
	ticks := 0
	for _, p := range family(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		for i := 11; i < 15 && i < len(fields); i++ { // user, system, and both of children that have ended
			n, _ := strconv.Atoi(fields[i])
			ticks += n
		}
	}
	return float64(ticks) / 100
}

// memory returns the bytes that a server has in memory, and those of them that no file holds. What processes share
// counts once.
func memory(pid int) (all, own int64) {
	for _, p := range family(pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p))
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 2 {
				continue
			}
			kb, _ := strconv.ParseInt(fields[1], 10, 64)
			switch fields[0] {
			case "Pss:":
				all += kb << 10
			case "Pss_Anon:", "Pss_Shmem:":
				own += kb << 10
			}
		}
	}
	return all, own
}

// watch samples the memory of a server, without files, until the context ends.
func watch(ctx context.Context, pid int, every time.Duration) (samples func() []int64) {
	return sampled(ctx, every, func() int64 {
		_, own := memory(pid)
		return own
	})
}

// sampled asks for a figure now and then until the context ends. What is 0 is not known, and left out.
func sampled(ctx context.Context, every time.Duration, figure func() int64) (samples func() []int64) {
	var all []int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if n := figure(); n > 0 {
				all = append(all, n)
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(every):
			}
		}
	}()
	return func() []int64 { <-done; return all }
}
