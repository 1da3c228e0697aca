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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"simsearch/internal/tests/testkit"
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

// A call is what the parent asks the child for, and a reply what it answers. The client of call Gone goes away.
type call struct {
	N    int            `json:"n"`
	Gone int            `json:"gone"`
	Key  string         `json:"key"`
	RS   []CheckRequest `json:"rs"`
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
	clients := map[int]context.CancelFunc{}
	calls := json.NewDecoder(bufio.NewReader(in))
	for {
		var c call
		if err := calls.Decode(&c); err != nil {
			wg.Wait()
			return errors.Join(s.Close(), ignore(err, io.EOF))
		}
		if gone := clients[c.Gone]; gone != nil {
			gone()
		}
		if c.N == 0 {
			continue
		}
		ctx, gone := context.WithCancel(context.Background())
		clients[c.N] = gone
		wg.Go(func() {
			r := reply{N: c.N}
			var err error
			if r.Answers, err = s.CheckAndAdd(ctx, "c", c.Key, c.RS); err != nil {
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

// send sends a call, and returns where its reply comes; ok is false if there is nobody.
func (c *child) send(key string, rs []CheckRequest) (n int, replies chan *reply, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in == nil {
		return 0, nil, false
	}
	c.next++
	replies = make(chan *reply, 1)
	line, _ := json.Marshal(call{N: c.next, Key: key, RS: rs})
	c.waiting[c.next] = replies
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		delete(c.waiting, c.next)
		return 0, nil, false
	}
	return c.next, replies, true
}

// goAway ends a call without waiting for its reply.
func (c *child) goAway(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, n)
	if c.in != nil {
		line, _ := json.Marshal(call{Gone: n})
		_, _ = c.in.Write(append(line, '\n'))
	}
}

// ask asks until there is an answer. If patience is not 0, the client goes away after that time, and then asks again.
// again says that an earlier try was not answered.
func (c *child) ask(key string, rs []CheckRequest, patience time.Duration) (answers []CheckAnswer, again bool, err error) {
	for ; ; again = true {
		n, replies, ok := c.send(key, rs)
		if !ok {
			time.Sleep(time.Millisecond)
			continue
		}
		var leave <-chan time.Time
		if patience > 0 {
			leave, patience = time.After(patience), 0
		}
		select {
		case <-leave:
			c.goAway(n)
		case r := <-replies:
			switch {
			case r == nil: // killed
			case r.Error != "":
				return nil, again, errors.New(r.Error)
			default:
				return r.Answers, again, nil
			}
		}
	}
}

// A heard is what a test of a service that is killed was told.
type heard struct {
	mu      sync.Mutex
	isNew   map[int][]string // the ids that were said to be new, by group
	lost    map[string]bool  // ids that a request without a key may have added without being told
	matches map[string]int   // documents that were named as near, and the group of what they are near to
	kept    []keyedRequest   // some of those with a key
}

// A keyedRequest is a request with a key, and its answers.
type keyedRequest struct {
	key     string
	rs      []CheckRequest
	answers []CheckAnswer
}

// note notes the answers to a request.
func (of *heard) note(t *testing.T, k keyedRequest, groups []int, again bool) {
	of.mu.Lock()
	defer of.mu.Unlock()
	for i, a := range k.answers {
		switch {
		case a.Error != nil:
			t.Errorf("%s: %v", a.ID, a.Error)
		case a.New:
			of.isNew[groups[i]] = append(of.isNew[groups[i]], a.ID)
		case a.Match.ID == a.ID && !isSentTwice(groups[i]) && !again:
			t.Errorf("%s is near itself, and was sent once", a.ID)
		default:
			of.matches[a.Match.ID] = groups[i]
		}
		of.lost[a.ID] = of.lost[a.ID] || again && k.key == ""
	}
	if k.key != "" && len(of.kept) < 2000 {
		of.kept = append(of.kept, k)
	}
}

// isSentTwice says of a group that its copies are the same document.
func isSentTwice(group int) bool { return group%2 == 0 }

// same fails if a request with a key is answered otherwise than before.
func (k *keyedRequest) same(t *testing.T, c *child) {
	answers, _, err := c.ask(k.key, k.rs, 0)
	was, _ := json.Marshal(k.answers)
	is, _ := json.Marshal(answers)
	if err != nil || string(was) != string(is) {
		t.Errorf("%s: %s, %v, was %s", k.key, is, err, was)
	}
}

// However often the process is killed, and clients go away and ask again, of each group of near texts exactly one is
// there, and everything that was acknowledged is there. Exactly one is said to be new to whoever asks, with a key or
// without; none only if a request without a key has added it that was not answered. Keys get the answers that they
// got before.
func TestKilled(t *testing.T) {
	t.Parallel()
	const clients = 64
	texts, kills, batch := testkit.Of(3_000, 40_000), testkit.Of(4, 20), testkit.Of(5, 50)
	if *atLength {
		texts, kills = 1_000_000, 200
	}
	words := testkit.NewWords(1)
	some := make([]string, 20_000)
	for i := range some {
		some[i] = words.Text(4)
	}
	groups := texts * 7 / 10
	requestOf := func(n int) (CheckRequest, int) { // 30 % are near another one, or the same
		group, copied := n%groups, n/groups
		if isSentTwice(group) {
			copied = 0
		}
		r := rand.New(rand.NewPCG(uint64(group), 1))
		text := ""
		for range 12 {
			text += some[r.IntN(len(some))] + " "
		}
		return CheckRequest{Document: doc(fmt.Sprintf("%d-%d", group, copied), text+" copy"+strings.Repeat("x", copied))}, group
	}
	c := &child{t: t, dir: t.TempDir()}
	c.start()
	all := &heard{isNew: map[int][]string{}, lost: map[string]bool{}, matches: map[string]int{}}
	order := rand.New(rand.NewPCG(2, 2)).Perm(texts)
	var at, answered atomic.Int64
	var wg sync.WaitGroup
	for client := range clients {
		r := rand.New(rand.NewPCG(uint64(client), 3))
		wg.Go(func() {
			for {
				from := int(at.Add(int64(batch))) - batch
				if from >= texts {
					return
				}
				k, of := keyedRequest{}, []int{}
				for _, n := range order[from:min(texts, from+batch)] {
					request, group := requestOf(n)
					k.rs, of = append(k.rs, request), append(of, group)
				}
				if r.IntN(2) == 0 {
					k.key = fmt.Sprint("key", from)
				}
				var patience time.Duration
				if r.IntN(5) == 0 {
					patience = 1 + time.Duration(r.IntN(int(5*time.Millisecond)))
				}
				var again bool
				var err error
				if k.answers, again, err = c.ask(k.key, k.rs, patience); err != nil {
					t.Error(err)
					return
				}
				answered.Add(int64(len(k.rs)))
				all.note(t, k, of, again)
				if k.key != "" && r.IntN(20) == 0 {
					k.same(t, c)
				}
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
	for _, k := range all.kept {
		k.same(t, c)
	}
	c.kill()
	all.check(t, open(t, Options{Data: c.dir}), groups)
	t.Logf("%d texts, %d groups, %d kills, %d groups without an answer that said new", texts, groups, killed, groups-len(all.isNew))
}

// check compares what is there with what was told.
func (of *heard) check(t *testing.T, s *Service, groups int) {
	there := map[int]string{}
	for group := range groups {
		for copied := range 2 {
			id := fmt.Sprintf("%d-%d", group, copied)
			if _, err := s.Document(t.Context(), "c", id); err != nil {
				continue
			}
			if there[group] != "" {
				t.Errorf("%s and %s are both there", there[group], id)
			}
			there[group] = id
		}
		switch isNew := of.isNew[group]; {
		case there[group] == "":
			t.Errorf("of group %d, nothing is there, and %q were said to be new", group, isNew)
		case len(isNew) > 1, len(isNew) == 1 && isNew[0] != there[group], len(isNew) == 0 && !of.lost[there[group]]:
			t.Errorf("of group %d, %q is there, and %q were said to be new", group, there[group], isNew)
		}
	}
	for id, group := range of.matches {
		if there[group] != id {
			t.Errorf("%s was said to be near group %d, and is not there", id, group)
		}
	}
}
