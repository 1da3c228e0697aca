package steps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// The sketch of a small collection is the golden one, whose dump another program made: sketch.py, which knows no code
// of this package. Do NOT make changes to the golden files: machines that run different versions of the program
// exchange sketches.
func TestGoldenSketch(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.jsonl": `{"id":"1","text":"The ferry leaves at nine.","year":2020}
{"id":"2","text":"Not the ferry; a ferry!","year":2021}
{"id":"drei","text":"…"}
{"id":"4","text":"The FERRY leaves, at nine","year":"x"}
`,
		"b.csv": "id,text,year\n1,Die Fähre fährt um neun.,1999\n",
		"c.csv": "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.8, Keep: dedup.Keep{Way: dedup.Highest, Field: "year"}}
	prints := dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultFingerprints(), Distance: 3, Chain: true}
	for name, o := range map[string]dedup.Options{"sets": o, "fingerprints": prints} {
		command := Command{Name: "sketch", Inputs: []string{"."}, Out: name, How: o}
		if _, err := command.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		want := golden(t, name+".sketch")
		if !bytes.Equal(got, want) {
			t.Errorf("the sketch of %s has other bytes than the golden one", name)
		}
		dump := golden(t, name+".jsonl")
		if got := dumped(t, got); got != string(dump) {
			t.Errorf("%s: the sketch has\n%s\nwant\n%s", name, got, dump)
		}
	}
}

// here is the directory of this package.
var here, _ = os.Getwd()

func golden(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(here, "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// dumped returns what sketch.py prints of a sketch, as this package reads it.
func dumped(t *testing.T, sketch []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sketch")
	if err := os.WriteFile(path, sketch, 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := open(disk.OS, path, sketchKind)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.mapped.Close() }()
	s := readSketch(in)
	var b bytes.Buffer
	line := func(raw []byte) { // with the keys in order, and spaces as Python puts them
		var v any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		appendSpaced(&b, v)
		b.WriteByte('\n')
	}
	about := in.Bytes(section.About)
	line(about)
	doc, from := 0, uint64(0)
	starts := []uint64{0}
	for _, n := range s.sizes {
		starts = append(starts, starts[len(starts)-1]+uint64(n))
	}
	for _, f := range in.Files {
		for range f.Documents {
			one := map[string]any{"file": f.Path, "id": string(s.IDs[from:s.IDEnds[doc]]), "length": s.Lengths[doc],
				"digest": fmt.Sprintf("%016x", s.Digests[doc]), "facts": s.facts[11*doc : 11*doc+11]}
			if s.keys[0] != nil {
				one["keys"] = []uint64{s.keys[0][doc], s.keys[1][doc]}
			}
			if s.SetOf[doc] != noSet {
				set := s.set(int(s.SetOf[doc]), starts[s.SetOf[doc]])
				var hex []string
				for _, feature := range set {
					hex = append(hex, fmt.Sprintf("%016x", feature))
				}
				one["set"] = hex
			}
			raw, err := json.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			line(raw)
			from = s.IDEnds[doc]
			doc++
		}
	}
	return b.String()
}

// appendSpaced writes JSON as Python does: with a space behind commas and colons.
func appendSpaced(b *bytes.Buffer, v any) {
	compact, _ := json.Marshal(v) // with sorted keys
	inString, escaped := false, false
	for _, c := range compact {
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
}

// sketch.py reads every sketch as this package does, and refuses one with a flipped bit.
func TestSketchByAnotherProgram(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		testkit.Skip(t, "python", "there is no python3")
	}
	dir := t.TempDir()
	var texts bytes.Buffer
	for i := range 400 { // so that checksums of some sections lie behind these
		fmt.Fprintf(&texts, "{\"id\":\"d%d\",\"text\":\"w%d w%d w%d w%d common words\"}\n", i, i, i*7%100, i*11%300, i*13)
	}
	in, path := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "sketch")
	if err := os.WriteFile(in, texts.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	how := dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.8}
	command := Command{Name: "sketch", Inputs: []string{in}, Out: path, How: how}
	if _, err := command.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	sketch, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := func() (string, error) {
		out, err := exec.Command(python, "testdata/sketch.py", path).Output()
		return string(out), err
	}
	got, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if want := dumped(t, sketch); got != want {
		t.Errorf("sketch.py reads\n%.800s\nwant\n%.800s", got, want)
	}
	sketch[len(sketch)/2] ^= 4
	if err := os.WriteFile(path, sketch, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); err == nil {
		t.Error("sketch.py reads a damaged sketch")
	}
}
