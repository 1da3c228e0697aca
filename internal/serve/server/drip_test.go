package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"simsearch/internal/serve/service"
	"simsearch/internal/tests/testkit"
)

// serverVariable makes the program of the tests a server, so that it can have as many connections as its clients, and
// memory of its own. Its value is Options.Memory, which is a sixteenth of all, as in the command.
const serverVariable = "SIMSEARCH_TEST_SERVER"

func TestMain(m *testing.M) {
	memory, err := strconv.ParseInt(os.Getenv(serverVariable), 10, 64)
	if err != nil {
		os.Exit(m.Run())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
		stop()
	}()
	fmt.Println("http://" + l.Addr().String())
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(16 * memory)
	if err := New(filled(), Options{Memory: memory, Drain: time.Second, Log: os.Stderr}).Serve(ctx, l); err != nil {
		panic(err)
	}
}

// process starts a server in a process of its own, and returns its address.
func process(t testing.TB, memory int64) (url string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env, cmd.Stderr = append(os.Environ(), fmt.Sprintf("%s=%d", serverVariable, memory)), os.Stderr
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
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the server does not say where it is")
	}
	return lines.Text()
}

// resident returns the memory that a server takes, as it tells itself.
func resident(t testing.TB, url string) float64 {
	t.Helper()
	answer, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^process_resident_memory_bytes (\S+)$`).FindSubmatch(text)
	if found == nil {
		t.Skip("this system does not tell the memory of a process")
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// While ten thousand connections send a byte now and then, of headers or of bodies, others are answered at once.
func TestDrippingConnections(t *testing.T) {
	testkit.Long(t, "it has ten thousand connections")
	const connections = 10_000
	if openFiles() < connections*5/4 {
		t.Skipf("a process may have %d files open", openFiles())
	}
	url := process(t, 64<<20)
	address := strings.TrimPrefix(url, "http://")
	heads := []string{
		"POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
		"POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"text\":\"",
		"POST /v1/collections/default/near HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"",
	}
	var mu sync.Mutex
	var held []net.Conn
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	for part := range 8 {
		wg.Go(func() {
			for i := range connections / 8 {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprint(conn, heads[(part+i)%len(heads)])
				mu.Lock()
				held = append(held, conn)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	go func() { // a byte each, again and again
		for ctx.Err() == nil {
			for _, conn := range held {
				_, _ = conn.Write([]byte("a"))
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	var took []time.Duration
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: 10 * time.Second}
	for until := time.Now().Add(8 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		begun := time.Now()
		answer, err := client.Post(url+"/v1/collections/default/near", "application/json", strings.NewReader(`{"text":"some text"}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("status %d: %s, %v", answer.StatusCode, body, err)
		}
		took = append(took, time.Since(begun))
	}
	memory := resident(t, url)
	stop()
	for _, conn := range held {
		_ = conn.Close()
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("%d others answered, half within %v, 99 of 100 within %v; %.0f MB of memory", len(took), took[len(took)/2], p99, memory/1e6)
	if p99 > 200*time.Millisecond {
		t.Errorf("99 of 100 others were answered within %v", p99)
	}
	if memory > 400e6 {
		t.Errorf("%.0f MB of memory", memory/1e6)
	}
}

// Ten times as many clients as are answered at once send large batches as fast as they can. Memory stays what it is
// said to be, and each request is answered, or told to come again.
func TestMemoryUnderTenTimesTheLoad(t *testing.T) {
	testkit.Long(t, "it sends gigabytes")
	const memory, clients, rounds = 384 << 20, 640, 6
	url := process(t, memory/16)
	line := `{"text":"` + strings.Repeat("some words of a text ", 40) + "\"}\n"
	plain := strings.Repeat(line, 1<<20/len(line))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, MaxConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	var most float64
	for round := range rounds {
		var mu sync.Mutex
		statuses := map[int]int{}
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() {
				q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/collections/default/near", strings.NewReader(plain))
				if err != nil {
					t.Error(err)
					return
				}
				q.Header.Set("Content-Type", "application/x-ndjson")
				answer, err := client.Do(q)
				if err != nil {
					mu.Lock()
					statuses[0]++ // it was shed while it was still sending
					mu.Unlock()
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				mu.Lock()
				statuses[answer.StatusCode]++
				mu.Unlock()
			})
		}
		wg.Wait()
		now := resident(t, url)
		most = max(most, now)
		t.Logf("round %d: statuses %v, %.0f MB of memory", round, statuses, now/1e6)
		if statuses[200] == 0 || statuses[0] > clients/2 || statuses[0]+statuses[200]+statuses[429]+statuses[503] != clients {
			t.Errorf("statuses %v", statuses)
		}
	}
	if most > memory {
		t.Errorf("%.0f MB of memory, where all may take %.0f MB", most/1e6, memory/1e6)
	}
}

// A client that does not read its answers loses its connection, and keeps no place from others.
func TestClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	f := filled()
	text := strings.Repeat("many words ", 200_000)
	for i := range 10 {
		id := strconv.Itoa(i)
		f.documents[id] = service.Document{ID: id, Content: service.Content{Text: &text}}
	}
	r := start(t, f, Options{Running: 2, WriteTime: time.Second, Exports: 2})
	for range 20 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		fmt.Fprint(conn, "GET /v1/collections/default/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
		// The next one asks when this one is answered, so that two of them have the places before anybody else asks.
		if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 200"))); err != nil {
			t.Fatal(err)
		}
	}
	until := func(status int) bool {
		for range 500 {
			if answer, _ := r.send(t, sent{method: "GET", path: "/v1/collections/default/export"}); answer.StatusCode == status {
				return true
			}
			time.Sleep(10 * time.Millisecond)
		}
		return false
	}
	if !until(http.StatusTooManyRequests) {
		t.Error("no export was one too many")
	}
	r.want(t, sent{method: "POST", path: "/v1/collections/default/near", body: `{}`, header: asJSON}, 200, "")
	if until(http.StatusOK) {
		return
	}
	t.Error("clients that do not read keep others from exporting")
}
