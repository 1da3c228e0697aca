package index

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
)

// torture makes the tests of faults try everything, as make torture does.
var torture = flag.Bool("torture", false, "try all faults, and many more crashes")

// A history is what a writer does in a test of faults: two commits to an index that has no commit
// or one before. After an error the history may stop and tell how far it has come.
type history struct {
	name     string
	settings analysis.Settings
	existing int  // documents that the index has before
	stream   bool // segments are written as streams
}

// histories cover fingerprints, sets and texts that are spooled, and learnt weights.
func histories() []history {
	plain := withoutStopWords()
	sets := plain
	sets.Mode, sets.Positions = analysis.Both, 16
	weights := plain
	weights.Weights = fingerprint.TFIDF
	all := []history{
		{"first", plain, 0, false}, {"later sets", sets.Canonical(), 2, false}, {"stream", plain, 0, true},
		{"first weights", weights, 0, false}, {"first sets", sets.Canonical(), 0, false}, {"later", plain, 2, false}, {"later stream", plain, 2, true},
	}
	if !testkit.IsLong() {
		return all[:3]
	}
	return all
}

// historyTexts are the ids and texts of the documents of every history.
var historyTexts = sync.OnceValue(func() (out []string) {
	g := testkit.NewWords(1)
	for i := range 10 {
		out = append(out, fmt.Sprint("doc", i), g.Text(300))
	}
	return out
})

// texts returns the ids and texts of documents [from, to) of every history.
func texts(from, to int) []string { return historyTexts()[2*from : 2*to] }

// unfailing is a file system without faults and without syncs.
var unfailing = &disktest.FS{Base: disk.OS}

// begin makes the index that exists before the history, if there is one.
func (h history) begin(t testing.TB, dir string) {
	t.Helper()
	if h.existing > 0 {
		h.add(t, unfailing, dir, texts(0, h.existing))
	}
}

// add adds documents in one commit.
func (h history) add(t testing.TB, fsys disk.FS, dir string, idsAndTexts []string) {
	t.Helper()
	w, err := h.open(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Ingest(t.Context(), docs(idsAndTexts...))
	if err == nil {
		_, err = w.Commit(t.Context())
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
}

// open opens a writer that spools from the first feature on.
func (h history) open(fsys disk.FS, dir string) (*Writer, error) {
	o := WriterOptions{hold: 1}
	if h.stream {
		o.stream, o.Memory = 1, 2
	}
	return openWriter(fsys, dir, h.settings, o)
}

// step is the number of documents of each of the two commits.
const step = 3

// run runs the history on fsys. It calls acknowledged with the number of documents after each
// commit. An operation that fails is tried once more, as a user would.
func (h history) run(fsys disk.FS, dir string, acknowledged func(documents int)) (err error) {
	again := func(do func() error) error {
		if err := do(); err == nil || errors.Is(err, disk.ErrUncertain) {
			return err
		}
		return do()
	}
	var w *Writer
	if err := again(func() error { w, err = h.open(fsys, dir); return err }); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for n := h.existing; n < h.existing+2*step; n += step {
		documents := func() error { return w.Ingest(context.Background(), docs(texts(n, n+step)...)) }
		if w.Learns() {
			if err := w.Learn(context.Background(), docs(texts(n, n+step)...)); err != nil {
				return err
			}
		}
		if err := again(documents); err != nil {
			return err
		}
		if err := again(func() error { _, err := w.Commit(context.Background()); return err }); err != nil {
			return err
		}
		acknowledged(n + step)
	}
	return nil
}

// documents returns how many documents the index in dir has; it is 0 if there is no index. It
// checks that they are the first documents of the history and that each is complete.
func (h history) documents(dir string) (int, error) {
	ix, err := Open(dir)
	if errors.Is(err, ErrNoIndex) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer ix.Close()
	if err := ix.VerifyChecksums(); err != nil {
		return 0, err
	}
	var s analysis.Scratch
	all := texts(0, ix.Len())
	for i := range ix.Len() {
		id, err := ix.ID(uint32(i))
		if err != nil {
			return 0, err
		}
		fp, _, err := ix.Fingerprint(uint32(i))
		if err != nil {
			return 0, err
		}
		if want, _, err := ix.Analysis().Fingerprint(&s, []byte(all[2*i+1])); err != nil || string(id) != all[2*i] || fp != want {
			return 0, fmt.Errorf("document %d is %s with fingerprint %x, want %s with %x", i, id, fp, all[2*i], want)
		}
		if ix.Settings().Sets() {
			q, err := ix.Stored(uint32(i))
			if err != nil {
				return 0, err
			}
			if !slices.Equal(q.result.Set, ix.Analysis().Set(&s, []byte(all[2*i+1]))) {
				return 0, fmt.Errorf("document %d has a set of %d other features", i, len(q.result.Set))
			}
		}
		if ix.Keep() == KeepText {
			text, err := ix.Text(uint32(i), nil)
			if err != nil {
				return 0, err
			}
			if text != all[2*i+1] {
				return 0, fmt.Errorf("the text of document %d is %.40q", i, text)
			}
		}
	}
	return ix.Len(), nil
}

// goesOn checks that the next writer can add the missing documents and leaves no file behind.
func (h history) goesOn(dir string) error {
	w, err := h.open(unfailing, dir)
	if err != nil {
		return fmt.Errorf("the next writer: %w", err)
	}
	total := h.existing + 2*step
	all := docs(texts(0, total)...)
	if w.Learns() {
		if err := w.Learn(context.Background(), all); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	err = w.Ingest(context.Background(), all)
	if err == nil {
		_, err = w.Commit(context.Background())
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("the next writer: %w", err)
	}
	if n, err := h.documents(dir); err != nil || n != total {
		return fmt.Errorf("after the next writer %d of %d documents: %w", n, total, err)
	}
	m, err := store.ReadManifest(disk.OS, dir)
	if err != nil {
		return err
	}
	names, err := disk.OS.ReadDir(dir)
	for _, name := range names {
		if name != ManifestName && name != store.LockName && !m.Names(name) {
			return fmt.Errorf("%s is left lying", name)
		}
	}
	return err
}

// Every operation in turn fails, once or for good. Afterwards all acknowledged documents are there,
// no document is there in part, and the next writer goes on.
func TestEveryOperationFails(t *testing.T) {
	t.Parallel()
	faults := []struct {
		name  string
		err   error
		short int
	}{{"EIO", syscall.EIO, 0}, {"short write", syscall.ENOSPC, 100}, {"ENOSPC", syscall.ENOSPC, 0}}
	for _, h := range histories() {
		for i, fault := range faults {
			for _, forGood := range []bool{false, true} {
				if !*torture && (i == 2 || forGood != (fault.short > 0)) {
					continue // a single error, and a disk that is full from then on, cover most of it
				}
				t.Run(fmt.Sprintf("%s/%s/good=%v", h.name, fault.name, forGood), func(t *testing.T) {
					t.Parallel()
					failed := 0
					for at := 0; ; at++ {
						n := 0
						hit := ""
						fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
							n++
							if n-1 == at {
								hit = fmt.Sprintf("%s %s", op.Kind, filepath.Base(op.Path))
							}
							if n-1 == at || forGood && n-1 > at {
								return fault.short, fault.err
							}
							return 0, nil
						}}
						dir := filepath.Join(t.TempDir(), "new", "idx")
						h.begin(t, dir)
						acked := h.existing
						err := h.run(fsys, dir, func(documents int) { acked = documents })
						if hit == "" {
							break // the history has fewer operations
						}
						what := fmt.Sprintf("operation %d, %s, fails: %v", at, hit, err)
						if err != nil {
							failed++
							if errors.Is(err, ErrCorrupt) {
								t.Errorf("%s: a fault of the disk is taken for a corrupt index", what)
							}
							if !errors.Is(err, fault.err) && !strings.Contains(err.Error(), fault.err.Error()) {
								t.Errorf("%s: the error does not say why", what)
							}
						}
						got, openErr := h.documents(dir)
						if openErr != nil || got < acked || got > acked && !errors.Is(err, disk.ErrUncertain) || (got-h.existing)%step != 0 {
							t.Fatalf("%s: %d documents, %d acknowledged: %v", what, got, acked, openErr)
						}
						if err := h.goesOn(dir); err != nil {
							t.Fatalf("%s: %v", what, err)
						}
						if err := os.RemoveAll(dir); err != nil {
							t.Fatal(err)
						}
					}
					if failed < 10 {
						t.Errorf("only %d operations could fail: the test tests little", failed)
					}
				})
			}
		}
	}
}

// The power is cut after every operation. All acknowledged documents are on the disk, whatever else
// has reached it.
func TestPowerCutAfterEveryOperation(t *testing.T) {
	t.Parallel()
	images := 2
	switch {
	case *torture:
		images = 400
	case !testkit.IsLong():
		images = 2
	}
	for _, h := range histories() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			rng := rand.New(rand.NewPCG(1, uint64(len(h.name))))
			shadow := disktest.NewShadow(root)
			total, acked := 0, 0
			check := func(rng *rand.Rand, what string) {
				total++
				image := t.TempDir()
				if err := shadow.Image(image, rng); err != nil {
					t.Fatal(err)
				}
				dir := filepath.Join(image, "new", "idx")
				got, err := h.documents(dir)
				if err != nil || got < acked || got > acked+step || got != 0 && (got-h.existing)%step != 0 {
					t.Fatalf("power cut after %s: %d documents, %d acknowledged: %v", what, got, acked, err)
				}
				if err := h.goesOn(dir); err != nil {
					t.Fatalf("power cut after %s: %v", what, err)
				}
				if err := os.RemoveAll(image); err != nil {
					t.Fatal(err)
				}
			}
			fsys := &disktest.FS{Base: disk.OS, After: func(op disktest.Op) {
				shadow.Done(op)
				if !op.Writes() {
					return
				}
				what := fmt.Sprintf("%s %s", op.Kind, filepath.Base(op.Path))
				check(nil, what)
				for range images {
					check(rng, what)
				}
			}}
			dir := filepath.Join(root, "new", "idx")
			if h.existing > 0 { // with the shadow watching, too
				h.add(t, &disktest.FS{Base: disk.OS, After: shadow.Done}, dir, texts(0, h.existing))
			}
			acked = h.existing
			if err := h.run(fsys, dir, func(documents int) { acked = documents }); err != nil {
				t.Fatal(err)
			}
			if total < 20*(images+1) {
				t.Errorf("only %d images", total)
			}
		})
	}
}

// The pairs do not fit memory, and every operation on their temporary files fails in turn. The
// error says so, and none of the pairs yielded before it is wrong.
func TestEveryOperationOfPairsFails(t *testing.T) {
	t.Parallel()
	byDistance, bySimilarity := t.TempDir(), t.TempDir()
	add(t, byDistance, fps("", randomFingerprints(rand.New(rand.NewPCG(4, 2)), 30_000)...))
	addWith(t, bySimilarity, minHash(analysis.MinHash), WriterOptions{}, numbered(nearTexts(400), 0))
	for dir, c := range map[string]Predicate{byDistance: Within(2), bySimilarity: Similar(0.5)} {
		var want []Pair
		collect := func(into *[]Pair) func(Pair) error {
			return func(p Pair) error { *into = append(*into, p); return nil }
		}
		if err := mustOpen(t, dir).Pairs(t.Context(), c, PairOptions{Threads: 1}, collect(&want)); err != nil || len(want) < 50 {
			t.Fatalf("%d pairs, %v", len(want), err)
		}
		failed := 0
		for at := 0; ; at += testkit.Of(3, 1) {
			n, hit := 0, false
			fsys := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
				n++
				if hit = hit || n-1 == at; n-1 == at {
					return 0, syscall.EIO
				}
				return 0, nil
			}}
			var got []Pair
			ix, err := openDir(fsys, dir)
			if err == nil {
				err = errors.Join(ix.Pairs(t.Context(), c, PairOptions{Threads: 1, PairsInMemory: 500}, collect(&got)), ix.Close())
			}
			if !hit {
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("without a fault: %d of %d pairs, %v", len(got), len(want), err)
				}
				break
			}
			if err != nil {
				failed++
			}
			if err == nil && !slices.Equal(got, want) || err != nil && (!errors.Is(err, syscall.EIO) || len(got) > len(want) || !slices.Equal(got, want[:len(got)])) {
				t.Errorf("operation %d fails: %d of %d pairs, %v", at, len(got), len(want), err)
			}
		}
		if failed < testkit.Of(2, 5) {
			t.Errorf("%+v: only %d operations could fail", c, failed)
		}
	}
}
