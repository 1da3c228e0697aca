package collected

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/prefix"
)

// sourceOf is a prefix.Source of sets of words.
type sourceOf [][]string

func (s sourceOf) Len() int { return len(s) }

func (s sourceOf) Features() (n uint64) {
	for _, words := range s {
		n += uint64(len(words))
	}
	return n
}

func (s sourceOf) Scan(do func(features []uint64) error) error {
	for _, words := range s {
		var features []uint64
		for _, w := range words {
			features = append(features, murmur3.Sum64([]byte(w)))
		}
		slices.Sort(features)
		if err := do(slices.Compact(features)); err != nil {
			return err
		}
	}
	return nil
}

// A form that is filled in is told from edits of a text, and from versions that have a number each.
func TestIsForm(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(29, 101))
	for _, n := range []int{2, 3, 8, 200} {
		var text []string
		for i := range 60 {
			text = append(text, fmt.Sprint("w", i))
		}
		var form, edits, versions sourceOf
		for i := range n {
			form = append(form, append(slices.Clone(text), fmt.Sprint("command", i), fmt.Sprint("alias", i), fmt.Sprint("day", i%3), fmt.Sprint("flag", i), fmt.Sprint("x", i)))
			edited := slices.Clone(text)
			for j := range 6 {
				edited[r.IntN(len(edited))] = fmt.Sprint("edit", i, "-", j)
			}
			edits, versions = append(edits, edited), append(versions, append(slices.Clone(text), fmt.Sprint("version", i)))
		}
		for what, sets := range map[string]sourceOf{"form": form, "edits": edits, "versions": versions} {
			coded, err := prefix.Collect(context.Background(), sets, 0.8, prefix.Options{Threads: 1, PairsOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			var group []uint32
			for i := range uint32(n) {
				group = append(group, i)
			}
			got, err := IsForm(coded, group)
			if want := what == "form" && n >= leastForm; err != nil || got != want {
				t.Errorf("%d sets, %s: %v, %v, want %v", n, what, got, err, want)
			}
		}
	}
}
