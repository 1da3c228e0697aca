package service

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"simsearch/internal/testkit"
)

// atLength is what make torture gives.
var atLength = flag.Bool("length", false, "a million texts, and 200 kills")

// childVariable names the directory that a child process of the test serves.
const childVariable = "SIMSEARCH_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := serveChild(dir, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A call is what the parent asks the child for, and a reply what it answers.
type call struct {
	N   int            `json:"n"`
	Key string         `json:"key"`
	RS  []CheckRequest `json:"rs"`
}

type reply struct {
	N       int           `json:"n"`
	Answers []CheckAnswer `json:"answers"`
	Error   string        `json:"error"`
}

// serveChild answers each line as soon as it can.
func serveChild(dir string, in io.Reader, out io.Writer) error {
	s, err := Open(Options{Data: dir})
	if err != nil {
		return err
	}
	if _, _, err := s.Create(context.Background(), "c", nil); err != nil {
		return err
	}
	var mu sync.Mutex
	lines := json.NewEncoder(out)
	var wg sync.WaitGroup
	calls := json.NewDecoder(bufio.NewReader(in))
	for {
		var c call
		if err := calls.Decode(&c); err != nil {
			wg.Wait()
			return errors.Join(s.Close(), ignore(err, io.EOF))
		}
		wg.Go(func() {
			r := reply{N: c.N}
			var err error
			if r.Answers, err = s.CheckAndAdd(context.Background(), "c", c.Key, c.RS); err != nil {
				r.Error = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			_ = lines.Encode(r)
		})
	}
}

func ignore(err, class error) error {
	if errors.Is(err, class) {
		return nil
	}
	return err
}

// A child is a process that serves, and is killed and started again.
type child struct {
	t   *testing.T
	dir string

	mu      sync.Mutex
	cmd     *exec.Cmd
	in      io.WriteCloser
	waiting map[int]chan *reply // nil is sent if the process was killed
	next    int
}

func (c *child) start() {
	c.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+c.dir)
	cmd.Stderr = os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	c.cmd, c.in, c.waiting = cmd, in, map[int]chan *reply{}
	mine := c.waiting
	c.mu.Unlock()
	go func() {
		replies := json.NewDecoder(bufio.NewReader(out))
		for {
			r := &reply{}
			err := replies.Decode(r)
			c.mu.Lock()
			if err != nil {
				for n, waiting := range mine {
					waiting <- nil
					delete(mine, n)
				}
				if c.cmd == cmd {
					c.in = nil
				}
				c.mu.Unlock()
				return
			}
			if waiting := mine[r.N]; waiting != nil {
				waiting <- r
				delete(mine, r.N)
			}
			c.mu.Unlock()
		}
	}()
}

func (c *child) kill() {
	c.mu.Lock()
	cmd := c.cmd
	c.mu.Unlock()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// ask asks until there is an answer. again says that an earlier try was not answered.
func (c *child) ask(key string, rs []CheckRequest) (answers []CheckAnswer, again bool, err error) {
	for ; ; again = true {
		reply := make(chan *reply, 1)
		c.mu.Lock()
		if c.in == nil {
			c.mu.Unlock()
			time.Sleep(time.Millisecond)
			continue
		}
		c.next++
		line, _ := json.Marshal(call{c.next, key, rs})
		c.waiting[c.next] = reply
		_, err := c.in.Write(append(line, '\n'))
		if err != nil {
			delete(c.waiting, c.next)
		}
		c.mu.Unlock()
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		if r := <-reply; r != nil {
			if r.Error != "" {
				return nil, again, errors.New(r.Error)
			}
			return r.Answers, again, nil
		}
	}
}

// However often the process is killed, of each group of near texts exactly one is there, and everything that was acknowledged is there.
// With keys, exactly one is said to be new, and keys get the answers that they got before.
func TestKilled(t *testing.T) {
	for _, keys := range []bool{false, true} {
		t.Run(fmt.Sprintf("keys=%v", keys), func(t *testing.T) {
			t.Parallel()
			testKilled(t, keys)
		})
	}
}

func testKilled(t *testing.T, keys bool) {
	const clients = 64
	texts, kills, batch := testkit.Of(6_000, 100_000), testkit.Of(6, 40), testkit.Of(5, 50)
	if *atLength {
		texts, kills = 1_000_000, 200
	}
	words := testkit.NewWords(1)
	some := make([]string, 20_000)
	for i := range some {
		some[i] = words.Text(4)
	}
	groups := texts * 7 / 10
	textOf := func(group, copied int) string { // 30 % are near another one
		r := rand.New(rand.NewPCG(uint64(group), 1))
		text := ""
		for range 12 {
			text += some[r.IntN(len(some))] + " "
		}
		return fmt.Sprint(text, " copy", copied)
	}
	c := &child{t: t, dir: t.TempDir()}
	c.start()
	var answered atomic.Int64
	type acked struct {
		key     string
		rs      []CheckRequest
		answers []CheckAnswer
	}
	var mu sync.Mutex
	newIn := map[int][]string{} // the ids that were said to be new, by group
	matches := map[string]int{} // documents that were named as near, and the group of what they are near to
	var kept []acked
	order := rand.New(rand.NewPCG(2, 2)).Perm(texts)
	var at atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for {
				from := int(at.Add(int64(batch))) - batch
				if from >= texts {
					return
				}
				var rs []CheckRequest
				var of []int
				for _, n := range order[from:min(texts, from+batch)] {
					group := n % groups
					rs = append(rs, CheckRequest{Document: doc(fmt.Sprintf("%d-%d", group, n/groups), textOf(group, n/groups))})
					of = append(of, group)
				}
				key := ""
				if keys {
					key = fmt.Sprint("key", from)
				}
				answers, again, err := c.ask(key, rs)
				if err != nil {
					t.Error(err)
					return
				}
				answered.Add(int64(len(rs)))
				mu.Lock()
				for i, a := range answers {
					switch {
					case a.Error != nil:
						t.Errorf("%s: %v", a.ID, a.Error)
					case a.New:
						newIn[of[i]] = append(newIn[of[i]], a.ID)
					case a.Match.ID == a.ID && !again:
						t.Errorf("%s is near itself, and was sent once", a.ID)
					default:
						matches[a.Match.ID] = of[i]
					}
				}
				if key != "" && len(kept) < 200 {
					kept = append(kept, acked{key, rs, answers})
				}
				mu.Unlock()
			}
		})
	}
	killed := 0
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	for running := true; running; {
		next := int64(texts) * int64(killed+1) / int64(kills+1)
		select {
		case <-done:
			running = false
		case <-time.After(2 * time.Millisecond):
			if killed < kills && answered.Load() >= next {
				c.kill()
				killed++
				c.start()
			}
		}
	}
	c.kill()
	c.start()
	for _, k := range kept {
		answers, _, err := c.ask(k.key, k.rs)
		was, _ := json.Marshal(k.answers)
		is, _ := json.Marshal(answers)
		if err != nil || string(was) != string(is) {
			t.Fatalf("%s: %s, %v, was %s", k.key, is, err, was)
		}
	}
	c.kill()
	s := open(t, Options{Data: c.dir})
	there := map[int][]string{}
	for group := range groups {
		for copied := range (texts-1)/groups + 1 {
			id := fmt.Sprintf("%d-%d", group, copied)
			if _, err := s.Document(t.Context(), "c", id); err == nil {
				there[group] = append(there[group], id)
			}
		}
		if len(there[group]) != 1 || len(newIn[group]) > 1 || keys && len(newIn[group]) == 0 ||
			len(newIn[group]) == 1 && newIn[group][0] != there[group][0] {
			t.Fatalf("of group %d, %q are there, and %q were said to be new", group, there[group], newIn[group])
		}
	}
	for id, group := range matches {
		if !slices.Contains(there[group], id) {
			t.Errorf("%s was said to be near group %d, and is not there", id, group)
		}
	}
	t.Logf("%d texts, %d groups, %d kills, %d groups without an answer that said new", texts, groups, killed, groups-len(newIn))
}
