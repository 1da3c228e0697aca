package copied

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// weighed returns the pairs that are shown, in short, and the report.
func weighed(t *testing.T, dir string, o Options) (list []string, r *Report) {
	t.Helper()
	o.Threads = 2
	r, err := Run(t.Context(), []string{dir}, "", o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Pairs[:r.Shared] {
		list = append(list, filepath.Base(p.A)+" "+filepath.Base(p.B))
	}
	return list, r
}

// vocabulary are words that everybody has on one subject.
func vocabulary(r *rand.Rand) []string { return words(r, 900) }

// essay returns sentences of words of a vocabulary and of small words.
func essay(r *rand.Rand, of []string, sentences int) (list []string) {
	small := strings.Fields("the of and to a in that is was it for on as with by this which be are from")
	for range sentences {
		var s []string
		for range 8 + r.IntN(10) {
			s = append(s, small[r.IntN(len(small))])
			if r.IntN(3) > 0 {
				s = append(s, of[r.IntN(len(of))])
			}
		}
		list = append(list, strings.Join(s, " ")+".")
	}
	return list
}

// Of 40 essays on one subject, one has a third of another one with a quarter of its words changed, and one has two
// sentences of a third.
func TestEssaysThatCopyAreShown(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(59, 1))
	subject := vocabulary(r)
	files := map[string]string{}
	var all [][]string
	for i := range 40 {
		all = append(all, essay(r, subject, 25))
		files[fmt.Sprintf("%02d.txt", i)] = strings.Join(all[i], "\n")
	}
	part := strings.Fields(strings.Join(all[3][8:16], " "))
	for i := range part {
		if i%4 == 1 {
			part[i] = subject[r.IntN(len(subject))]
		}
	}
	files["20.txt"] = strings.Join(all[20][:10], "\n") + strings.Join(part, " ") + strings.Join(all[20][17:], "\n")
	files["30.txt"] = strings.Join(all[30][:5], "\n") + strings.Join(all[7][2:4], " ") + strings.Join(all[30][7:], "\n")
	dir := write(t, files)
	got, report := weighed(t, dir, Options{})
	if strings.Join(got, ", ") != "03.txt 20.txt, 07.txt 30.txt" {
		t.Fatalf("pairs are %q", got)
	}
	for _, p := range report.Pairs[:2] {
		if p.OnceIn < shown || len(p.Passages) == 0 || p.Structure != 0 {
			t.Errorf("%s and %s: %+v", p.A, p.B, p)
		}
		for _, x := range p.Passages {
			text := files[filepath.Base(x.ADocument)]
			if x.A[0] < 0 || x.A[1] > len(text) || x.A[1] <= x.A[0] {
				t.Errorf("a passage at %v of %d bytes", x.A, len(text))
			}
		}
	}
	for _, p := range report.Pairs[2:] {
		if p.Shown || p.OnceIn >= shown || p.OnceIn < listed {
			t.Errorf("%+v is listed", p)
		}
	}
	// What the task says is nobody's.
	if got, _ := weighed(t, dir, Options{Base: []Named{{filepath.Join(dir, "07.txt"), files["07.txt"]}}}); len(got) != 1 || got[0] != "03.txt 20.txt" {
		t.Errorf("with a base, pairs are %q", got)
	}
}

// program returns a source with statements drawn by a seed, whose names begin with a prefix.
func program(seed uint64, prefix, comment string) string {
	r := rand.New(rand.NewPCG(59, seed))
	var b strings.Builder
	fmt.Fprintf(&b, "import java.util.*;\npublic class %sMain {\n", prefix)
	for f := range 6 {
		fmt.Fprintf(&b, "  %s\n  static int %sf%d(int %sx) {\n", comment, prefix, f, prefix)
		for range 6 + r.IntN(6) {
			n := r.IntN(100)
			switch r.IntN(6) {
			case 0:
				fmt.Fprintf(&b, "    for (int %si = 0; %si < %d; %si++) { %sx += %si * %d; }\n", prefix, prefix, n, prefix, prefix, prefix, n)
			case 1:
				fmt.Fprintf(&b, "    if (%sx %% %d == 0 && %sx > %d) { return %sx; } else { %sx--; }\n", prefix, n+1, prefix, n, prefix, prefix)
			case 2:
				fmt.Fprintf(&b, "    System.out.println(\"step %d of %d: \" + %sx);\n", n, r.IntN(1000), prefix)
			case 3:
				fmt.Fprintf(&b, "    while (%sx < %d) { %sx = %sx << 1 | %d; }\n", prefix, n, prefix, prefix, n)
			case 4:
				fmt.Fprintf(&b, "    int[] %sa%d = new int[%d]; %sa%d[0] = %sx;\n", prefix, r.IntN(1000), n+1, prefix, n, prefix)
			default:
				fmt.Fprintf(&b, "    try { %sx /= %d; } catch (Exception e) { throw e; }\n", prefix, n)
			}
		}
		fmt.Fprintf(&b, "    return %sx;\n  }\n", prefix)
	}
	return b.String() + "}\n"
}

// A whole copy comes first, before what is longer and less likely, and has no edits, whatever its words are. Programs that
// are too short to tell are listed if they are equal.
func TestWholeCopiesComeFirst(t *testing.T) {
	t.Parallel()
	table := "package p\n\nvar all = []int{\n" + strings.Repeat("\t1, 2, 3, 4, 5,\n", 60) + "}\n"
	files := map[string]string{"t1.go": table, "t2.go": table}
	for i := range uint64(12) {
		files[fmt.Sprintf("P%02d.java", i)] = program(i, "a", "// first")
	}
	files["P03.java"] += program(90, "b", "")
	files["P07.java"] = files["P03.java"] + program(91, "c", "") // not the whole of it, and less likely
	files["P08.java"] = files["P02.java"]
	shown, report := weighed(t, write(t, files), Options{})
	if want := []string{"P02.java P08.java", "P03.java P07.java"}; !slices.Equal(shown, want) {
		t.Fatalf("pairs are %q, want %q", shown, want)
	}
	whole, part := report.Pairs[0], report.Pairs[1]
	if whole.rank >= part.rank || whole.AShare != 1 || whole.BShare != 1 || whole.Passages[0].Edits != 0 || part.AShare != 1 || part.BShare == 1 {
		t.Errorf("%+v, %+v", whole, part)
	}
	if !slices.ContainsFunc(report.Pairs, func(p Pair) bool {
		return filepath.Base(p.A) == "t1.go" && filepath.Base(p.B) == "t2.go" && p.OnceIn == 100
	}) {
		t.Error("equal tables are not listed")
	}
}

// A program whose names, comments and layout are changed is a copy, and others of one language are not.
func TestProgramsThatCopyAreShown(t *testing.T) {
	t.Parallel()
	files := map[string]string{"README.txt": "Each of these programs has six functions."}
	for i := range uint64(30) {
		files[fmt.Sprintf("P%02d.java", i)] = program(i, "a", "// first")
	}
	files["P25.java"] = strings.ReplaceAll(program(4, "theNumber", "/* of my own */"), "\n    ", "\n\n\t")
	got, report := weighed(t, write(t, files), Options{})
	if len(got) != 1 || got[0] != "P04.java P25.java" {
		t.Fatalf("pairs are %q", got)
	}
	p := report.Pairs[0]
	if p.AShare < .8 || p.Structure < .95 || p.Literals < .95 {
		t.Errorf("%+v", p)
	}
	// Passages are in bytes of the sources. What all programs begin with is in none.
	x := p.Passages[0]
	if !strings.HasPrefix(files["P25.java"][x.B[0]:], "int theNumberf0(int theNumberx)") {
		t.Errorf("the passage is %q", files["P25.java"][x.B[0]:x.B[1]])
	}
	if got, _ := weighed(t, write(t, files), Options{Base: []Named{{"P04.java", files["P04.java"]}}}); len(got) != 0 {
		t.Errorf("with a base, pairs are %q", got)
	}
}

func TestOnceIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		share, heaviest float64
		a, b            int
		want            int64
	}{
		{0, 0, 100, 100, 1}, {0, 1, 100, 100, 7}, {.1, 0, 250, 250, 970}, {.102, 0, 250, 4000, 1100}, {.05, 0, 10000, 10000, 44}, {.2, 0, 60, 300, 860},
		{0, 7.5, 220, 220, 1100}, {0, 14, 5000, 5000, 1500}, {1, 200, 200, 200, 1e9},
	} {
		e := evidence{rank: rankOfTexts(tt.share, tt.heaviest, tt.a, tt.b)}
		if got := e.once().OnceIn; got != tt.want {
			t.Errorf("a share of %v and a chain of %v of %d and %d words: once in %d, want %d", tt.share, tt.heaviest, tt.a, tt.b, got, tt.want)
		}
	}
}
