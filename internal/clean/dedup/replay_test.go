package dedup

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"simsearch/internal/clean/run"
	"simsearch/internal/tests/testkit"
)

// mixed writes files of several formats, with blank lines and records that cannot be read, and returns their directory.
func mixed(t *testing.T, rng *rand.Rand) string {
	t.Helper()
	dir := t.TempDir()
	all := texts(rng, 240)
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var jsonl, csv, lines strings.Builder
	jsonl.WriteString("\ufeff")
	csv.WriteString("id,text\r\n")
	for i, text := range all {
		switch i % 4 {
		case 0:
			data, err := json.Marshal(record{fmt.Sprint(i % 7), text, i}) // ids are not unique
			if err != nil {
				t.Fatal(err)
			}
			jsonl.WriteString(strings.Repeat("\n", rng.IntN(3)/2) + string(data) + []string{"\n", "\r\n", "\n{broken\n"}[rng.IntN(3)])
		case 1:
			fmt.Fprintf(&csv, "%d,\"%s\"\r\n", i, strings.ReplaceAll(text, " ", "\n"))
		case 2:
			lines.WriteString(text + "\n")
		default:
			write(fmt.Sprintf("notes/%d.txt", i), text)
		}
	}
	write("a.jsonl", strings.TrimSuffix(jsonl.String(), "\n"))
	write("sub/b.csv", csv.String())
	write("binary", "\x00\x01")
	write("none.jsonl", "")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, jsonl.String()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write("c.jsonl.gz", packed.String())
	return dir
}

// The list of a run removes what the run has removed, whichever ids are not unique, and what is taken out of it stays.
func TestReplay(t *testing.T) {
	t.Parallel()
	for seed := range testkit.Of(uint64(1), 4) {
		rng := rand.New(rand.NewPCG(32, seed))
		in := mixed(t, rng)
		o := options()
		o.Threshold, o.Corpus.Base = 0.6, in
		want, _ := ran(t, nil, []string{in}, o)
		list := filepath.Join(t.TempDir(), "removed.jsonl")
		replay := func(lines string) (map[string]string, Replayed) {
			t.Helper()
			out := filepath.Join(t.TempDir(), "out")
			if err := os.WriteFile(list, []byte(lines), 0o666); err != nil {
				t.Fatal(err)
			}
			done, err := Replay(t.Context(), list, []string{in}, out, o)
			if err != nil {
				t.Fatal(err)
			}
			return contents(t, out), done
		}
		got, done := replay(want[run.RemovedName])
		for name, text := range want {
			if (strings.HasPrefix(name, run.KeptName) || name == run.RemovedName) && got[name] != text {
				t.Errorf("%s is not as it was", name)
			}
			if strings.HasPrefix(name, run.KeptName) {
				delete(got, name)
			}
		}
		if len(got) != 3 || got[run.LeftOutName] != want[run.LeftOutName] || !strings.Contains(got[run.ReportName], `"mode": "replay"`) || len(done.Warnings) > 0 {
			t.Errorf("%d other files; %q", len(got), done.Warnings)
		}
		rows := strings.SplitAfter(strings.TrimSuffix(want[run.RemovedName], "\n"), "\n")
		_, fewer := replay(strings.Join(rows[:len(rows)-3], "") + "\n" + `{"id":"nowhere"}`)
		if fewer.Removed != done.Removed-3 || len(fewer.Warnings) != 1 || !strings.Contains(fewer.Warnings[0], `1 of `) {
			t.Errorf("%d removed, want 3 fewer than %d; %q", fewer.Removed, done.Removed, fewer.Warnings)
		}
	}
}

func TestReplayWarns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, list := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "list")
	if err := os.WriteFile(in, []byte(`{"id":"a","text":"1"}`+"\n"+`{"id":"b","text":"2"}`+"\n"+`{"id":"b","text":"3"}`+"\n"+`{"id":"c","text":"4"}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		list, want string
		removed    int
	}{
		{`{"id":"a","kept_id":"c"}`, "", 1},
		{`{"id":"b"}`, "", 2},
		{`{"id":"b","source":"/moved/in.jsonl","number":1}`, "/moved/in.jsonl and the other sources are none of the files", 0},
		{`{"id":"b","source":"/moved/in.jsonl"}` + "\n" + `{"id":"a"}` + "\n" + `{"id":"x"}`, "1 of 3 lines are of files that are not read. 1 of 3 lines name no document of the input, such as that of the id \"x\"", 1},
		{`{"id":"a","part":2,"source":"in.jsonl"}`, "line 1 is about a part of a document: want a list of documents, such as removed.jsonl", 0},
		{`{"id":"a","kept_id":"c"}` + "\n" + `{"id":"c","kept_id":"b"}`, `"a" for "c"`, 2},
		{fmt.Sprintf(`{"id":"b","kept_id":"b","source":%q,"number":2}`, in), "", 1},
		{fmt.Sprintf(`{"id":"a","source":%q,"number":2}`, in), "document 2 has not the id", 0},
		{`{"id":1}`, "line 1: want an object with an id", 0},
		{`{"id":"a"}` + "\n{", "line 2: want an object with an id", 0},
		{"", "", 0},
	} {
		if err := os.WriteFile(list, []byte(test.list), 0o666); err != nil {
			t.Fatal(err)
		}
		done, err := Replay(t.Context(), list, []string{in}, filepath.Join(dir, fmt.Sprint("out", i)), Options{Options: run.Options{Threads: 1}})
		told := strings.Join(done.Warnings, " ")
		if err != nil {
			told = err.Error()
		} else if done.Removed != test.removed {
			t.Errorf("%s: %d removed, want %d", test.list, done.Removed, test.removed)
		}
		if !strings.Contains(told, test.want) || test.want == "" && told != "" {
			t.Errorf("%s: %s, want %s", test.list, told, test.want)
		}
	}
}
