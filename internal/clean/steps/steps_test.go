package steps

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/ground/section"
	"simsearch/internal/match/prefix"
	"simsearch/internal/quality/explain"
	"simsearch/internal/tests/testkit"
)

// A stepped run is what steps are given.
type stepped struct {
	how    dedup.Options
	shares int
	parts  int
	memory int64
	joins  bool // with plan, scatter and join
	twice  bool // each step runs twice
}

func (r stepped) String() string {
	return fmt.Sprintf("threshold %v, distance %d, %v, chain %v, spare %v, %d shares, %d parts, joins %v",
		r.how.Threshold, r.how.Distance, r.how.Keep, r.how.Chain, r.how.Spare, r.shares, r.parts, r.joins)
}

// commands returns the steps of a run in their order.
func (r stepped) commands(work, out string, inputs []string) (all []Command) {
	name := func(i int, kind string) string { return filepath.Join(work, fmt.Sprintf("%d.%s", i, kind)) }
	plan := filepath.Join(work, "plan")
	var sketched, scattered, joined []string
	how := r.how
	how.Memory = r.memory
	for i := 1; i <= r.shares; i++ {
		how.Share = corpus.Share{Number: i, Of: r.shares}
		sketched = append(sketched, name(i, "sketch"))
		all = append(all, Command{Name: "sketch", Out: name(i, "sketch"), Inputs: inputs, How: how})
	}
	if r.joins {
		all = append(all, Command{Name: "plan", In: sketched, Out: plan, How: how, Parts: r.parts})
		for i := 1; i <= r.shares; i++ {
			scattered = append(scattered, name(i, "scattered"))
			all = append(all, Command{Name: "scatter", In: []string{plan, name(i, "sketch")}, Out: name(i, "scattered"), How: how})
		}
		for i := 1; i <= r.parts; i++ {
			joined = append(joined, name(i, "pairs"))
			all = append(all, Command{Name: "join", In: slices.Concat(scattered, []string{plan}), Out: name(i, "pairs"), How: how, Part: i})
		}
	}
	all = append(all, Command{Name: "components", In: slices.Concat(joined, sketched), Out: out, How: how})
	for i := 1; i <= r.shares; i++ {
		how.Share = corpus.Share{Number: i, Of: r.shares}
		all = append(all, Command{Name: "keep", In: []string{filepath.Join(out, run.RemovedName)}, Out: out, Inputs: inputs, How: how})
	}
	return all
}

// byDedup returns the files that dedup writes, as far as steps write them, too.
func byDedup(t *testing.T, inputs []string, how dedup.Options) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clean")
	c, err := dedup.Read(t.Context(), nil, inputs, how)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	d, err := dedup.Decide(t.Context(), c)
	if err == nil {
		err = d.Write(t.Context(), dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filesOf(t, dir)
}

// filesOf returns the files that steps write, by their names in a directory.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(name, run.KeptName+"/") || name == run.RemovedName || name == dedup.ClustersName {
			data, err := os.ReadFile(path)
			files[name] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sameBytes(t *testing.T, a, b string) {
	t.Helper()
	got, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(b); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s and %s have other bytes, or %v", a, b, err)
	}
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s has\n%.600q, want\n%.600q", what, name, got[name], want[name])
			return
		}
	}
	t.Errorf("%s: files %v, want %v", what, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
}

// writeCorpus writes a random collection in several formats, with equal and near texts, an empty file, and in some a
// crowd: texts of one template, most of which are near each other.
func writeCorpus(t *testing.T, r *rand.Rand) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "corpus")
	word := func() string { return fmt.Sprintf("w%d", int(2000*r.Float64()*r.Float64()*r.Float64())) }
	fresh := func(n int) (words []string) {
		for range n {
			words = append(words, word())
		}
		return words
	}
	all, template := [][]string{fresh(20)}, fresh(50)
	crowd := r.IntN(3) == 0
	text := func() string {
		var words []string
		switch r.IntN(6) {
		case 0, 1:
			words = fresh(1 + r.IntN(60))
		case 2:
			if crowd {
				words = slices.Clone(template)
				break
			}
			fallthrough
		default:
			words = slices.Clone(all[r.IntN(len(all))])
		}
		for range r.IntN(5) {
			words[r.IntN(len(words))] = word()
		}
		if r.IntN(8) == 0 {
			words = append(words, "Read", "more", "here", "not", fmt.Sprint(r.IntN(100)))
		}
		all = append(all, words)
		if r.IntN(30) == 0 {
			return "…" // without words
		}
		return strings.Join(words, " ")
	}
	record := func(i int) map[string]any {
		return map[string]any{"id": fmt.Sprintf("d%d", i), "text": text(), "date": fmt.Sprintf("20%02d-01-01", r.IntN(30)), "n": i}
	}
	put := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 + r.IntN(6) {
		var b bytes.Buffer
		name, n := fmt.Sprintf("f%d", r.IntN(1000)*10+i), r.IntN(60)
		switch r.IntN(5) {
		case 0:
			w := csv.NewWriter(&b)
			_ = w.Write([]string{"id", "text", "date"})
			for j := range n {
				one := record(j)
				_ = w.Write([]string{one["id"].(string), one["text"].(string), one["date"].(string)})
			}
			w.Flush()
			name += ".csv"
		case 1:
			z := gzip.NewWriter(&b)
			e := json.NewEncoder(z)
			for j := range n {
				_ = e.Encode(record(j))
			}
			_ = z.Close()
			name += ".jsonl.gz"
		default:
			e := json.NewEncoder(&b)
			for j := range n {
				_ = e.Encode(record(j % 40)) // some ids twice
			}
			name += ".jsonl"
		}
		if i == 1 {
			name = "deep/er/" + name
		}
		put(name, b.Bytes())
	}
	put("empty.jsonl", nil)
	return dir
}

// options returns what dedup does by default, or by one of the ways that steps know.
func options(r *rand.Rand) dedup.Options {
	o := dedup.Options{Options: run.Options{Threads: 1 + r.IntN(3)}, Settings: dedup.DefaultSettings(), Threshold: 0.8, Keep: dedup.Keep{Way: dedup.Cleanest}}
	switch r.IntN(3) {
	case 0:
		o.Threshold = 0.5 + r.Float64()/2
	case 1:
		o.Settings, o.Distance = dedup.DefaultFingerprints(), r.IntN(8)
	}
	switch r.IntN(4) {
	case 0:
		o.Keep, _ = dedup.ParseKeep("newest:date")
	case 1:
		o.Keep.Way = dedup.Way(r.IntN(2))
	}
	switch r.IntN(5) {
	case 0:
		o.Chain = true
	case 1:
		o.Spare = explain.Numbers | explain.Negations
	}
	return o
}

// What steps write is what dedup writes, byte for byte, whatever the shares and the parts, with joins and without,
// though steps run twice.
func TestStepsDoWhatDedupDoes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testkit.Of(10, 60)) {
		r := rand.New(rand.NewPCG(seed, 37))
		dir := writeCorpus(t, r)
		one := stepped{how: options(r), shares: 1 + r.IntN(5), parts: 1 + r.IntN(6), joins: r.IntN(4) > 0, twice: r.IntN(3) == 0}
		inputs := []string{dir}
		want := byDedup(t, inputs, one.how)
		work, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
		commands := one.commands(work, out, inputs)
		for _, c := range commands {
			if _, err := c.Run(t.Context()); err != nil {
				t.Fatalf("seed %d: %v: step %s: %v", seed, one, c.Name, err)
			}
		}
		if one.twice {
			before := filesOf(t, out)
			r.Shuffle(len(commands), func(i, j int) { commands[i], commands[j] = commands[j], commands[i] })
			for _, c := range commands {
				made, err := os.ReadFile(c.Out)
				if _, err := c.Run(t.Context()); err != nil {
					t.Fatalf("seed %d: %v: step %s once more: %v", seed, one, c.Name, err)
				}
				if again, _ := os.ReadFile(c.Out); err == nil && !bytes.Equal(made, again) {
					t.Errorf("seed %d: step %s wrote another file the second time", seed, c.Name)
				}
			}
			sameFiles(t, fmt.Sprintf("seed %d: once more", seed), filesOf(t, out), before)
		}
		sameFiles(t, fmt.Sprintf("seed %d: %v", seed, one), filesOf(t, out), want)
	}
}

// A plan divides sets that the memory does not hold, and others only if parts are asked for. Without parts, scatter
// refuses it.
func TestPlanDividesWhatMemoryDoesNotHold(t *testing.T) {
	t.Parallel()
	dir := writeCorpus(t, rand.New(rand.NewPCG(1, 44)))
	for _, how := range []dedup.Options{
		{Settings: dedup.DefaultSettings(), Threshold: 0.8},
		{Settings: dedup.DefaultFingerprints(), Threshold: 0.8, Distance: 3},
	} {
		one := stepped{how: how, shares: 3, joins: true}
		work := t.TempDir()
		commands := one.commands(work, t.TempDir(), []string{dir})
		for _, c := range commands[:one.shares] {
			if _, err := c.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		in, out := commands[one.shares].In, filepath.Join(work, "plan")
		for _, want := range []struct {
			parts  int
			memory int64
			least  int
			most   int
		}{{0, 1 << 30, 0, 0}, {0, 1 << 14, 3, maxParts}, {2, 1 << 30, 2, 2}} {
			plan := Command{Name: "plan", In: in, Out: out, Parts: want.parts}
			plan.How.Memory = want.memory
			told, err := plan.Run(t.Context())
			parts, _ := strconv.Atoi(told)
			if err != nil || parts < want.least || parts > want.most {
				t.Errorf("%+v: %d parts, %v", want, parts, err)
			}
			scatter := commands[one.shares+1]
			if _, err := scatter.Run(t.Context()); (err == nil) != (parts > 0) {
				t.Errorf("%+v: scatter by a plan of %d parts: %v", want, parts, err)
			}
		}
	}
}

// The pairs of all parts are those of comparing each set with each, and each is there once, though slots are divided.
func TestPartsHaveEachPairOnce(t *testing.T) {
	t.Parallel()
	divided := 0
	for seed := range uint64(testkit.Of(6, 30)) {
		r := rand.New(rand.NewPCG(seed, 38))
		dir := writeCorpus(t, r)
		one := stepped{how: options(r), shares: 1 + r.IntN(4), parts: 1 + r.IntN(9), joins: true}
		work, out := t.TempDir(), t.TempDir()
		for _, c := range one.commands(work, out, []string{dir}) {
			var err error
			if c.Name == "plan" {
				c.heavy, c.How.Memory = 1+r.IntN(20), 0
				_, err = c.Run(t.Context())
			} else if c.Name == "join" { // with pairs in files
				c.hold, c.How.Temp = r.IntN(30), t.TempDir()
				_, err = c.Run(t.Context())
				if whole := (Command{Name: "join", In: c.In, Out: c.Out + ".whole", Part: c.Part}); err == nil {
					_, err = whole.Run(t.Context())
					sameBytes(t, c.Out, whole.Out)
				}
			} else if c.Name != "components" && c.Name != "keep" {
				_, err = c.Run(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		pairs, _ := filepath.Glob(filepath.Join(work, "*.pairs"))
		if in, err := openAll(disk.OS, []string{filepath.Join(work, "plan")}, planKind); err != nil {
			t.Fatal(err)
		} else if p, err := in.readPlan(); err != nil {
			t.Fatal(err)
		} else {
			divided += len(p.heavy)
			_ = in.close()
		}
		sketches, _ := filepath.Glob(filepath.Join(work, "*.sketch"))
		all, err := openAll(disk.OS, slices.Concat(sketches, pairs), sketchKind, pairsKind)
		if err != nil {
			t.Fatal(err)
		}
		list, err := all.sketches(readSketch)
		if err != nil {
			t.Fatal(err)
		}
		g := gather(list, nil)
		words, _ := all.of(pairsKind).pairWords()
		found := g.pairs(all.of(pairsKind), words, &one.how)
		got := map[[2]uint32]bool{}
		for _, p := range found.Pairs {
			pair := [2]uint32{uint32(p >> 32), uint32(p)}
			if got[pair] {
				t.Errorf("seed %d: a pair is there twice", seed)
			}
			got[pair] = true
		}
		var sets [][]uint64
		if err := g.Scan(func(i int) (int, bool) { return int(g.Sizes[i]), true }, func(_ int, set []uint64) error {
			sets = append(sets, slices.Clone(set))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		want := 0
		for b := range sets {
			for a := range b {
				near := false
				if one.how.ByDistance() {
					near = hamming.Distance(sets[a][0], sets[b][0]) <= one.how.Distance
				} else {
					shared := 0
					for _, f := range sets[a] {
						if slices.Contains(sets[b], f) {
							shared++
						}
					}
					near = prefix.Jaccard(shared, len(sets[a]), len(sets[b])) >= one.how.Threshold
				}
				if near {
					want++
				}
				if got[[2]uint32{uint32(a), uint32(b)}] != near {
					t.Errorf("seed %d: sets %d and %d of sizes %d and %d: near %v", seed, a, b, len(sets[a]), len(sets[b]), near)
				}
			}
		}
		if len(found.Pairs) != want {
			t.Errorf("seed %d: %d pairs, want %d", seed, len(found.Pairs), want)
		}
		_ = all.close()
	}
	if divided == 0 {
		t.Error("no slot is divided")
	}
}

// Where pairs are too many to be listed, join says so, and components decides as dedup does.
func TestManyPairs(t *testing.T) {
	testkit.Long(t, "millions of pairs")
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	for i := range 1200 { // 720,000 pairs, and 2·1,200 + 2¹⁸ may be listed
		words := make([]string, 60)
		for j := range words {
			words[j] = fmt.Sprint("w", j)
		}
		for range 2 {
			words[r.IntN(len(words))] = fmt.Sprint("x", r.IntN(5000))
		}
		fmt.Fprintf(&b, "{\"id\":\"%d\",\"text\":%q}\n", i, strings.Join(words, " "))
	}
	if err := os.WriteFile(filepath.Join(dir, "crowd.jsonl"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	one := stepped{how: dedup.Options{Options: run.Options{Threads: 2}, Settings: dedup.DefaultSettings(), Threshold: 0.8}, shares: 1, parts: 2, joins: true}
	work, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	for _, c := range one.commands(work, out, []string{dir}) {
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	many := false
	for i := 1; i <= 2; i++ {
		in, err := open(disk.OS, filepath.Join(work, fmt.Sprintf("%d.pairs", i)), pairsKind)
		if err != nil {
			t.Fatal(err)
		}
		many = many || in.Many
		_ = in.mapped.Close()
	}
	if !many {
		t.Error("no part says that there are too many pairs")
	}
	sameFiles(t, "a crowd", filesOf(t, out), byDedup(t, []string{dir}, one.how))
}

// A step whose disk fails in any operation writes no file, and succeeds when it runs again.
func TestEveryFailureOfTheDisk(t *testing.T) {
	t.Parallel()
	dir := writeCorpus(t, rand.New(rand.NewPCG(3, 4)))
	one := stepped{how: dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.7}, shares: 2, parts: 2, joins: true}
	work, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	want := byDedup(t, []string{dir}, one.how)
	tried := map[string]bool{}
	for _, c := range one.commands(work, out, []string{dir}) {
		for at := 0; !tried[c.Name]; at++ {
			n, failed := 0, false
			c.How.FS = &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
				if !op.Writes() {
					return 0, nil
				}
				if n++; n-1 == at {
					failed = true
					return len(op.Data) / 2, errors.New("input/output error")
				}
				return 0, nil
			}}
			_, err := c.Run(t.Context())
			if failed == (err == nil) && !failed {
				t.Fatalf("step %s: %v", c.Name, err)
			}
			if _, there := os.Stat(c.Out); failed && err != nil && there == nil && c.Name != "components" && c.Name != "keep" {
				if in, err := open(disk.OS, c.Out, sketchKind, planKind, scatterKind, pairsKind); err != nil {
					t.Fatalf("step %s left a part of a file after failure %d: %v", c.Name, at, err)
				} else {
					_ = in.mapped.Close()
				}
			}
			if !failed {
				break
			}
		}
		tried[c.Name] = true
		c.How.FS = nil
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sameFiles(t, "after failures", filesOf(t, out), want)
	names, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !slices.Contains([]string{run.KeptName, run.RemovedName, dedup.ClustersName}, name.Name()) {
			t.Errorf("%s is left in the result", name.Name())
		}
	}
}

// Damaged files, and files that do not belong together, are errors. No damage makes a step panic or take other pairs.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	dir := writeCorpus(t, rand.New(rand.NewPCG(8, 4)))
	one := stepped{how: dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.6}, shares: 2, parts: 2, joins: true}
	work, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	commands := one.commands(work, out, []string{dir})
	for _, c := range commands {
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := filesOf(t, out)
	r := rand.New(rand.NewPCG(8, 9))
	for i, c := range commands {
		for _, path := range c.In {
			if filepath.Ext(path) == ".jsonl" {
				continue // a list that somebody may edit
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for range testkit.Of(6, 30) {
				damaged := bytes.Clone(whole)
				if r.IntN(4) == 0 {
					damaged = damaged[:r.IntN(len(damaged))]
				} else {
					damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
				}
				if err := os.WriteFile(path, damaged, 0o666); err != nil {
					t.Fatal(err)
				}
				before, _ := os.ReadFile(c.Out)
				_, err := c.Run(t.Context())
				after, _ := os.ReadFile(c.Out)
				if err == nil && !bytes.Equal(before, after) {
					t.Errorf("step %s (%d) made another file of a damaged %s", c.Name, i, filepath.Base(path))
				}
			}
			if err := os.WriteFile(path, whole, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	sameFiles(t, "after damage", filesOf(t, out), want)

	step := func(commands []Command, name string) Command {
		return commands[slices.IndexFunc(commands, func(c Command) bool { return c.Name == name })]
	}
	join, components := step(commands, "join"), step(commands, "components")
	others := one.commands(t.TempDir(), filepath.Join(t.TempDir(), "out"), []string{writeCorpus(t, rand.New(rand.NewPCG(8, 5)))})
	for _, c := range others {
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	pairs := step(others, "components").In[:2]
	for _, bad := range []struct {
		c    Command
		want string
	}{
		{func() Command { c := components; c.In = c.In[1:]; return c }(), "part 1 of 2 is missing"},
		{func() Command { c := components; c.In = c.In[:3]; return c }(), "share 2/2 is missing"},
		{func() Command { c := components; c.In = append(c.In, c.In[0]); return c }(), "once more"},
		{func() Command { c := components; c.In = append(c.In, c.In[3]); return c }(), "both share"},
		{func() Command { c := components; c.In = slices.Concat(pairs, c.In[2:]); return c }(), "of other sketches"},
		{func() Command { c := components; c.In = slices.Concat(c.In[:1], pairs[1:], c.In[2:]); return c }(), "of different plans"},
		{func() Command { c := join; c.Part = 3; return c }(), "part 3: the plan has parts 1 to 2"},
		{func() Command { c := join; c.In = append(c.In, c.In[0]); return c }(), "both of share"},
		{func() Command { c := join; c.In = c.In[:2]; return c }(), "0 plans are given"},
		{func() Command { c := join; c.In = components.In; return c }(), "which this step does not read"},
	} {
		c := bad.c
		c.In = slices.Clone(c.In)
		if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("step %s of %v: error %v, want one with %q", c.Name, c.In, err, bad.want)
		}
	}
}

// A sketch of other bytes than those that a sketch has is an error, or is read as a sketch: nothing else happens.
func FuzzSketch(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 4))
	t := f
	dir := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(dir, []byte(fmt.Sprintf("{\"id\":\"a\",\"text\":\"a b c %d\"}\n{\"id\":\"b\",\"text\":\"a b d\"}\n", r.IntN(9))), 0o666); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sketch")
	o := dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.5}
	sketch := Command{Name: "sketch", Inputs: []string{dir}, Out: path, How: o}
	if _, err := sketch.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "sketch")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out")
		how := dedup.Options{Options: run.Options{Threads: 1}, Memory: 64 << 20}
		components := Command{Name: "components", In: []string{path}, Out: out, How: how}
		_, _ = components.Run(t.Context())
		plan := Command{Name: "plan", In: []string{path}, Out: filepath.Join(t.TempDir(), "plan"), How: how}
		if _, err := plan.Run(t.Context()); err != nil &&
			!errors.Is(err, section.ErrCorrupt) && !errors.Is(err, section.ErrForeign) && !errors.Is(err, section.ErrVersion) {
			t.Log(err)
		}
	})
}

// Shares of files are consecutive, and are all files.
func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		files := make([]corpus.File, r.IntN(30))
		for i := range files {
			files[i].Size = int64(r.IntN(1000) * r.IntN(3))
		}
		of := 1 + r.IntN(40)
		at := 0
		for i := 1; i <= of; i++ {
			from, to := corpus.Share{Number: i, Of: of}.Files(files)
			if from != to {
				if from != at {
					t.Fatalf("share %d/%d of %d files begins at %d, want %d", i, of, len(files), from, at)
				}
				at = to
			}
		}
		if at != len(files) {
			t.Fatalf("%d shares have %d of %d files", of, at, len(files))
		}
	}
	for _, s := range []string{"", "1", "0/3", "4/3", "a/b", "1/0", "1/99999999", "-1/3"} {
		if _, err := corpus.ParseShare(s); err == nil {
			t.Errorf("%q is a share", s)
		}
	}
}

// Where pairs are known, components holds the documents alone that are near or equal to others, whatever memory there
// is to find them.
func TestOnlyWhatIsNeededIsGathered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name string, lines ...string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	line := func(id, text string) string { return fmt.Sprintf("{\"id\":%q,\"text\":%q}", id, text) }
	put("a.jsonl", line("1", "one two three four"), line("near", "red green blue white black"), line("2", "five six"), line("again", "just this one"),
		line("3", "…"), line("4", "the same words"), line("5", "the same words"))
	put("b.jsonl", line("again", "seven"), line("again", "red green blue white"), line("7", "eight"), line("8", "one two three four"))
	one := stepped{how: dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.8}, shares: 2, parts: 2, joins: true}
	work, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	for _, c := range one.commands(work, out, []string{dir}) {
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sameFiles(t, "two shares", filesOf(t, out), byDedup(t, []string{dir}, one.how))
	sketches, _ := filepath.Glob(filepath.Join(work, "*.sketch"))
	pairs, _ := filepath.Glob(filepath.Join(work, "*.pairs"))
	all, err := openAll(disk.OS, slices.Concat(sketches, pairs), sketchKind, pairsKind)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = all.close() }()
	list, err := all.sketches(readSketch)
	if err != nil {
		t.Fatal(err)
	}
	for _, memory := range []int64{4, 40, 4 << 20} { // a quarter of it holds no digest, or one, or all
		how := one.how
		how.Memory = memory
		g := gatherNear(list, all.of(pairsKind), &how)
		var ids []string
		for doc := range g.SetOf {
			from := uint64(0)
			if doc > 0 {
				from = g.IDEnds[doc-1]
			}
			ids = append(ids, fmt.Sprint(string(g.IDs[from:g.IDEnds[doc]]), g.Numbers[doc]))
		}
		if want := "11 near2 46 57 again1 again2 84"; strings.Join(ids, " ") != want || len(g.Near.Pairs) != 1 || g.distinct != 9 {
			t.Errorf("with %d bytes: %q, %v, %d sets, want %q", memory, ids, g.Near, g.distinct, want)
		}
	}
}

// A way to keep that no document has a value for is an error, as it is for dedup.
func TestNoDocumentHasAKey(t *testing.T) {
	t.Parallel()
	dir := writeCorpus(t, rand.New(rand.NewPCG(3, 3)))
	one := stepped{how: dedup.Options{Options: run.Options{Threads: 1}, Settings: dedup.DefaultSettings(), Threshold: 0.8}, shares: 1, parts: 1, joins: true}
	one.how.Keep, _ = dedup.ParseKeep("newest:day")
	_, want := dedup.Read(t.Context(), nil, []string{dir}, one.how)
	var field, wanted *dedup.FieldError
	for _, c := range one.commands(t.TempDir(), filepath.Join(t.TempDir(), "out"), []string{dir}) {
		if _, err := c.Run(t.Context()); err != nil {
			if !errors.As(err, &field) || !errors.As(want, &wanted) || field.Documents != wanted.Documents || c.Name != "components" {
				t.Errorf("step %s: %v, want %v", c.Name, err, want)
			}
			return
		}
	}
	t.Error("no step fails")
}
