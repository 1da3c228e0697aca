package dedup

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"simsearch/internal/clean/run"
	"simsearch/internal/ground/ints"
	"simsearch/internal/index"
	"simsearch/internal/match/judge"
	"simsearch/internal/tests/testkit"
)

// cutDown returns texts of which some are parts of others, or have their words with other names, numbers, signs and
// cases.
func cutDown(rng *rand.Rand, n int) (all []string) {
	own := []string{"İzmir", "ﬁne", "e\u0301te\u0301", "½", "−5", "1.5", "(12)", "x=3", "Ǆep", "“So", "Rome", "rome", "ROME", "3%", "日本", "§", "O’Neill", "Ⅳ", "-", "ქართული", "ß", "SS"}
	for i, text := range texts(rng, n) {
		words := strings.Fields(text)
		if i%9 == 0 {
			words = words[:rng.IntN(4)]
		}
		for range rng.IntN(4) {
			words = slices.Insert(words, rng.IntN(len(words)+1), own[rng.IntN(len(own))])
		}
		if i > 3 && rng.IntN(2) == 0 {
			words = strings.Fields(all[rng.IntN(i)])
			switch from := rng.IntN(1 + len(words)/5); rng.IntN(4) {
			case 0:
				words = words[from:]
			case 1:
				words = words[:len(words)-from]
			case 2:
				for i := range words {
					words[i] = []string{words[i], strings.ToUpper(words[i]), strings.ToLower(words[i]), words[i] + ","}[max(0, rng.IntN(12)-8)]
				}
			}
		}
		all = append(all, strings.Join(words, []string{" ", "\n", ". "}[max(0, rng.IntN(5)-2)]))
	}
	return all
}

var (
	aWord  = regexp.MustCompile(`[\pL\pM\pN]+`)
	aPiece = regexp.MustCompile(`[^\pZ\x00-\x20]+`)
	edges  = regexp.MustCompile(`^[^\pL\pM\pN\pS\pC%-]+|[^\pL\pM\pN\pS\pC%-]+$`)
)

// isLossless says slowly whether a text has nothing that another one has not, by the rules of docs/DEDUP.md.
func isLossless(text, other string) bool {
	of := func(text string, n int) (has map[string]bool, words int) {
		text, has = norm.NFKC.String(text), map[string]bool{}
		var all []string
		end := 0
		for _, at := range aWord.FindAllStringIndex(text, -1) {
			word := text[at[0]:at[1]]
			all = append(all, cases.Fold().String(word))
			if first := []rune(word)[0]; unicode.IsUpper(first) || unicode.IsTitle(first) {
				has["capital "+all[len(all)-1]] = true
				if end > 0 && !strings.ContainsAny(text[end:at[0]], ".!?") {
					has["name "+all[len(all)-1]] = true
				}
			}
			end = at[1]
		}
		for i := 0; i+n <= len(all); i++ {
			has[fmt.Sprintf("words %q", all[i:i+n])] = true
		}
		for _, piece := range aPiece.FindAllString(text, -1) {
			if piece = edges.ReplaceAllString(piece, ""); strings.ContainsFunc(piece, unicode.IsNumber) {
				has["number "+cases.Fold().String(piece)] = true
			}
		}
		return has, len(all)
	}
	_, words := of(text, 1)
	if words == 0 {
		return text == other
	}
	has, _ := of(text, min(3, words))
	all, _ := of(other, min(3, words))
	for what := range has {
		if name, is := strings.CutPrefix(what, "name "); is && !all["capital "+name] || !is && !strings.HasPrefix(what, "capital ") && !all[what] {
			return false
		}
	}
	return true
}

func lossless(copies bool) Options {
	o := options()
	if o.Keep, o.Lossless = (Keep{Way: First}), true; copies {
		o.Threshold, o.Copy = index.CopyFloor, 0.5
	}
	return o
}

// What is removed is inside the nearest document that is kept before it and has all of it. What is near one, and
// inside none, stays and is counted.
func TestLosslessEqualsTheReference(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testkit.Of(1, 20)) {
		all := cutDown(rand.New(rand.NewPCG(seed, 56)), 300)
		sets, dir := setsOf(t, all), files(t, all)
		for _, copies := range []bool{false, true} {
			o, want, wouldLose := lossless(copies), map[string]string{}, 0
			var kept []int
			first := map[string]int{}
			for i, text := range all {
				if f, seen := first[text]; seen { // equal texts are one
					if want[fmt.Sprint("d", i)] = fmt.Sprint("d", f); want[fmt.Sprint("d", f)] != "" {
						want[fmt.Sprint("d", i)] = want[fmt.Sprint("d", f)]
					}
					continue
				}
				first[text] = i
				if len(sets[i]) == 0 {
					continue
				}
				best, center, lost := 0.0, -1, false
				for k := range i {
					near := ints.Jaccard(sets[k], sets[i])
					if near < o.Threshold || first[all[k]] != k {
						continue
					}
					if copies {
						if near = judge.Default.Copy(judge.Read([]byte(all[k])), judge.Read([]byte(text)), near); near < o.Copy {
							continue
						}
					}
					if !isLossless(text, all[k]) {
						lost = true
					} else if slices.Contains(kept, k) && near > best {
						best, center = near, k
					}
				}
				if center >= 0 {
					want[fmt.Sprint("d", i)] = fmt.Sprint("d", center)
					continue
				}
				if kept = append(kept, i); lost {
					wouldLose++
				}
			}
			got, result := ran(t, nil, []string{dir}, o)
			rows := rowsOf[removedRow](t, got[run.RemovedName])
			inside := 0
			for _, r := range rows {
				if r.KeptID != want[r.ID] || r.Inside == nil || r.Number == 0 || r.Inside.Number == 0 {
					t.Errorf("copies %v: %s is removed for %s, want %s: %+v", copies, r.ID, r.KeptID, want[r.ID], r.Inside)
				} else if r.Inside.Words > 0 {
					inside++
				}
			}
			if len(rows) != len(want) || inside < 10 || result.WouldLose != wouldLose || wouldLose < 10 {
				t.Errorf("copies %v: %d documents are removed, want %d; %d are inside others; %d would lose something, want %d", copies, len(rows), len(want),
					inside, result.WouldLose, wouldLose)
			}
			if result.Exact+result.Words+result.Near != result.Removed || !strings.Contains(result.Summary(), fmt.Sprintf(", %d of these for what they alone have", wouldLose)) {
				t.Errorf("counts: %s", result.Summary())
			}
			o.Threads, o.Memory, o.PartBytes = 1, 1<<20, 1<<10
			if again, _ := ran(t, nil, []string{dir}, o); again[run.RemovedName] != got[run.RemovedName] {
				t.Errorf("copies %v: another list on one thread", copies)
			}
			checked(t, got, dir, copies)
		}
	}
}

// checked checks a result by the script, and that it finds lines that are damaged.
func checked(t *testing.T, got map[string]string, dir string, damage bool) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("the list is not checked by the script, since there is no python3")
		return
	}
	check := func(list string) (string, error) {
		out := t.TempDir()
		if err := os.WriteFile(filepath.Join(out, run.RemovedName), []byte(list), 0o666); err != nil {
			t.Fatal(err)
		}
		said, err := exec.Command(python, "../../../scripts/check-lossless.py", out, dir).CombinedOutput()
		return string(said), err
	}
	list := got[run.RemovedName]
	if said, err := check(list); err != nil || !strings.Contains(said, " lines, 0 of them wrong") {
		t.Errorf("the script says %v: %s", err, said)
	}
	if !damage {
		return
	}
	lines := strings.SplitAfter(list, "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"words"`) && strings.Contains(line, `"grams"`) })
	for _, change := range [][2]string{{`"words":`, `"words":1`}, {`"grams":`, `"grams":1`}, {`"inside":`, `"in":`}, {`"number":`, `"number":9`}, {`"words":`, `"bytes":`},
		{`"kept_id":"`, `"kept_id":"x`}, {`"id":"`, `"id":"x`}} {
		damaged := slices.Clone(lines)
		damaged[at] = strings.Replace(lines[at], change[0], change[1], 1)
		if said, err := check(strings.Join(damaged, "")); err == nil || !strings.Contains(said, fmt.Sprintf("line %d of removed.jsonl", at+1)) {
			t.Errorf("%q for %q in line %d: the script says %v: %s", change[1], change[0], at+1, err, said)
		}
	}
}

// In a crowd, each document that goes is inside its center, too.
func TestLosslessCrowd(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range 1600 {
		text := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
		switch i % 3 {
		case 1:
			text += fmt.Sprint(" only", i)
		case 2:
			text = text[strings.IndexByte(text, ' ')+1:] + strings.Repeat(".", i)
		}
		all = append(all, text)
	}
	dir := files(t, all)
	got, result := ran(t, nil, []string{dir}, lossless(false))
	for _, r := range rowsOf[removedRow](t, got[run.RemovedName]) {
		i, errI := strconv.Atoi(r.ID[1:])
		k, errK := strconv.Atoi(r.KeptID[1:])
		if errI != nil || errK != nil || !isLossless(all[i], all[k]) {
			t.Errorf("%q is removed for %q", all[i], all[k])
		}
	}
	if want := len(all) / 3; result.WouldLose != want || result.Removed != len(all)-1-want {
		t.Errorf("%d removed, and %d would lose something, want %d", result.Removed, result.WouldLose, want)
	}
	checked(t, got, dir, false)
}

// A result that grows is that of a run on everything, to the last byte.
func TestLosslessGrows(t *testing.T) {
	t.Parallel()
	for _, copies := range []bool{false, true} {
		g := newGrowing(t, 56, cutDown(rand.New(rand.NewPCG(9, 56)), 400))
		out := filepath.Join(t.TempDir(), "out")
		g.put("a/first.jsonl", 320)
		for night := range 5 {
			g.night(night)
			o := lossless(copies)
			o.Keep = Keep{Way: Cleanest}
			want, result := ran(t, nil, []string{g.dir}, o)
			o.State = out
			if _, err := runTo(t.Context(), out, nil, []string{g.dir}, o); err != nil {
				t.Fatal(err)
			}
			if got := stateless(contents(t, out)); !same(got, want) || result.Removed < 10 {
				t.Fatalf("copies %v: night %d: removed are\n%swant\n%s", copies, night, got[run.RemovedName], want[run.RemovedName])
			}
		}
	}
	for _, set := range []func(*Options){func(o *Options) { o.Chain = true }, func(o *Options) { o.Append = true }, func(o *Options) { o.By = Lines },
		func(o *Options) { o.Settings, o.Distance = DefaultFingerprints(), 3 }} {
		o := lossless(false)
		set(&o)
		if _, err := o.prepare(); err == nil || !strings.Contains(err.Error(), "leave out Lossless") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// The contents of any text are found without a panic, and it is inside itself.
func FuzzSubstance(f *testing.F) {
	for _, text := range cutDown(rand.New(rand.NewPCG(1, 56)), 20) {
		f.Add([]byte(text))
	}
	f.Add([]byte("a\xff1. B"))
	f.Fuzz(func(t *testing.T, text []byte) {
		is := substanceOf(text)
		if is.inside(substanceOf(bytes.Clone(text)), new([1 << 12]uint64)) < 0 {
			t.Errorf("%q is not inside itself", text)
		}
	})
}
