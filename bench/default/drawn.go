package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/bench/labelled"
	"simsearch/internal/quality/report"
)

// drawnFrom are the collections that pairs are drawn from, whatever their labels, beside those of synthetic
// copies and the directories.
var drawnFrom = []string{"reuters21578", "scoop-news", "aclimdb", "sms-spam", "spdx-licenses", "debian-copyright", "gesetze-de"}

const (
	// drawnPairs is the number of pairs that are drawn from each collection.
	drawnPairs = 300
	// leastOrder is the order of words from which on a pair is near by the second measure.
	leastOrder = 0.7
	// mostWords is the number of words from which on a text is cut for the second measure.
	mostWords = 4000
)

// order returns the share of the words of two texts that they have in the same order: twice the length of
// their longest common subsequence, divided by the number of words of both. It counts a word as often as it
// occurs, and so knows what a set does not.
func order(a, b []string) float64 {
	a, b = a[:min(len(a), mostWords)], b[:min(len(b), mostWords)]
	same := 0
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b, same = a[1:], b[1:], same+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b, same = a[:len(a)-1], b[:len(b)-1], same+1
	}
	total := len(a) + len(b) + 2*same
	if total == 0 {
		return 1
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return 2 * float64(row[len(b)]+same) / float64(total)
}

// wordsOf returns the words of a text in lower case; an ideograph is a word.
func wordsOf(text []byte) []string {
	return slices.DeleteFunc(labelled.Tokens(strings.ToLower(string(text))), labelled.IsSpace)
}

// tableOfDrawn draws pairs that are printed, of different words, and judges them by the order of their words.
// It writes those with the least into the directory drawings, to be read.
func tableOfDrawn(s *report.Section, all []*compared, drawings string) error {
	if err := os.MkdirAll(drawings, 0o777); err != nil {
		return err
	}
	t := s.AddTable(fmt.Sprintf("Pairs printed without any setting, and the order of the words of up to %d of them", drawnPairs),
		"texts", "documents", "pairs", "of equal words", "drawn from the others", "order ≥ 0.9", "≥ 0.8", fmt.Sprintf("≥ %.1f", leastOrder), "least")
	for _, m := range all {
		var pairs [][2]uint32
		for _, p := range m.pairs {
			if m.Same[p[0]] != m.Same[p[1]] {
				pairs = append(pairs, p)
			}
		}
		differing := len(pairs)
		random := rand.New(rand.NewPCG(1, 2))
		random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		pairs = pairs[:min(drawnPairs, len(pairs))]
		type judged struct {
			pair  [2]uint32
			order float64
		}
		var list []judged
		for _, p := range pairs {
			list = append(list, judged{p, order(wordsOf(m.Texts[p[0]]), wordsOf(m.Texts[p[1]]))})
		}
		slices.SortFunc(list, func(a, b judged) int { return cmp.Compare(a.order, b.order) })
		share := func(least float64) string {
			n := 0
			for _, j := range list {
				if j.order >= least {
					n++
				}
			}
			return fmt.Sprintf("%.3f", float64(n)/float64(max(1, len(list))))
		}
		row := []any{m.Name, len(m.Texts), len(m.pairs), len(m.pairs) - differing, len(list), share(0.9), share(0.8), share(leastOrder), "–"}
		if len(list) > 0 {
			row[len(row)-1] = fmt.Sprintf("%.2f", list[0].order)
		}
		t.Add(row...)
		var page strings.Builder
		for _, j := range list[:min(40, len(list))] {
			fmt.Fprintf(&page, "=== order %.3f: %d and %d\n--- A\n%.1500s\n--- B\n%.1500s\n\n", j.order, j.pair[0], j.pair[1], m.Texts[j.pair[0]], m.Texts[j.pair[1]])
		}
		name := strings.NewReplacer(" ", "-", ",", "").Replace(m.Name) + ".txt"
		if err := os.WriteFile(filepath.Join(drawings, name), []byte(page.String()), 0o666); err != nil {
			return err
		}
	}
	return nil
}
