//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// watch is killed again and again while it answers a stream. Whatever it has answered is in the index, and the next
// watch goes on. SIMSEARCH_KILLS says how many times.
func TestWatchIsKilled(t *testing.T) {
	t.Parallel()
	kills := 8
	if n, err := strconv.Atoi(os.Getenv("SIMSEARCH_KILLS")); err == nil {
		kills = n
	}
	dir := filepath.Join(t.TempDir(), "idx")
	rng := rand.New(rand.NewPCG(1, 2))
	answered := map[string]bool{}
	next := 0
	for n := range kills {
		cmd := exec.Command("simsearch", "watch", "--index", dir, "--quiet", "--format", "jsonl", "-")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func(from int) {
			for i := from; ; i++ {
				if _, err := fmt.Fprintf(in, "{\"id\": \"d%d\", \"text\": \"the words of document number %d are these %d\"}\n", i, i, i*i); err != nil {
					return // it was killed
				}
			}
		}(next)
		// Half of the kills come while it opens the index, the others after the first answer.
		kill := func() { _ = cmd.Process.Kill() }
		after := time.Duration(rng.IntN(400)) * time.Millisecond
		early := n%2 == 0
		var stop *time.Timer
		if early {
			stop = time.AfterFunc(20*time.Millisecond+after, kill)
		}
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if err != nil { // what has no end was not answered
				if err != io.EOF && !strings.Contains(err.Error(), "closed") {
					t.Fatal(err)
				}
				break
			}
			if stop == nil {
				stop = time.AfterFunc(after, kill)
			}
			id, _, _ := strings.Cut(line, "\t")
			answered[id] = true
			if n, err := strconv.Atoi(strings.TrimPrefix(id, "d")); err == nil && n >= next {
				next = n + 1
			}
		}
		if stop != nil {
			stop.Stop()
		}
		if err := cmd.Wait(); stop == nil {
			t.Fatalf("watch ended by itself: %v", err)
		}
	}
	if len(answered) == 0 {
		t.Fatal("nothing was answered")
	}
	ids := map[string]bool{}
	for line := range strings.Lines(must(t, "export", "--index", dir, "--as", "fingerprints")) {
		id, _, _ := strings.Cut(line, "\t")
		if ids[id] {
			t.Errorf("%s is there twice", id)
		}
		ids[id] = true
	}
	for id := range answered {
		if !ids[id] {
			t.Errorf("%s was answered, and is lost", id)
		}
	}
	must(t, "verify", "--index", dir, "--quiet")
}
