package steps

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// A forged is the sections of a file, which are changed and written again with right checksums.
type forged struct {
	names []string
	data  map[string][]byte
}

func readForged(t *testing.T, path string) (f forged) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in, err := section.Parse("", whole)
	if err != nil {
		t.Fatal(err)
	}
	f.data = map[string][]byte{}
	in.Sections(func(name string, _, _ uint64) bool {
		f.names = append(f.names, name)
		return true
	})
	for _, name := range f.names {
		f.data[name] = in.Bytes(name)
	}
	return f
}

// write writes the file with other data in the place of a section.
func (f forged) write(t *testing.T, path, changed string, data []byte) {
	t.Helper()
	var b bytes.Buffer
	w := section.NewWriter(&b)
	for _, name := range f.names {
		if w.Begin(name); name == changed {
			_, _ = w.Write(data)
		} else {
			_, _ = w.Write(f.data[name])
		}
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// change changes a section: a number, its length, or all of it.
func (f forged) change(r *rand.Rand, name string) (data []byte, what string) {
	data = bytes.Clone(f.data[name])
	switch k := r.IntN(8); {
	case name == section.About && k < 6: // a number of the header
		places := digits(data)
		at := places[r.IntN(len(places))]
		to := []string{"0", "-1", "-2", "1", "2", "63", "64", "255", "65535", "4294967295", "4294967296", "9223372036854775807", "18446744073709551615", "1e300", "null"}
		number := to[r.IntN(len(to))]
		return slices.Concat(data[:at[0]], []byte(number), data[at[1]:]), fmt.Sprintf("the number at %d is %s", at[0], number)
	case k < 5 && len(data) >= 8:
		width := 4 << r.IntN(2)
		at := r.IntN(len(data)/width) * width
		numbers := []uint64{0, 1, math.MaxUint64, 1 << 31, math.MaxUint32, 1 << 63, uint64(len(data)), r.Uint64(), r.Uint64N(100), 1<<32 | r.Uint64N(50)}
		number := numbers[r.IntN(len(numbers))]
		copy(data[at:at+width], binary.LittleEndian.AppendUint64(nil, number))
		return data, fmt.Sprintf("%d bytes at %d are %#x", width, at, number)
	case k == 5 && len(data) > 0:
		data = data[:r.IntN(len(data))]
		return data, fmt.Sprintf("it is cut at %d", len(data))
	case k == 6:
		return append(data, bytes.Repeat([]byte{byte(r.Uint32())}, []int{1, 4, 8, 64}[r.IntN(4)])...), "it is longer"
	}
	other := f.names[r.IntN(len(f.names))]
	return bytes.Clone(f.data[other]), "it is " + other
}

// digits returns where the numbers of a header are.
func digits(data []byte) (places [][2]int) {
	for at := 0; at < len(data); at++ {
		end := at
		for end < len(data) && (data[end] >= '0' && data[end] <= '9' || data[end] == '.') {
			end++
		}
		if end > at && at > 0 && strings.ContainsRune(":[,", rune(data[at-1])) {
			places = append(places, [2]int{at, end})
		}
		at = end
	}
	return places
}

// Whatever numbers a file has, with right checksums: a step that reads it says in one line what is wrong, or takes it
// for what it could be. It does not panic, does not hang, and takes no more memory than its files and what they stand
// for.
func TestForgedNumbers(t *testing.T) {
	t.Parallel()
	newest, err := dedup.ParseKeep("newest:date")
	if err != nil {
		t.Fatal(err)
	}
	for name, how := range map[string]dedup.Options{
		"sets":         {Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.6},
		"fingerprints": {Options: run.Options{Threads: 1}, Settings: dedup.DefaultFingerprints(), Distance: 5, Keep: newest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := writeCorpus(t, rand.New(rand.NewPCG(6, 4)))
			one := stepped{how: how, shares: 2, parts: 3, memory: 64 << 20, joins: true}
			work := t.TempDir()
			commands := one.commands(work, filepath.Join(t.TempDir(), "out"), []string{dir})
			users, paths := map[string][]Command{}, []string{} // of each file
			for _, c := range commands {
				if _, err := c.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, path := range c.In {
					if filepath.Ext(path) == ".jsonl" {
						continue
					}
					if users[path] == nil {
						paths = append(paths, path)
					}
					users[path] = append(users[path], c)
				}
			}
			all := commands[slices.IndexFunc(commands, func(c Command) bool { return c.Name == "components" })]
			all.In = slices.DeleteFunc(slices.Clone(all.In), func(path string) bool { return filepath.Ext(path) == ".pairs" })
			r := rand.New(rand.NewPCG(1, 9))
			refused := 0
			for _, path := range paths {
				commands := users[path]
				if filepath.Ext(path) == ".sketch" {
					commands = append(commands, all) // which compares all sets
				}
				f := readForged(t, path)
				for n := range testkit.Of(4, 15) * len(f.names) {
					changed := f.names[n%len(f.names)]
					data, what := f.change(r, changed)
					f.write(t, path, changed, data)
					for _, c := range commands {
						c.Out = filepath.Join(work, "forged")
						if runForged(t, c) {
							refused++
						}
						if t.Failed() {
							t.Fatalf("step %s, %s of %s: %s", c.Name, changed, filepath.Base(path), what)
						}
						if err := os.RemoveAll(c.Out); err != nil {
							t.Fatal(err)
						}
					}
				}
				f.write(t, path, "", nil)
			}
			if refused < 20 {
				t.Errorf("only %d files are refused", refused)
			}
		})
	}
}

// runForged runs a step, and reports whether it has refused its files. A panic is a failure, and so is an error that
// names no file.
func runForged(t *testing.T, c Command) (refused bool) {
	defer func() {
		if bug := recover(); bug != nil {
			buffer := make([]byte, 8<<10)
			t.Errorf("%v\n%s", bug, buffer[:runtime.Stack(buffer, false)])
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	_, err := c.Run(t.Context())
	runtime.ReadMemStats(&after)
	const most = 1 << 30 // of all tests at once, with what is freed
	if took, bytes := time.Since(begun), after.TotalAlloc-before.TotalAlloc; took > 20*time.Second || bytes > most {
		t.Errorf("it takes %v and %d MB", took, bytes>>20)
	}
	if err == nil {
		return false
	}
	named := errors.Is(err, section.ErrCorrupt) || errors.Is(err, section.ErrVersion) || strings.Contains(err.Error(), filepath.Dir(c.In[0]))
	if strings.Contains(err.Error(), "\n") || !named && !strings.Contains(err.Error(), "share ") && !strings.Contains(err.Error(), "part ") {
		t.Errorf("the error is %v", err)
	}
	return true
}

// Fingerprints are sets of one number. Files that say otherwise are refused.
func TestForgedFingerprints(t *testing.T) {
	t.Parallel()
	dir := writeCorpus(t, rand.New(rand.NewPCG(6, 4)))
	one := stepped{how: dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultFingerprints(), Distance: 3}, shares: 1, parts: 2, joins: true}
	work := t.TempDir()
	commands := one.commands(work, filepath.Join(work, "out"), []string{dir})[:2] // sketch and plan
	for _, c := range commands {
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	plan := commands[1]
	sketch := readForged(t, plan.In[0])
	sizes, digests := sketch.data[secSetSizes], sketch.data[secSetDigests]
	two := bytes.Clone(sizes[:len(sizes)-4]) // one set less, and another has two numbers that ascend
	for i, printed := 0, sketch.data[secSetFeatures]; ; i++ {
		if binary.LittleEndian.Uint64(printed[8*i:]) < binary.LittleEndian.Uint64(printed[8*i+8:]) {
			two[4*i] = 2
			break
		}
	}
	sketch.data[secSetDigests] = digests[:len(digests)-16]
	sketch.write(t, plan.In[0], secSetSizes, two)
	if _, err := plan.Run(t.Context()); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("a fingerprint of two numbers: %v", err)
	}
	sketch.data[secSetDigests] = digests
	sketch.write(t, plan.In[0], "", nil)
}

// Pairs of sets that the sketches have not, or that are not near, are refused. Sets that share half of a digest are
// not one.
func TestForgedPairs(t *testing.T) {
	t.Parallel()
	dir := writeCorpus(t, rand.New(rand.NewPCG(6, 4)))
	one := stepped{how: dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.6}, shares: 2, parts: 1, joins: true}
	work, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	var components Command // its files are the pairs, and two sketches
	for _, components = range one.commands(work, out, []string{dir}) {
		if _, err := components.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if components.Name == "components" {
			break
		}
	}
	want := filesOf(t, components.Out)
	f, sketch := readForged(t, components.In[0]), readForged(t, components.In[2])
	pair := f.data[secPairs][:8*pairWords]
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(pair[8*i:]) }
	for what, words := range map[string][]uint64{
		"a set behind the last":   {word(0), setID(2, len(sketch.data[secSetSizes])/4), word(2)},
		"a share that is not":     {word(0), setID(3, 0), word(2)},
		"the later one first":     {word(1), word(0), word(2)},
		"a set and itself":        {word(0), word(0), word(2)},
		"nothing that they share": {word(0), word(1), 0},
		"more than they have":     {word(0), word(1), math.MaxUint64},
		"half a pair":             {word(0)},
	} {
		var data []byte
		for _, w := range words {
			data = binary.LittleEndian.AppendUint64(data, w)
		}
		f.write(t, components.In[0], secPairs, data)
		if !runForged(t, components) {
			t.Errorf("%s: it is taken", what)
		}
	}
	f.write(t, components.In[0], "", nil)
	digests := bytes.Clone(sketch.data[secSetDigests])
	copy(digests[:8], readForged(t, components.In[1]).data[secSetDigests])
	sketch.write(t, components.In[2], secSetDigests, digests)
	for _, in := range [][]string{components.In, components.In[1:]} {
		components.In = in
		if _, err := components.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		sameFiles(t, "half of a digest", filesOf(t, components.Out), want)
	}
}
