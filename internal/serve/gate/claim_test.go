package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/index"
)

// claimOf returns a Claim that notes outcomes.
func claimOf(key string) *Claim {
	c := &Claim{Until: time.Now().Add(time.Hour).Unix(), Note: func(decisions []Decision) ([]byte, error) {
		var of []Outcome
		for _, d := range decisions {
			of = append(of, d.Outcome)
		}
		return json.Marshal(of)
	}}
	copy(c.Key[:], key)
	return c
}

// A slowDisk is a disk on which syncs of logs wait while it is slow.
type slowDisk struct {
	disk.FS
	slow   atomic.Bool
	begins chan struct{} // a sync waits
	goOn   chan struct{}
}

type slowFile struct {
	disk.File
	on *slowDisk
}

func (s *slowDisk) Create(path string) (disk.File, error) {
	f, err := s.FS.Create(path)
	if err == nil && filepath.Ext(path) == ".log" {
		f = slowFile{f, s}
	}
	return f, err
}

func (f slowFile) Sync() error {
	if f.on.slow.Load() {
		f.on.begins <- struct{}{}
		<-f.on.goOn
	}
	return f.File.Sync()
}

func openGate(t *testing.T, fsys disk.FS) *Gate {
	t.Helper()
	live, err := index.OpenLiveOn(fsys, "idx", analysis.Default(), index.WriterOptions{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(live, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Of many calls with one key exactly one decides, and the others get what it has noted, whatever they bring along,
// and after a restart.
func TestClaims(t *testing.T) {
	t.Parallel()
	fsys := disk.NewMemory()
	g := openGate(t, fsys)
	p := index.Similar(0.8)
	var decided atomic.Int64
	for round := range 20 {
		var wg sync.WaitGroup
		for caller := range 8 {
			wg.Go(func() {
				id := fmt.Sprint(round, "-", caller)
				texts := []Candidate{analysed(t, g, id, fmt.Sprint("a text of caller ", caller, " in round ", round), p)}
				decisions, noted, err := g.Check(context.Background(), texts, claimOf(fmt.Sprint("key", round)))
				if err != nil || (noted == nil) != (len(decisions) == 1) {
					t.Errorf("%v, %s, %v", decisions, noted, err)
				} else if noted == nil {
					decided.Add(1)
				}
			})
		}
		wg.Wait()
	}
	if decided.Load() != 20 || g.Live().Len() > 20 {
		t.Errorf("%d of 20 keys have been decided on, and %d documents are there", decided.Load(), g.Live().Len())
	}
	had := g.Live().Len()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	g = openGate(t, fsys)
	_, noted, err := g.Check(t.Context(), []Candidate{analysed(t, g, "new", "something else that nobody has", p)}, claimOf("key7"))
	if err != nil || noted == nil || g.Live().Len() != had {
		t.Errorf("%s, %d documents: %v", noted, g.Live().Len(), err)
	}
	_, noted, err = g.Check(t.Context(), nil, claimOf("another"))
	if noted != nil || err != nil {
		t.Errorf("%s, %v", noted, err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}

// Nobody is told what has been decided before it is durable: neither who decides or deletes nor who comes with the
// key again. A call that is given up meanwhile has decided all the same.
func TestClaimsAreDurable(t *testing.T) {
	t.Parallel()
	fsys := &slowDisk{FS: disk.NewMemory(), begins: make(chan struct{}, 10), goOn: make(chan struct{})}
	g := openGate(t, fsys)
	p := index.Similar(0.8)
	check := func(ctx context.Context, id, text string, claim *Claim) error {
		_, _, err := g.Check(ctx, []Candidate{analysed(t, g, id, text, p)}, claim)
		return err
	}
	if err := check(t.Context(), "first", "a text that begins the log", nil); err != nil {
		t.Fatal(err)
	}
	fsys.slow.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	told := make(chan string, 5)
	tell := func(who string, err error) {
		if err != nil {
			who += ": " + err.Error()
		}
		told <- who
	}
	go func() { tell("who decides", check(ctx, "a", "a text with a key", claimOf("key"))) }()
	select {
	case <-fsys.begins:
	case who := <-told:
		t.Fatalf("without a sync, told is %s", who)
	}
	go func() { tell("who comes again", check(context.Background(), "a", "a text with a key", claimOf("key"))) }()
	go func() { tell("who is near", check(context.Background(), "b", "a text with a key", nil)) }()
	go func() {
		_, err := g.Delete(context.Background(), []string{"first"})
		tell("who deletes", err)
	}()
	stop()
	select {
	case who := <-told:
		t.Errorf("before the sync, told is %s", who)
		told <- who
	case <-time.After(50 * time.Millisecond):
	}
	fsys.slow.Store(false)
	close(fsys.goOn)
	var all []string
	for range 4 {
		all = append(all, <-told)
	}
	slices.Sort(all)
	if got := strings.Join(all, ", "); got != "who comes again, who decides, who deletes, who is near" {
		t.Error(got)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}
