package dedup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/publish"
	"simsearch/internal/tests/testkit"
)

// texts returns n texts of made-up words. Two of three are edits of earlier ones, and some of these are equal.
func texts(rng *rand.Rand, n int) []string {
	var out []string
	for len(out) < n {
		var words []string
		if len(out) > 2 && rng.IntN(3) > 0 {
			words = strings.Fields(out[rng.IntN(len(out))])
		} else {
			for range 5 + rng.IntN(40) {
				words = append(words, wordOf(rng.IntN(5000)))
			}
		}
		for range rng.IntN(1 + len(words)/4) {
			words[rng.IntN(len(words))] = wordOf(rng.IntN(5000))
		}
		out = append(out, strings.Join(words, " "))
	}
	out[n/2] = "" // near nothing
	return out
}

// A record is a line of a test file.
type record struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Extra int    `json:"extra"`
}

// files writes texts to several files of JSON Lines, and returns their directory.
func files(t *testing.T, all []string) string {
	t.Helper()
	dir := t.TempDir()
	const parts = 3
	for part := range parts {
		var b bytes.Buffer
		for i := part * len(all) / parts; i < (part+1)*len(all)/parts; i++ {
			line, err := json.Marshal(record{fmt.Sprintf("d%d", i), all[i], i})
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d.jsonl", part)), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func options() Options {
	return Options{Options: run.Options{Threads: 2, Command: "simsearch dedup", FS: &disktest.FS{Base: disk.OS}}, Settings: DefaultSettings(), Threshold: 0.8}
}

// run removes duplicates, and returns the files that are written, by their names.
func ran(t *testing.T, refs, inputs []string, o Options) (map[string]string, *Report) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	r, err := runTo(t.Context(), out, refs, inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	return contents(t, out), r
}

func runTo(ctx context.Context, out string, refs, inputs []string, o Options) (r *Report, err error) {
	c, err := Read(ctx, refs, inputs, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	d, err := Decide(ctx, c)
	if err != nil {
		return r, err
	}
	err = d.Write(ctx, out)
	return d.Result(), err
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(data)
		return err
	})
	delete(all, publish.ListName) // it follows from the others
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rowsOf returns the lines of a list.
func rowsOf[T any](t *testing.T, text string) (rows []T) {
	t.Helper()
	for line := range strings.Lines(text) {
		var row T
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// setsOf returns the set of each text.
func setsOf(t *testing.T, all []string) (sets [][]uint64) {
	t.Helper()
	a, err := analysis.New(DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var scratch analysis.Scratch
	for _, text := range all {
		sets = append(sets, slices.Clone(a.Set(&scratch, []byte(text))))
	}
	return sets
}

// What is removed is near what is kept for it, which is no shorter, and no two kept documents are near. What is kept
// stands as it stood, in order.
func TestNoneIsLostAndNoneIsLeft(t *testing.T) {
	all := texts(rand.New(rand.NewPCG(1, 1)), 600)
	sets := setsOf(t, all)
	dir := files(t, all)
	numbers := map[string]int{}
	for i := range all {
		numbers[fmt.Sprintf("d%d", i)] = i
	}
	for _, keep := range []Keep{{Way: Longest}, {Way: First}} {
		o := options()
		o.Keep = keep
		got, result := ran(t, nil, []string{dir}, o)
		removed := map[int]bool{}
		for _, row := range rowsOf[removedRow](t, got[run.RemovedName]) {
			i, kept := numbers[row.ID], numbers[row.KeptID]
			removed[i] = true
			if j := ints.Jaccard(sets[i], sets[kept]); j < o.Threshold || j != row.Similarity {
				t.Errorf("%s is removed for %s: similarity %v, said to be %v", row.ID, row.KeptID, j, row.Similarity)
			}
			if keep.Way == Longest && len(all[i]) > len(all[kept]) || keep.Way == First && i < kept {
				t.Errorf("keep %v: %s is removed for %s", keep, row.ID, row.KeptID)
			}
		}
		var kept []string
		for part := range 3 {
			name := fmt.Sprintf("part%d.jsonl", part)
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			var want strings.Builder
			lines := bufio.NewScanner(bytes.NewReader(data))
			for i := part * len(all) / 3; lines.Scan(); i++ {
				if !removed[i] {
					want.WriteString(lines.Text() + "\n")
					kept = append(kept, fmt.Sprint(i))
				}
			}
			if got[run.KeptName+"/"+name] != want.String() {
				t.Errorf("keep %v: %s has other lines than the kept ones of the input", keep, name)
			}
		}
		for a := range all {
			for b := range a {
				if !removed[a] && !removed[b] && len(sets[a]) > 0 && ints.Jaccard(sets[a], sets[b]) >= o.Threshold {
					t.Errorf("keep %v: %d and %d are near, and both are kept", keep, a, b)
				}
			}
		}
		if result.Removed != len(removed) || result.Documents != len(all) || result.Empty != 0 || len(removed) < 50 || len(kept)+len(removed) != len(all) {
			t.Errorf("keep %v: %+v, but %d are removed", keep, result, len(removed))
		}
		clustered := 0
		for i, row := range rowsOf[clusterRow](t, got[ClustersName]) {
			least := 1.0
			for _, a := range row.IDs {
				for _, b := range row.IDs {
					least = min(least, ints.Jaccard(sets[numbers[a]], sets[numbers[b]]))
				}
			}
			if row.Cluster != i+1 || row.Size != len(row.IDs) || row.IDs[0] != row.KeptID || removed[numbers[row.KeptID]] || row.MinSimilarity != least {
				t.Errorf("%+v, the smallest similarity is %v", row, least)
			}
			clustered += row.Size - 1
		}
		if clustered != len(removed) {
			t.Errorf("%d documents are removed from clusters, want %d", clustered, len(removed))
		}
	}
}

// The result does not depend on threads, memory or how components are found.
func TestTheSameBytes(t *testing.T) {
	dir := files(t, texts(rand.New(rand.NewPCG(2, 1)), 300))
	for _, chain := range []bool{false, true} {
		o := options()
		o.Chain = chain
		want, _ := ran(t, nil, []string{dir}, o)
		o.Threads, o.Memory = 1, 1<<20
		if got, _ := ran(t, nil, []string{dir}, o); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("chain %v: other files on one thread", chain)
		}
	}
}

// What is near a reference is removed. The reference itself is not written, and near documents of it stay apart.
func TestReference(t *testing.T) {
	all := texts(rand.New(rand.NewPCG(3, 1)), 400)
	sets := setsOf(t, all)
	refs, inputs := files(t, all[:200]), files(t, all[200:])
	got, result := ran(t, []string{refs}, []string{inputs}, options())
	removed := map[string]removedRow{}
	for _, row := range rowsOf[removedRow](t, got[run.RemovedName]) {
		removed[row.ID] = row
	}
	byReference := 0
	for i := 200; i < 400; i++ {
		best := 0.0
		for _, ref := range sets[:200] {
			best = max(best, ints.Jaccard(ref, sets[i]))
		}
		row, ok := removed[fmt.Sprintf("d%d", i-200)]
		if len(sets[i]) > 0 && best >= 0.8 && (!ok || row.Similarity < best) {
			t.Errorf("document %d has a similarity of %v with the reference, %+v", i-200, best, row)
		}
		if best >= 0.8 {
			byReference++
		}
	}
	if byReference < 30 || result.Documents != 200 {
		t.Errorf("%d documents are near the reference of %d", byReference, result.Documents)
	}
}

// Annotations keep all documents, and say what would be removed.
func TestAnnotate(t *testing.T) {
	dir := files(t, texts(rand.New(rand.NewPCG(4, 1)), 200))
	plain, _ := ran(t, nil, []string{dir}, options())
	o := options()
	o.Annotate = true
	got, _ := ran(t, nil, []string{dir}, o)
	removed := map[string]removedRow{}
	for _, row := range rowsOf[removedRow](t, plain[run.RemovedName]) {
		removed[row.ID] = row
	}
	sizes := map[int]int{}
	for _, row := range rowsOf[clusterRow](t, plain[ClustersName]) {
		sizes[row.Cluster] = row.Size
	}
	documents := 0
	for part := range 3 {
		for _, row := range rowsOf[struct {
			record
			Cluster    *int     `json:"dup_cluster"`
			Size       int      `json:"dup_size"`
			Kept       bool     `json:"dup_kept"`
			KeptID     *string  `json:"dup_kept_id"`
			Similarity *float64 `json:"dup_similarity"`
		}](t, got[fmt.Sprintf("%s/part%d.jsonl", run.KeptName, part)]) {
			documents++
			is, out := removed[row.ID]
			if row.Kept == out || out && (*row.KeptID != is.KeptID || *row.Similarity != is.Similarity) || !out && row.KeptID != nil {
				t.Errorf("%+v, want %+v", row, is)
			}
			if row.Cluster == nil && row.Size != 1 || row.Cluster != nil && sizes[*row.Cluster] != row.Size {
				t.Errorf("%+v is in a cluster of another size", row)
			}
		}
	}
	if documents != 200 {
		t.Errorf("%d documents of 200", documents)
	}
}

// What cannot be read is told of, and stays.
func TestBadLinesStay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in.jsonl")
	in := `{"id":"a","text":"one two three four five six"}` + "\n{broken\n" + `{"id":"b","text":"one two three four five six"}` + "\n"
	if err := os.WriteFile(path, []byte(in), 0o666); err != nil {
		t.Fatal(err)
	}
	o := options()
	var bad []string
	o.Bad = func(err *corpus.BadError) { bad = append(bad, err.Error()) }
	got, result := ran(t, nil, []string{path}, o)
	if want := strings.Join(strings.SplitAfter(in, "\n")[:2], ""); got[run.KeptName+"/in.jsonl"] != want || len(bad) != 1 || result.Bad != 1 || result.Exact != 1 {
		t.Errorf("%q, want %q; %q, %+v", got[run.KeptName+"/in.jsonl"], want, bad, result)
	}
}

// A run that fails anywhere is finished by the same run again, with the same files.
func TestFailures(t *testing.T) {
	dir := files(t, texts(rand.New(rand.NewPCG(5, 1)), 60))
	spilled := func() Options { // texts that are judged are in a file
		o := byCopies()
		o.PartBytes = 1 << 8
		return o
	}
	for _, how := range []func() Options{options, spilled} {
		finishesAfterFailures(t, dir, how)
	}
}

// finishesAfterFailures fails one operation of a run after the other.
func finishesAfterFailures(t *testing.T, dir string, how func() Options) {
	want, _ := ran(t, nil, []string{dir}, how())
	for at := 0; ; at += testkit.Of(4, 1) {
		out := filepath.Join(t.TempDir(), "out")
		n, hit := 0, false
		o := how()
		o.Threads = 1
		o.FS = &disktest.FS{Base: disk.OS, Before: func(disktest.Op) (int, error) {
			if n++; n-1 == at {
				hit = true
				return 0, os.ErrPermission
			}
			return 0, nil
		}}
		_, err := runTo(t.Context(), out, nil, []string{dir}, o)
		if !hit {
			break
		}
		if err == nil {
			if got := contents(t, out); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("operation %d fails, and nobody is told", at)
			}
			continue
		}
		if err := Prepare(out, nil, how()); err != nil {
			t.Fatalf("operation %d: %v", at, err)
		}
		if _, err := runTo(t.Context(), out, nil, []string{dir}, how()); err != nil {
			t.Fatalf("operation %d: %v", at, err)
		}
		if got := contents(t, out); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("operation %d fails: other files after the next run", at)
		}
	}
}

// A directory with something else in it is not written to.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	if err := Prepare(dir, nil, options()); err != nil {
		t.Error(err)
	}
	if err := Prepare(filepath.Join(dir, "new"), nil, options()); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Prepare(dir, nil, options()); err == nil {
		t.Error("a directory with files is taken")
	}
	// The result of the same command is made anew, and of no other one.
	in := files(t, texts(rand.New(rand.NewPCG(6, 1)), 30))
	o, out := options(), filepath.Join(t.TempDir(), "out")
	o.Command = "simsearch dedup --out out in"
	for range 2 {
		if _, err := runTo(t.Context(), out, nil, []string{in}, o); err != nil {
			t.Error(err)
		}
	}
	o.Command = "simsearch dedup --out out other"
	if _, err := runTo(t.Context(), out, nil, []string{in}, o); err == nil {
		t.Error("the result of another command is replaced")
	}
}

// A directory that is read is not written to, nor one in it or around it.
func TestPrepareApart(t *testing.T) {
	dir := t.TempDir()
	for out, input := range map[string]string{dir: dir, filepath.Join(dir, "clean"): dir, filepath.Join(dir, "a"): filepath.Join(dir, "a", "kept", "x.jsonl")} {
		if err := Prepare(out, []string{input}, options()); err == nil {
			t.Errorf("%s is written to, and %s read", out, input)
		}
	}
	if err := Prepare(filepath.Join(dir, "clean"), []string{filepath.Join(dir, "crawl"), filepath.Join(dir, "clean2")}, options()); err != nil {
		t.Error(err)
	}
}

// A file that changes between the two readings is told of.
func TestChangedFiles(t *testing.T) {
	const before = `{"id":"a","text":"one two three"}` + "\n" + `{"id":"b","text":"four five six"}` + "\n"
	for what, after := range map[string]string{
		"another text": strings.Replace(before, "two", "2", 1), "another id": strings.Replace(before, `"a"`, `"c"`, 1),
		"more": before + before, "less": before[:strings.Index(before, "\n")+1],
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "in.jsonl")
		if err := os.WriteFile(path, []byte(before), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Read(t.Context(), nil, []string{path}, options())
		if err != nil {
			t.Fatal(err)
		}
		d, err := Decide(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(after), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := d.Write(t.Context(), filepath.Join(dir, "out")); !errors.Is(err, document.ErrChanged) {
			t.Errorf("%s: %v, want %v", what, err, document.ErrChanged)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A file that is not what its name says is copied as it is, and lists without files are told of.
func TestInputsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	packed, list := filepath.Join(dir, "a.jsonl.bz2"), filepath.Join(dir, "list")
	const text = `{"text":"a b c d"}`
	if err := errors.Join(os.WriteFile(packed, []byte("BZh9 not read"), 0o666), os.WriteFile(list, []byte(filepath.Join(dir, "absent")+"\n"), 0o666),
		os.WriteFile(filepath.Join(dir, "b.jsonl"), []byte(text+"\n"+text), 0o666)); err != nil {
		t.Fatal(err)
	}
	o := options()
	if got, r := ran(t, nil, []string{dir}, o); got[run.KeptName+"/a.jsonl.bz2"] != "BZh9 not read" || r.Removed != 1 || r.Bad == 0 {
		t.Errorf("%q, %+v", got, r)
	}
	o = options()
	o.Corpus.FilesFrom = []string{list}
	bad := 0
	o.Bad = func(*corpus.BadError) { bad++ }
	c, err := Read(t.Context(), nil, nil, o)
	if err != nil || bad != 1 || c.Len() != 0 {
		t.Fatalf("%v, %d bad lines", err, bad)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
