package dedup

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/text/encoding/charmap"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/tests/testkit"
)

// Every file of the input is in kept, or all of it is removed, or the list names it, whatever its bytes: files of all
// formats, damaged at random, in every way to write them.
func TestEveryFileIsAccountedFor(t *testing.T) {
	t.Parallel()
	rounds := testkit.Of(6, 60)
	rng := rand.New(rand.NewPCG(29, 3))
	ways := []func(o *Options){func(*Options) {}, func(o *Options) { o.DryRun = true }, func(o *Options) { o.State = "" }}
	for round := range rounds {
		in, n := damaged(t, rng)
		out := filepath.Join(t.TempDir(), "out")
		o := resumable(out)
		ways[round%len(ways)](&o)
		r, err := runTo(t.Context(), out, nil, []string{in}, o)
		if errors.As(err, new(*corpus.FieldError)) { // the damage is in the name of the first field of all
			if _, err := os.Lstat(out); err == nil {
				t.Errorf("%s is there, and no record was read", out)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		accounted(t, in, out, r.Files, n, r.Mode != rehearsal)
		if r.Documents != (r.Documents-r.Removed)+r.Removed || r.Removed != len(rowsOf[removedRow](t, contents(t, out)[run.RemovedName])) {
			t.Errorf("%d documents are removed of %d, and the list has others", r.Removed, r.Documents)
		}
		cutOut, replayOut := filepath.Join(t.TempDir(), "cut"), filepath.Join(t.TempDir(), "replay")
		cut := options()
		cut.By, cut.MinWords = Lines, 3
		if c, err := cutRun(t.Context(), nil, []string{in}, cutOut, cut); err == nil {
			accounted(t, in, cutOut, c.Files, n, true)
		} else if !errors.Is(err, ErrText) { // a file has a format in which texts cannot be replaced
			t.Fatal(err)
		}
		replayed, err := Replay(t.Context(), filepath.Join(out, run.RemovedName), []string{in}, replayOut, options())
		if err != nil {
			t.Fatal(err)
		}
		accounted(t, in, replayOut, replayed.Files, n, true)
	}
}

// damaged writes n files of many formats, some of which are no texts or are damaged, and returns their directory.
func damaged(t *testing.T, rng *rand.Rand) (dir string, n int) {
	t.Helper()
	dir = mixed(t, rng)
	for name, text := range map[string]string{
		"x.pdf": "%PDF-1.7 words", "x.xlsx": "PK\x03\x04 words", "x.png": "\x89PNG\r\n\x1a\n", "utf16.txt": "\xff\xfea\x00 \x00b\x00",
		"latin.txt": "caf\xe9 au lait", "nul.jsonl": "{\"text\":\"one two\"}\n\x00\n{\"text\":\"three\"}\n", "empty.txt": "", "a.warc": "WARC/1.0\r\n",
		"a.parquet": "PAR1", "m.mbox": "From a\n\nwords of mail\n", "b.html": "<p>words</p>", "c.tsv": "id\ttext\n1\ta b c\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.jsonl", filepath.Join(dir, "link.jsonl")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		n++
		if rng.IntN(3) > 0 || !e.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 {
			return err
		}
		switch at := rng.IntN(len(data)); rng.IntN(4) {
		case 0:
			data = data[:at]
		case 1:
			data[at] ^= 1 << rng.IntN(8)
		case 2:
			data = bytes.Join([][]byte{data[:at], data[at:]}, []byte{0, byte(rng.IntN(256))})
		default:
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			if _, err := z.Write(data); err != nil {
				return err
			}
			if err := z.Close(); err != nil {
				return err
			}
			data = b.Bytes()[:1+rng.IntN(b.Len())]
		}
		return os.WriteFile(path, data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, n
}

// accounted tests that each of n files is kept, removed or left out, and that these are what the output has.
func accounted(t *testing.T, in, out string, f Files, n int, written bool) {
	t.Helper()
	if f.Input != n || f.Kept+f.Removed+f.LeftOut != n || f.Kept < 0 {
		t.Errorf("%d files: %d kept, %d removed, %d left out of %d", n, f.Kept, f.Removed, f.LeftOut, f.Input)
	}
	left, parts, copied := map[string]bool{}, 0, 0
	for _, row := range rowsOf[run.LeftOut](t, contents(t, out)[run.LeftOutName]) {
		if row.Reason == "" {
			t.Errorf("%s is left out for no reason", row.Source)
		}
		if row.InPart {
			parts++
			continue
		}
		if row.Copied {
			copied++
			continue
		}
		left[row.Source] = true
	}
	if copied != f.Copied {
		t.Errorf("the list has %d files that are copied, want %d", copied, f.Copied)
	}
	if parts != f.Damaged {
		t.Errorf("the list has %d files that are damaged, want %d", parts, f.Damaged)
	}
	if len(left) != f.LeftOut {
		t.Errorf("the list has %d files that are left out, want %d", len(left), f.LeftOut)
	}
	if !written {
		return
	}
	missing := 0
	kept := contents(t, filepath.Join(out, run.KeptName))
	for name := range contents(t, in) {
		path := filepath.Join(in, filepath.FromSlash(name))
		found := false
		for at := range kept {
			found = found || at == name || strings.HasSuffix(at, "/"+name)
		}
		if left[path] == found {
			if missing++; found || missing > f.Removed {
				t.Errorf("%s is left out: %v, and written: %v", name, left[path], found)
			}
		}
	}
}

// Files that directories have are told of with their reasons.
func TestLeftOutReasons(t *testing.T) {
	in, _ := damaged(t, rand.New(rand.NewPCG(29, 5)))
	for name, text := range map[string]string{"x.pdf": "%PDF-1.7 words", "x.png": "\x89PNG\r\n\x1a\n"} {
		if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, r := ran(t, nil, []string{in}, options())
	got := fmt.Sprint(r.Files.AllLeftOut)
	for name, why := range map[string]error{"x.pdf": corpus.ErrPDF, "x.png": corpus.ErrPicture, "link.jsonl": corpus.ErrLink} {
		ok := false
		for _, l := range r.Files.AllLeftOut {
			ok = ok || filepath.Base(l.Path) == name && errors.Is(l.Why, why)
		}
		if !ok {
			t.Errorf("%s is not left out for %v: %s", name, why, got)
		}
	}
}

// A file that can be read and not written again is copied as it is, and told of; so is the end of a file that is lost.
func TestDamagedFilesAreToldOf(t *testing.T) {
	type row struct {
		Text string `parquet:"text"`
		N    int64  `parquet:"n,plain"`
	}
	in := t.TempDir()
	path := filepath.Join(in, "p.parquet")
	if err := parquet.WriteFile(path, []row{{"a b c d", 1}, {"a b c d", 2}, {"x y z", 3}}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := 0
	for at := 0; at < len(whole); at += testkit.Of(7, 1) {
		data := bytes.Clone(whole)
		data[at] ^= 0xff
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		got, r := ran(t, nil, []string{in}, options())
		if r.Files.Damaged == 0 {
			continue
		}
		if copied++; got[run.KeptName+"/p.parquet"] != string(data) || !strings.Contains(got[run.LeftOutName], `"in_part":true`) {
			t.Errorf("byte %d is damaged: %q", at, got[run.LeftOutName])
		}
	}
	if copied == 0 {
		t.Error("no damage is met when the file is written")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for i := range 50 {
		z := gzip.NewWriter(&b)
		if _, err := fmt.Fprintf(z, "{\"text\":\"k%d l%d m%d\"}\n", i, i, i); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if i == 10 {
			b.WriteString("XXXX")
		}
	}
	if err := os.WriteFile(filepath.Join(in, "z.jsonl.gz"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{false, true} {
		o := options()
		o.DryRun = dry
		got, r := ran(t, nil, []string{in}, o)
		if r.Files.Damaged != 1 || !strings.Contains(got[run.LeftOutName], `z.jsonl.gz","reason":"what follows the damage`) {
			t.Errorf("dry run %v: %+v, %q", dry, r.Files, got[run.LeftOutName])
		}
	}
}

// Each file that could not be compared is named, of the input and of the reference, whether its records, the file, or
// its charset are the reason.
func TestUnreadFilesAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign, err := charmap.KOI8R.NewEncoder().String(strings.Repeat("корабль уходит от старого причала ", 5))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"in", "ref"} {
		for name, text := range map[string]string{
			"a.txt": "one two three " + of, "b.csv": "id,other\n1,x\n", "c.txt": foreign, "d.jsonl": "{\"other\":1}\n{\"text\":2}\n", "e.pdf": "%PDF-1.7",
			"f.jsonl": "{\"content\":\"four five six " + of + "\"}\n", "g.csv": "id,content\n",
		} {
			if err := os.MkdirAll(filepath.Join(dir, of), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, of, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := options()
	o.Corpus.TextField, o.Corpus.Lenient = "content", true
	out := filepath.Join(dir, "out")
	r, err := runTo(t.Context(), out, []string{filepath.Join(dir, "ref")}, []string{filepath.Join(dir, "in")}, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rowsOf[run.LeftOut](t, contents(t, out)[run.LeftOutName]) {
		rel, err := filepath.Rel(dir, row.Source)
		if err != nil || row.Reason == "" {
			t.Errorf("%+v, %v", row, err)
		}
		got = append(got, fmt.Sprint(filepath.ToSlash(rel), " ", row.Copied, " ", row.Reference))
	}
	want := []string{"in/e.pdf false false", "in/b.csv true false", "in/c.txt true false", "in/d.jsonl true false",
		"ref/b.csv false true", "ref/c.txt false true", "ref/d.jsonl false true", "ref/e.pdf false true"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if f := r.Files; r.Documents != 2 || f.Input != 7 || f.Kept != 6 || f.LeftOut != 1 || f.Copied != 3 || len(f.Unread) != 7 {
		t.Errorf("%d documents; %+v", r.Documents, f)
	}
}
