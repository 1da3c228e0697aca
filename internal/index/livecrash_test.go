package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// A process is killed after some operation. The next one reads what is there, durable or not, and goes on. Whenever the
// power is cut then, what either has acknowledged is there.
func TestPowerCutAfterKill(t *testing.T) {
	testkit.Long(t, "many moments")
	t.Parallel()
	stride, images := 10, 1
	if *torture {
		stride, images = 1, 12
	}
	steps, states := faultHistory()
	for _, live := range []bool{false, true} {
		t.Run(fmt.Sprint("live=", live), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, 7))
			total := 0
			for at := 0; ; at += stride {
				base, shadow := disk.NewMemory(), disktest.NewShadow(".")
				n, killed := 0, false
				first := &disktest.FS{Base: base, After: shadow.Done, Before: func(op disktest.Op) (int, error) {
					n++
					if killed = killed || n > at; killed && (op.Writes() || op.Kind == "lock") {
						return 0, syscall.EIO // it is never done
					}
					return 0, nil
				}}
				acked := 0
				_ = runLive(first, live, steps, func(n int) { acked = n })
				if !killed {
					break
				}
				cut := func(what string) { // in any goroutine, so that Fatal is not for it
					if t.Failed() {
						return
					}
					for i := range 1 + images {
						var by *rand.Rand
						if i > 0 {
							by = rng
						}
						total++
						what := fmt.Sprintf("killed after %d operations, power cut after %s", at, what)
						image := disk.NewMemory()
						if err := shadow.ImageIn(image, ".", by); err != nil {
							t.Error(err)
							return
						}
						var now model
						switch ix, err := openDir(image, "idx"); {
						case err == nil:
							now = contents(t, ix)
							_ = ix.Close()
						case !errors.Is(err, ErrNoIndex) || acked > 0:
							t.Errorf("%s: %v", what, err)
						}
						if !slices.ContainsFunc(states[acked:min(acked+2, len(states))], func(m model) bool { return maps.Equal(m, now) }) {
							t.Errorf("%s: the index has %v, %d changes were acknowledged", what, slices.Sorted(maps.Keys(now)), acked)
						}
					}
				}
				var mu sync.Mutex
				second := &disktest.FS{Base: base, After: func(op disktest.Op) {
					mu.Lock()
					defer mu.Unlock()
					if shadow.Done(op); op.Writes() {
						cut(op.Kind + " " + filepath.Base(op.Path))
					}
				}}
				was := acked
				err := runLive(second, live, steps[was:], func(n int) {
					mu.Lock()
					defer mu.Unlock()
					acked = was + n
					cut("an acknowledgement")
				})
				if err != nil || t.Failed() {
					t.Fatalf("killed after %d operations: %v", at, err)
				}
			}
			if total < 200*images { // fewer where less is done in the background
				t.Errorf("only %d images", total)
			}
		})
	}
}

// runLive makes the changes by a Live, or else by a Writer of commits.
func runLive(fsys disk.FS, live bool, steps []changeStep, acknowledged func(steps int)) (err error) {
	if !live {
		return runChanges(fsys, "idx", steps, acknowledged)
	}
	l, err := OpenLiveOn(fsys, "idx", changeSettings(), WriterOptions{Keep: KeepText, FlushBytes: 4 << 10})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for i, s := range steps {
		if err := l.changeAtOnce(s.puts, s.deletes); err != nil {
			return err
		}
		acknowledged(i + 1)
	}
	return nil
}

// A gate is a file system whose operations wait, as those of a slow disk.
type gate struct {
	disk.FS
	wait func(kind, path string)
}

func (g gate) Create(path string) (disk.File, error) {
	g.wait("create", path)
	f, err := g.FS.Create(path)
	return gateFile{f, path, g.wait}, err
}

type gateFile struct {
	disk.File
	path string
	wait func(kind, path string)
}

func (f gateFile) Sync() error {
	f.wait("sync", f.path)
	return f.File.Sync()
}

// certain returns the index that is certainly on the disk.
func certain(t *testing.T, shadow *disktest.Shadow) model {
	t.Helper()
	image := disk.NewMemory()
	if err := shadow.ImageIn(image, ".", nil); err != nil {
		t.Fatal(err)
	}
	ix, err := openDir(image, "idx")
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	return contents(t, ix)
}

// A call that finds everything as it should be waits until that is durable.
func TestUnchangedIsDurable(t *testing.T) {
	t.Parallel()
	shadow := disktest.NewShadow(".")
	var mu sync.Mutex
	syncing, goOn := make(chan bool, 10), make(chan bool)
	slow := false
	fsys := gate{&disktest.FS{Base: disk.NewMemory(), After: shadow.Done}, func(kind, path string) {
		mu.Lock()
		waits := slow && kind == "sync" && strings.HasSuffix(path, store.LogExtension)
		mu.Unlock()
		if waits {
			syncing <- true
			<-goOn
		}
	}}
	l := openTestLive(t, fsys, "idx", 0)
	if err := applyLive(l, []string{"a", "the first text", "b", "the second text"}, nil); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	slow = true
	mu.Unlock()
	done := make(chan error, 4)
	go func() { done <- l.changeAtOnce([]string{"c", "the third text"}, []string{"a"}) }()
	<-syncing
	go func() { done <- l.changeAtOnce([]string{"c", "the third text"}, nil) }()
	go func() { done <- l.changeAtOnce(nil, []string{"a"}) }()
	select {
	case err := <-done:
		t.Errorf("a change is acknowledged before the sync: %v", err)
		done <- err
	case <-time.After(50 * time.Millisecond):
	}
	mu.Lock()
	slow = false
	mu.Unlock()
	close(goOn)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := certain(t, shadow); got["a"] != "" || got["c"] == "" {
		t.Errorf("acknowledged, but not certain: %v", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// Documents that one call of Add has put into two logs are durable in both when it returns.
func TestAddToTwoLogs(t *testing.T) {
	t.Parallel()
	shadow := disktest.NewShadow(".")
	second := make(chan bool)
	var once sync.Once
	first := ""
	var mu, following sync.Mutex
	fsys := gate{&disktest.FS{Base: disk.NewMemory(), After: func(op disktest.Op) {
		following.Lock()
		defer following.Unlock()
		shadow.Done(op)
	}}, func(kind, path string) {
		mu.Lock()
		isLog := strings.HasSuffix(path, store.LogExtension)
		if kind == "create" && isLog && first == "" {
			first = path
		} else if kind == "create" && isLog {
			once.Do(func() { close(second) })
		}
		slow := kind == "sync" && path == first
		mu.Unlock()
		select {
		case <-second:
			if slow {
				time.Sleep(50 * time.Millisecond)
			}
		default:
		}
	}}
	l := openTestLive(t, fsys, "idx", 1)
	var all []string
	for i := range 2 * ingestTogether {
		all = append(all, fmt.Sprint("id", i), fmt.Sprintf("text number %d", i))
	}
	n := 0
	documents := docs(all...)
	_, err := l.Add(context.Background(), func(yield func(*document.Document, error) bool) {
		for d, err := range documents {
			if n++; n == ingestTogether+1 {
				<-second // the first batch has filled the first log
			}
			if !yield(d, err) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	following.Lock()
	if got := certain(t, shadow); len(got) != 2*ingestTogether {
		t.Errorf("%d documents are certain, want %d", len(got), 2*ingestTogether)
	}
	following.Unlock()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// Close waits for a change that is beginning a log. Nothing is written after it, and a second Close waits, too.
func TestCloseDuringTheFirstChange(t *testing.T) {
	t.Parallel()
	beginning, goOn := make(chan bool), make(chan bool)
	fsys := gate{disk.NewMemory(), func(kind, path string) {
		if kind == "create" && strings.HasSuffix(path, store.LogExtension) {
			close(beginning)
			<-goOn
		}
	}}
	l := openTestLive(t, fsys, "idx", 0)
	added := make(chan error, 1)
	go func() { added <- applyLive(l, []string{"a", "a text"}, nil) }()
	<-beginning
	closed := make(chan error, 2)
	for range 2 {
		go func() { closed <- l.Close() }()
	}
	select {
	case err := <-closed:
		t.Errorf("Close returns %v while a log is begun", err)
		closed <- err
	case <-time.After(50 * time.Millisecond):
	}
	close(goOn)
	if err := errors.Join(<-closed, <-closed); err != nil {
		t.Error(err)
	}
	if err := <-added; !errors.Is(err, ErrClosed) {
		t.Errorf("the change: %v", err)
	}
	w, err := openWriter(fsys.FS, "idx", changeSettings(), WriterOptions{})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Error(err)
	}
}

// While segments cannot be written, the logs and the memory stay bounded, and so does the number of logs. When they
// can, writing goes on.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	const flush = 8 << 10
	var mu sync.Mutex
	full, written := true, map[string]int{}
	log := func(path string) bool { return strings.HasSuffix(path, store.LogExtension) }
	base := disk.NewMemory()
	fsys := &disktest.FS{Base: base, Before: func(op disktest.Op) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if full && op.Kind == "write" && !log(op.Path) && len(op.Data) > 3000 { // not a manifest
			return 0, syscall.ENOSPC
		}
		return 0, nil
	}, After: func(op disktest.Op) {
		mu.Lock()
		defer mu.Unlock()
		if op.Kind == "write" && log(op.Path) {
			written[op.Path] += len(op.Data)
		}
	}}
	l := openTestLive(t, fsys, "idx", flush)
	text := strings.Repeat("some words of a text ", 20)
	want, refused := 0, 0
	for i := range 230 {
		if err := applyLive(l, []string{fmt.Sprint("id", i), fmt.Sprint(text, i)}, nil); err == nil {
			want++
		} else if refused++; !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	m, err := store.ReadManifest(base, "idx")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	mu.Lock()
	for _, n := range written {
		sum += n
	}
	full = false
	mu.Unlock()
	if sum > (store.MostFlushes+1)*flush || refused == 0 {
		t.Errorf("%d bytes of logs, %d are the limit; %d changes were refused", sum, store.MostFlushes*flush, refused)
	}
	if len(m.Logs) > store.MostFlushes+2 || len(m.Segments) > 0 {
		t.Errorf("%d logs, %d segments", len(m.Logs), len(m.Segments))
	}
	for i := range 40 {
		id, text := fmt.Sprint("later", i), fmt.Sprint(text, -i)
		if err := applyLive(l, []string{id, text}, nil); err != nil {
			t.Fatalf("after there is space again: %v", err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ix, err := openDir(base, "idx")
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	if ix.Len() != want+40 {
		t.Errorf("%d documents, want %d", ix.Len(), want+40)
	}
}

// What the documents are is in the manifest before a document is acknowledged. A change that fails leaves it as it was.
func TestInputOfLive(t *testing.T) {
	t.Parallel()
	base := disk.NewMemory()
	s := withoutStopWords()
	l, err := OpenLiveOn(base, "idx", s, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mixed := func(yield func(*document.Document, error) bool) {
		_ = yield(&document.Document{ID: []byte("a"), Text: []byte("a text")}, nil) &&
			yield(&document.Document{ID: []byte("b"), Fingerprint: 7, HasFingerprint: true}, nil)
	}
	if _, err := l.Add(context.Background(), mixed); !errors.Is(err, ErrKind) {
		t.Errorf("a text and a fingerprint: %v", err)
	}
	if _, err := l.Add(context.Background(), fps("f", 7)); err != nil {
		t.Errorf("a fingerprint, after a change that failed: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, err = OpenLiveOn(base, "both", s, WriterOptions{Input: Input{FingerprintField: "fp"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct {
		documents iter.Seq2[*document.Document, error]
		holds     string
	}{{docs("a", "a text"), store.Texts}, {fps("f", 7), store.Both}, {docs("b", "another text"), store.Both}} {
		if _, err := l.Add(context.Background(), d.documents); err != nil {
			t.Fatal(err)
		}
		m, err := store.ReadManifest(base, "both")
		if err != nil || m.Input.Holds != d.holds {
			t.Errorf("the manifest says %+v, want %s; %v", m.Input, d.holds, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A document that is replaced while a segment is written is on the disk in its old text or in its new one, though the
// new one was acknowledged before it was durable.
func TestReplacedDuringAFlush(t *testing.T) {
	t.Parallel()
	shadow := disktest.NewShadow(".")
	var mu, following sync.Mutex
	logs, closed, done := []string{}, false, false
	writing, goOn := make(chan bool), make(chan bool)
	fsys := gate{&disktest.FS{Base: disk.NewMemory(), After: func(op disktest.Op) {
		following.Lock()
		defer following.Unlock()
		shadow.Done(op)
	}}, func(kind, path string) {
		mu.Lock()
		if kind == "create" && strings.HasSuffix(path, store.LogExtension) {
			logs = append(logs, path)
		}
		closed = closed || kind == "sync" && len(logs) == 2 && path == logs[0]
		waits := closed && !done && kind == "create"
		done = done || waits
		mu.Unlock()
		if waits {
			close(writing)
			<-goOn
		}
	}}
	if err := commitChanges(fsys, "idx", []string{"a", "the old text", "b", "another text"}, nil); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLiveOn(fsys, "idx", changeSettings(), WriterOptions{Keep: KeepText, FlushBytes: 100, SyncLate: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := applyLive(l, []string{"c", "a text that fills the log"}, nil); err != nil {
		t.Fatal(err)
	}
	<-writing
	if err := applyLive(l, []string{"a", "the new text"}, nil); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	l.j.Wait()
	following.Lock()
	if got := certain(t, shadow); got["a"] == "" || got["c"] == "" {
		t.Errorf("certain is %v", got)
	}
	following.Unlock()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
