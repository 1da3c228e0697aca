package dedup

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/ground/ints"
)

// dividedTexts returns n texts of several parts, with one or two line ends between them. Some parts are edits of
// earlier ones, some are the same but for case and punctuation, and some are short.
func dividedTexts(rng *rand.Rand, n int) (out []string) {
	var known []string
	for range n {
		var b strings.Builder
		for range 1 + rng.IntN(6) {
			var part string
			switch kind := rng.IntN(8); {
			case kind < 3 && len(known) > 0:
				part = known[rng.IntN(len(known))]
				if kind == 0 {
					part = strings.ToUpper(strings.ReplaceAll(part, " ", ", "))
				}
				if words := strings.Fields(part); kind == 1 {
					words[rng.IntN(len(words))] = fmt.Sprintf("w%d", rng.IntN(1000))
					part = strings.Join(words, " ")
				}
			case kind == 3:
				part = []string{"}", "Introduction", "See also", "* * *"}[rng.IntN(4)]
			default:
				var words []string
				for range 4 + rng.IntN(40) {
					words = append(words, fmt.Sprintf("w%d", rng.IntN(1000)))
				}
				part = strings.Join(words, " ")
			}
			known = append(known, part)
			b.WriteString(part + []string{"\n", "\n\n", "\r\n \r\n"}[rng.IntN(3)])
		}
		text := b.String()
		if rng.IntN(2) == 0 {
			text = strings.TrimRight(text, "\r\n ")
		}
		if rng.IntN(8) == 0 && len(out) > 0 {
			text = out[rng.IntN(len(out))]
		}
		out = append(out, text)
	}
	return out
}

// A wantedPart is what a simple program knows of a part.
type wantedPart struct {
	doc, number int
	text, words string
	long, word  bool
	set         []uint64
	cut         *wantedCut
}

type wantedCut struct {
	kept       *wantedPart
	similarity float64
	near       bool
}

// simpleCut decides what is cut from texts, of which the first refs are a reference. It returns the parts of each text,
// and whether it is removed.
func simpleCut(t *testing.T, all []string, refs int, o Options) (divided [][]*wantedPart, removed []bool) {
	t.Helper()
	end := regexp.MustCompile(`\r*\n|\r+$`)
	if o.By == Paragraphs {
		end = regexp.MustCompile(`\r*\n(\s*\n)+`)
	}
	firsts := map[string]*wantedPart{}
	var centers []*wantedPart
	for doc, text := range all {
		var list []*wantedPart
		some, left := false, false
		for i, s := range end.Split(text, -1) {
			p := &wantedPart{doc: doc, number: i + 1, text: strings.TrimRight(s, "\r\n")}
			words := regexp.MustCompile(`\w+`).FindAllString(strings.ToLower(s), -1)
			p.words, p.long, p.word = strings.Join(words, " "), len(words) >= o.MinWords, len(words) > 0
			p.set = setsOf(t, []string{s})[0]
			list = append(list, p)
			if !p.word {
				continue
			}
			if first, ok := firsts[p.words]; !ok {
				firsts[p.words] = p
				if p.long && len(p.set) >= 20 && o.Threshold < 1 {
					for _, c := range centers {
						if j := ints.Jaccard(c.set, p.set); doc >= refs && j >= o.Threshold && (p.cut == nil || j > p.cut.similarity) {
							p.cut = &wantedCut{c, j, true}
						}
					}
					if p.cut == nil {
						centers = append(centers, p)
					}
				}
			} else if p.cut = first.cut; p.cut == nil {
				p.cut = &wantedCut{first, 1, false}
			}
			some, left = some || p.long && p.cut != nil, left || p.cut == nil
		}
		gone := some && !left && doc >= refs
		for _, p := range list {
			if doc < refs || !p.long && !gone {
				p.cut = nil
			}
		}
		divided, removed = append(divided, list), append(removed, gone)
	}
	return divided, removed
}
