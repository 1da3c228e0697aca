// Copies makes the table by which package copied says how seldom independent texts on one subject share so much, and
// counts how many pairs of independent submissions are shown:
//
//	go run ./copies out/dev/aclimdb/docs.jsonl [FILE...]
//
// The texts of the table are reviews of one film each by different people, in classes of ten: reviews with
// neighbouring numbers that have two rare names in common. A class with two equal beginnings is left out. Then come
// 30 sets of 60 reviews, and of 60 of the files, such as $(go env GOROOT)/src/*/*.go: copies among these are shown,
// too, and are printed.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"simsearch/bench/documents"
	"simsearch/internal/clean/copied"
	"simsearch/internal/match/sequences"
)

const size, reach, fewest, most = 10, 45, 120, 420

var (
	named = regexp.MustCompile(`^(.*)/(\d+)_\d+$`)
	names = regexp.MustCompile(`[a-z,] [A-Z][a-z]{3,}`)
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: copies REVIEWS [FILE...]")
	}
	var reviews, files []copied.Named
	folders := map[string]map[int]string{}
	for doc, err := range documents.Read(os.Args[1]) {
		if err != nil {
			log.Fatal(err)
		}
		reviews = append(reviews, copied.Named{Name: string(doc.ID), Text: string(doc.Text)})
		if m := named.FindSubmatch(doc.ID); m != nil {
			n, _ := strconv.Atoi(string(m[2]))
			if folders[string(m[1])] == nil {
				folders[string(m[1])] = map[int]string{}
			}
			folders[string(m[1])][n] = string(doc.Text)
		}
	}
	var byShare, byRoot, byChain []float64
	all := classes(folders)
	for _, texts := range all {
		in := make([][]sequences.ClassText, len(texts))
		words := make([]int, len(texts))
		for i, raw := range texts {
			t := sequences.NewText([]byte(raw))
			t.ReadStop()
			in[i], words[i] = []sequences.ClassText{{Words: t.Words, Stop: t.Stop}}, len(t.Words)
		}
		f := sequences.NewClass(in, 2, nil, nil).NewFinder()
		for a := range texts {
			found := map[int]sequences.Shared{}
			for _, s := range f.Of(a, func(*sequences.Shared) bool { return true }) {
				found[s.Other] = s
			}
			for b := a + 1; b < len(texts); b++ {
				share := found[b].Shares[0]
				if words[b] < words[a] {
					share = found[b].Shares[1]
				}
				byShare = append(byShare, share)
				byRoot = append(byRoot, share*math.Sqrt(float64(min(words[a], words[b], 250))))
				byChain = append(byChain, .44*found[b].Heaviest-math.Log10(float64(words[a])*float64(words[b])))
			}
		}
	}
	fmt.Printf("%d classes, %d pairs\n%12s %10s %12s %20s\n", len(all), len(byShare), "one pair in", "share", "share · √n", ".44 chain − log₁₀ ab")
	for _, of := range []*[]float64{&byShare, &byRoot, &byChain} {
		slices.SortFunc(*of, func(x, y float64) int { return cmp.Compare(y, x) })
	}
	for _, n := range []int{3, 10, 30, 100, 200, 300, 500, 1000} {
		at := len(byShare) / n
		fmt.Printf("%12d %10.3f %12.3f %20.2f\n", n, byShare[at], byRoot[at], byChain[at])
	}
	for _, name := range os.Args[2:] {
		source, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, copied.Named{Name: name, Text: string(source)})
	}
	accused("reviews", reviews)
	accused("files", files)
}

// accused prints which pairs are shown of 30 sets of 60 texts.
func accused(what string, texts []copied.Named) {
	const sets, size = 30, 60
	r := rand.New(rand.NewPCG(59, 60))
	shown := 0
	for range sets {
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		pairs, _, _, err := copied.OfTexts(context.Background(), texts[:min(size, len(texts))], copied.Options{}, 0)
		if err != nil {
			log.Fatal(err)
		}
		for _, p := range pairs {
			if p.Shown {
				shown++
				fmt.Printf("  %s, %s: once in %d\n", p.A, p.B, p.OnceIn)
			}
		}
	}
	fmt.Printf("%d pairs of %d sets of %d %s are shown\n", shown, sets, size, what)
}

// classes returns reviews of one film each.
func classes(folders map[string]map[int]string) (all [][]string) {
	known := map[string]bool{}
	for _, folder := range slices.Sorted(func(yield func(string) bool) {
		for name := range folders {
			if !yield(name) {
				return
			}
		}
	}) {
		texts := folders[folder]
		for n := 0; n < len(texts)*2; n++ {
			first, is := texts[n]
			if !is || known[begin(first)] {
				continue
			}
			rare := map[string]bool{}
			for _, name := range names.FindAllString(first, -1) {
				rare[name[2:]] = true
			}
			class := []string{first}
			for i := n + 1; i < n+reach && len(class) < size; i++ {
				shared := map[string]bool{}
				for _, name := range names.FindAllString(texts[i], -1) {
					if rare[name[2:]] {
						shared[name] = true
					}
				}
				if words := len(strings.Fields(texts[i])); words >= fewest && words <= most && len(shared) >= 2 && !known[begin(texts[i])] {
					class = append(class, texts[i])
				}
			}
			begins := map[string]bool{}
			for _, text := range class {
				begins[begin(text)] = true
			}
			if words := len(strings.Fields(first)); len(class) == size && len(begins) == size && words >= fewest && words <= most {
				all = append(all, class)
				for is := range begins {
					known[is] = true
				}
			}
		}
	}
	return all
}

// begin returns the first characters of a text.
func begin(text string) string { return text[:min(len(text), 60)] }
