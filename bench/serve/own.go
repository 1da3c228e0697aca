package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Sizes.
const (
	many      = 10_000_000 // fingerprints
	someThere = 50_000     // texts that are there before a day begins
	toAdd     = 1_000_000
	batchSize = 100
	asked     = 100_000 // different queries
)

// A rate is the best of some runs, and what processors took by the way.
type rate struct {
	*result
	server float64 // seconds of processor time
	each   int     // queries of a request
}

// second returns queries a second.
func (r *rate) second() float64 { return r.result.each(r.each) }

// micros returns microseconds of processor time for a query, of server and client.
func (r *rate) micros() (server, client float64) {
	n := float64(len(r.took)*r.each) / 1e6
	return r.server / n, r.client / n
}

// free returns queries a second of two processors that do nothing else.
func (r *rate) free() float64 {
	server, client := r.micros()
	return 2e6 / (server + client)
}

// fastest runs a load some times.
func (b *bench) fastest(pid, each int, l load) (*rate, error) {
	return b.best(pid, each, l, func(r, other *rate) bool { return r.second() > other.second() })
}

// steadiest runs a load some times, too, for its p99.
func (b *bench) steadiest(pid, each int, l load) (*rate, error) {
	return b.best(pid, each, l, func(r, other *rate) bool { return r.quantile(.99) < other.quantile(.99) })
}

func (b *bench) best(pid, each int, l load, better func(r, other *rate) bool) (best *rate, err error) {
	if l.lasts == 0 && l.while == nil && l.n == 0 {
		l.lasts = b.lasts
	}
	for range b.runs {
		before := processor(pid)
		result, err := l.run()
		if err != nil {
			return nil, err
		}
		r := &rate{result, processor(pid) - before, each}
		if best == nil || better(r, best) {
			best = r
		}
	}
	return best, nil
}

const rateHeader = "| | goal | a second | of free processors | server, µs | client, µs | p50, ms | p99, ms |\n" +
	"|---|---|---|---|---|---|---|---|\n"

func (b *bench) rateRow(name, goal string, r *rate) {
	server, client := r.micros()
	fmt.Fprintf(&b.page, "| %s | %s | %.0f | %.0f | %.2f | %.2f | %.2f | %.2f |\n",
		name, goal, r.second(), r.free(), server, client, ms(r.quantile(.5)), ms(r.quantile(.99)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// serve serves a new directory of collections.
func (b *bench) serve(dir string, more ...string) (*process, error) {
	return start(b.simsearch, append([]string{"serve", "--data", dir, "--write", "--listen", "127.0.0.1:0"}, more...)...)
}

// empty makes an empty directory of collections.
func (b *bench) empty(name string) (string, error) {
	dir := filepath.Join(b.out, name)
	return dir, errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777))
}

func create(address, name string) error {
	r, err := http.NewRequest("PUT", "http://"+address+"/v1/collections/"+name, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", object)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode/100 != 2 {
		return fmt.Errorf("collection %s: %s", name, a.Status)
	}
	return nil
}

func (b *bench) near() error {
	values := fingerprints(many)
	s, err := ours(b, values)
	if err != nil {
		return err
	}
	defer s.stop()
	queries := queriesOf(values, asked)
	b.page.WriteString(rateHeader)
	r, err := b.fastest(s.pid, batchSize, load{clients: 8, dial: s.dial(queries, batchSize)})
	if err != nil {
		return err
	}
	b.rateRow("in batches of 100, 8 clients", "500,000", r)
	single := s.dial(queries, 0)
	one, err := b.fastest(s.pid, 1, load{clients: 64, dial: single})
	if err != nil {
		return err
	}
	b.rateRow("singly, 64 clients", "20,000", one)
	half, err := b.steadiest(s.pid, 1, load{clients: 64, rate: one.second() / 2, dial: single})
	if err != nil {
		return err
	}
	b.rateRow("singly, 64 clients, half as many a second", "p99 < 4 ms", half)
	all, own := memory(s.pid)
	fmt.Fprintf(&b.page, "\nIt has %.0f MB in memory, of which %.0f MB are no file.\n", float64(all)/1e6, float64(own)/1e6)
	return nil
}

func (b *bench) texts() error {
	c := newCorpus()
	dir, err := b.empty("texts")
	if err != nil {
		return err
	}
	p, err := b.serve(dir)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := create(p.address, "c"); err != nil {
		return err
	}
	pid := p.cmd.Process.Pid
	var at atomic.Int64
	request := func(each int, kind string) func(to []byte, client, i int) []byte {
		return func(to []byte, client, i int) []byte { return c.post(to, "check-and-add", kind, &at, each) }
	}
	b.page.WriteString("Texts have about 100 words, and 30 in 100 are near others. They are on the disk when they are answered.\n\n" + rateHeader)
	r, err := b.fastest(pid, batchSize, load{clients: 8, dial: dialer(p.address, request(batchSize, lines))})
	if err != nil {
		return err
	}
	b.rateRow("in batches of 100, 8 clients", "20,000", r)
	if r, err = b.fastest(pid, 1, load{clients: 64, dial: dialer(p.address, request(1, object))}); err != nil {
		return err
	}
	b.rateRow("singly, 64 clients", "3,000", r)
	return nil
}

// post appends a request about so many of the next documents.
func (c corpus) post(to []byte, operation, kind string, at *atomic.Int64, each int) []byte {
	last := int(at.Add(int64(each)))
	body := make([]byte, 0, 800*each)
	for n := last - each; n < last; n++ {
		body = c.document(body, fmt.Sprint(n), n)
	}
	return post(to, "/v1/collections/c/"+operation, kind, body)
}

// adding asks what is near at a steady pace, quietly and while another client adds documents in batches.
func (b *bench) adding() error {
	b.page.WriteString("One client adds documents in batches of 100 without a pause; 8 others ask 1,000 times a second what is near, and 8 more\n" +
		"ask 1,000 times a second for an unknown path. These show the floor: what any request waits for the processors, the system and HTTP.\n" +
		"The quietest of three runs is the quiet one.\n\n" +
		"| documents | added a second | quiet p99, ms | p99, ms | beside quiet (goal 1.5) | longest, ms (goal 20) | quiet longest, ms |" +
		" floor, quiet p99, ms | floor p99, ms | floor longest, ms | beside the floor | server, s of processor |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	values := fingerprints(many)
	queries := queriesOf(values, asked)
	dir, err := b.empty("adding")
	if err == nil {
		err = writeIndex(filepath.Join(dir, "c"), values)
	}
	if err != nil {
		return err
	}
	var at atomic.Int64
	line := func(to []byte, client, i int) []byte {
		var body []byte
		for range batchSize {
			n := at.Add(1)
			body = fmt.Appendf(body, "{\"id\":\"n%d\",\"fingerprint\":\"%016x\"}\n", n, queries[int(n)%len(queries)]*uint64(2*n+1))
		}
		return post(to, "/v1/collections/c/documents", lines, body)
	}
	if err := b.whileAdding(dir, "fingerprints, among 10,000,000", nearOurs("c", queries, 0), line); err != nil {
		return err
	}
	if dir, err = b.empty("adding"); err != nil {
		return err
	}
	c := newCorpus()
	at.Store(0)
	add := func(to []byte, client, i int) []byte { return c.post(to, "documents", lines, &at, batchSize) }
	near := func(to []byte, client, i int) []byte {
		return post(to, "/v1/collections/c/near", object, append(c.text([]byte(`{"text":"`), client*7919+i), `"}`...))
	}
	return b.whileAdding(dir, "texts of 100 words, among 50,000", near, add)
}

func (b *bench) whileAdding(dir, name string, near, add func(to []byte, client, i int) []byte) error {
	p, err := b.serve(dir)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := create(p.address, "c"); err != nil && strings.Contains(name, "texts") {
		return err
	}
	if strings.Contains(name, "texts") {
		if _, err := (&load{clients: 2, n: someThere / batchSize, dial: dialer(p.address, add)}).run(); err != nil {
			return err
		}
	}
	pid := p.cmd.Process.Pid
	quiet, err := b.asked(p.address, near, func() error { time.Sleep(b.lasts); return nil })
	for i := 1; i < b.runs && err == nil; i++ {
		var again [2]*result
		again, err = b.asked(p.address, near, func() error { time.Sleep(b.lasts); return nil })
		if err == nil && again[0].quantile(.99) < quiet[0].quantile(.99) {
			quiet = again
		}
	}
	if err != nil {
		return err
	}
	var added *result
	before := processor(pid)
	busy, err := b.asked(p.address, near, func() (err error) {
		added, err = (&load{clients: 1, n: toAdd / batchSize, dial: dialer(p.address, add)}).run()
		return err
	})
	if err != nil {
		return err
	}
	q, a, floor := quiet[0].quantile(.99), busy[0].quantile(.99), busy[1].quantile(.99)
	fmt.Fprintf(&b.page, "| %s | %.0f | %.2f | %.2f | %.2f | %.1f | %.1f | %.2f | %.2f | %.1f | %.2f | %.1f |\n", name, added.each(batchSize), ms(q), ms(a),
		a.Seconds()/q.Seconds(), ms(busy[0].quantile(1)), ms(quiet[0].quantile(1)), ms(quiet[1].quantile(.99)), ms(floor), ms(busy[1].quantile(1)),
		a.Seconds()/floor.Seconds(), processor(pid)-before)
	return nil
}

// asked asks what is near, and for an unknown path, while do runs. The results are in this order.
func (b *bench) asked(address string, near func(to []byte, client, i int) []byte, do func() error) (results [2]*result, err error) {
	var busy atomic.Bool
	busy.Store(true)
	nothing := func(to []byte, _, _ int) []byte {
		return append(to, "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"...)
	}
	var errs [2]error
	var asking sync.WaitGroup
	for i, ask := range []load{{dial: dialer(address, near)}, {dial: dialer(address, nothing), status: 404}} {
		ask.clients, ask.rate, ask.while = 8, 1000, &busy
		asking.Go(func() { results[i], errs[i] = ask.run() })
	}
	err = do()
	busy.Store(false)
	asking.Wait()
	return results, errors.Join(err, errs[0], errs[1])
}

// memory has ten times as many clients as the server answers at once, which send batches of 1,000 texts and come
// again when they are shed.
func (b *bench) memory() error {
	const memoryCap = 256
	dir, err := b.empty("memory")
	if err != nil {
		return err
	}
	p, err := b.serve(dir, "--memory", fmt.Sprintf("%dMB", memoryCap))
	if err != nil {
		return err
	}
	defer p.stop()
	if err := create(p.address, "c"); err != nil {
		return err
	}
	c := newCorpus()
	var at atomic.Int64
	ctx, stop := context.WithCancel(context.Background())
	samples := watch(ctx, p.cmd.Process.Pid, 20*time.Millisecond)
	r, err := (&load{clients: 640, lasts: 6 * b.lasts, sheds: true, dial: dialer(p.address, func(to []byte, client, i int) []byte {
		return c.post(to, "check-and-add", lines, &at, 1000)
	})}).run()
	stop()
	if err != nil {
		return err
	}
	most := float64(slices.Max(samples())) / 1e6
	fmt.Fprintf(&b.page, "640 clients send batches of 1,000 texts to a server with `--memory %dMB`, for half a minute. "+
		"%d batches were taken, and %d shed.\n"+
		"It had %.0f MB in memory at the most, files aside: %.2f of its cap.\n", memoryCap, len(r.took), r.shed, most, most/memoryCap)
	return nil
}

// day has all kinds of requests at a steady pace. What is added is deleted some time later, so that the collection
// stays as large.
func (b *bench) day() error {
	dir, err := b.empty("day")
	if err != nil {
		return err
	}
	p, err := b.serve(dir)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := create(p.address, "c"); err != nil {
		return err
	}
	c := newCorpus()
	var at atomic.Int64
	there := load{clients: 4, n: someThere / batchSize, dial: dialer(p.address, func(to []byte, client, i int) []byte {
		return c.post(to, "documents", lines, &at, batchSize)
	})}
	if _, err := there.run(); err != nil {
		return err
	}
	const path = "/v1/collections/c/"
	request := func(to []byte, client, i int) []byte {
		n := 1_000_000 + 100_000*client + i
		get := func(what string) []byte {
			return fmt.Appendf(to, "GET %s%s HTTP/1.1\r\nHost: localhost\r\n\r\n", path, what)
		}
		switch i % 20 {
		case 0, 1, 2:
			return post(to, path+"check-and-add", object, bytes.TrimSpace(c.document(nil, fmt.Sprint(n), n)))
		case 3, 4, 5: // what was added 2,003 requests before, which is no longer there if it was not new
			return post(to, path+"delete", lines, fmt.Appendf(nil, "{\"id\":\"%d\"}\n", n-2003))
		case 6:
			return get(fmt.Sprintf("documents/%d", 5+10*(i%1000)))
		case 7:
			if i%2000 == 7 {
				return get("groups?limit=5")
			}
			return get("info")
		}
		return post(to, path+"near", object, append(c.text([]byte(`{"text":"`), n%someThere), `"}`...))
	}
	ctx, stop := context.WithCancel(context.Background())
	samples := watch(ctx, p.cmd.Process.Pid, time.Second)
	lives := sampled(ctx, time.Second, func() int64 { return liveHeap(p.address) })
	files := sampled(ctx, time.Second, func() int64 { return sizeOf(dir) })
	r, err := (&load{clients: 16, rate: 1000, lasts: 5 * time.Minute, dial: dialer(p.address, request)}).run()
	stop()
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.page, "1,000 requests a second for five minutes, to a collection of 50,000 texts: near, check-and-add, delete, documents,\n"+
		"info and groups. p99 %.1f ms. *In use* is what the last collection of garbage has left; the memory has the garbage since, too.\n\n"+
		"| means of minutes, MB | 1 | 2 | 3 | 4 | 5 | the last beside the second (goal: 2 %%) |\n|---|---|---|---|---|---|---|\n", ms(r.quantile(.99)))
	b.minutesRow("in use", lives())
	b.minutesRow("memory, files aside", samples())
	b.minutesRow("files of the index", files())
	return nil
}

// minutesRow writes the mean of each fifth of samples, in MB.
func (b *bench) minutesRow(name string, all []int64) {
	fmt.Fprintf(&b.page, "| %s |", name)
	var mean [5]float64
	each := len(all) / len(mean)
	for i := range mean {
		for _, s := range all[i*each : (i+1)*each] {
			mean[i] += float64(s) / 1e6 / float64(each)
		}
		fmt.Fprintf(&b.page, " %.1f |", mean[i])
	}
	fmt.Fprintf(&b.page, " %+.1f %% |\n", 100*(mean[4]/mean[1]-1))
}

// liveHeap returns the memory that a server had in use when it last collected garbage, 0 if it does not say.
func liveHeap(address string) int64 {
	a, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return 0
	}
	defer a.Body.Close()
	for lines := bufio.NewScanner(a.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "go_gc_heap_live_bytes "); ok {
			live, _ := strconv.ParseFloat(value, 64)
			return int64(live)
		}
	}
	return 0
}

// sizeOf returns the size of the files below a directory.
func sizeOf(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it has been merged meanwhile
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// peers asks servers the same queries.
func (b *bench) peers() error {
	const n, checked = 1_000_000, 1000
	values := fingerprints(n)
	queries := queriesOf(values, asked)
	want := exact(values, queries[:checked])
	b.page.WriteString(beside)
	for _, p := range peers() {
		if err := b.peer(p, values, queries, want); err != nil {
			fmt.Fprintf(&b.page, "| %s | %v | | | | | | | |\n", p.name, err)
		}
	}
	return nil
}

func (b *bench) peer(p peer, values, queries []uint64, want []map[int]bool) error {
	begun := time.Now()
	s, err := p.start(b, values)
	if err != nil {
		return err
	}
	defer s.stop()
	built := time.Since(begun)
	found, all, err := check(s, queries[:len(want)], want)
	if err != nil {
		return err
	}
	one, err := b.fastest(s.pid, 1, load{clients: 64, dial: s.dial(queries, 0)})
	if err != nil {
		return err
	}
	lone, err := b.steadiest(s.pid, 1, load{clients: 1, dial: s.dial(queries, 0)})
	if err != nil {
		return err
	}
	batches, err := b.fastest(s.pid, batchSize, load{clients: 8, dial: s.dial(queries, batchSize)})
	if err != nil {
		return err
	}
	in, own := memory(s.pid)
	fmt.Fprintf(&b.page, "| %s | %.4f | %.0f | %.0f | %.2f / %.2f | %.0f | %.0f | %.0f / %.0f | %.0f |\n",
		p.name, float64(found)/float64(all), one.second(), one.free(), ms(lone.quantile(.5)), ms(lone.quantile(.99)), batches.second(), batches.free(), float64(in)/1e6, float64(own)/1e6, built.Seconds())
	return nil
}

// check compares answers with all that is near. What is not near is an error.
func check(s *serving, queries []uint64, want []map[int]bool) (found, all int, err error) {
	for _, batch := range []int{0, batchSize} {
		each := max(batch, 1)
		c, err := s.dial(queries, batch)(0)
		if err != nil {
			return 0, 0, err
		}
		defer c.Close()
		for i := range len(queries) / each {
			at := i * each
			if status, err := c.exchange(i); err != nil || status != 200 {
				return 0, 0, errors.Join(err, fmt.Errorf("answered with status %d", status))
			}
			answers, err := s.found(c)
			if err != nil || len(answers) != each {
				return 0, 0, errors.Join(err, fmt.Errorf("%d answers to %d queries", len(answers), each))
			}
			for j, ids := range answers {
				for _, id := range ids {
					if !want[at+j][id] {
						return 0, 0, fmt.Errorf("%d is not near query %d", id, at+j)
					}
				}
				found, all = found+len(ids), all+len(want[at+j])
			}
		}
	}
	return found, all, nil
}

const beside = `1,000,000 fingerprints, distance 3, the same queries: three in four are near a value. *Found* is the share of what is near, by a scan,
in single requests and in batches. *One by one* is the time of a request of one client that is alone. Memory is all, and what no file holds.

- *FAISS* stands behind a server of 40 lines in Python: uvicorn with uvloop and httptools, orjson, two processes that share the index.
  MultiHash finds everything within 3 bits.
- *PostgreSQL* is asked over its own protocol, by prepared statements on a Unix socket: ` + "`bit_count(h # q) <= 3`" + ` of rows that have an
  equal quarter, each quarter an index. Its memory is without what the system keeps of its files.
- *Lance* stands behind the same server as FAISS; it takes one query at a time.
- *Qdrant* is not here: its server was found neither on PyPI nor on npm, and others were not searched.

| server | found | singly, a second, 64 clients | of free processors | one by one, p50 / p99, ms | in batches of 100, a second | of free processors | memory, MB | ready, s |
|---|---|---|---|---|---|---|---|---|
`
