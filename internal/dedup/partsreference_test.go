package dedup

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/collected"
	"simsearch/internal/ints"
	"simsearch/internal/parts"
)

// dividedTexts returns n texts of several parts, with one or two line ends between them. Some parts are edits of earlier
// ones, some are the same but for case and punctuation, and some are short.
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

// formOf returns words without their numbers, or "" if they have none or fewer than eight others beside each.
func formOf(words string) string {
	number := regexp.MustCompile(`\b[0-9]+\b`)
	n, all := len(number.FindAllString(words, -1)), len(strings.Fields(words))
	if n == 0 || all-n < 8*n {
		return ""
	}
	return number.ReplaceAllString(words, "0")
}

// simpleForms returns the forms that a tenth of the texts have, and 20 at least, and none twice with other numbers.
func simpleForms(all []string, end *regexp.Regexp) map[string]bool {
	texts, rows := map[string]int{}, map[string]bool{}
	for _, text := range all {
		found := map[string]string{}
		for _, s := range end.Split(text, -1) {
			words := strings.Join(regexp.MustCompile(`\w+`).FindAllString(strings.ToLower(s), -1), " ")
			form := formOf(words)
			if was, ok := found[form]; ok && was != words {
				rows[form] = true
			}
			found[form] = words
		}
		for form := range found {
			texts[form]++
		}
	}
	is := map[string]bool{}
	for form, n := range texts {
		is[form] = form != "" && n >= 20 && 10*n >= len(all) && !rows[form]
	}
	return is
}

// withForms adds lines to texts that differ in numbers alone: one that many texts have, a row of a table, and one that few have.
func withForms(rng *rand.Rand, all []string) (out []string) {
	for _, text := range all {
		if rng.IntN(3) == 0 {
			text = fmt.Sprintf("This site has stored %d cookies of our partners in your browser\n\n%s", rng.IntN(50), text)
		}
		if rng.IntN(3) == 0 {
			text = strings.TrimRight(text, "\r\n ")
			for range 1 + rng.IntN(2) {
				text += fmt.Sprintf("\n\nThe lower gate was open for %d hours in the week before", rng.IntN(50))
			}
		}
		if rng.IntN(15) == 0 {
			text = fmt.Sprintf("Profits of the harbour company rose to %d million in the year\n\n%s", rng.IntN(50), text)
		}
		out = append(out, text)
	}
	return out
}

// simpleCut decides what is cut from texts, of which the first refs are a reference. It returns the parts of each text,
// and whether it is removed.
func simpleCut(t *testing.T, all []string, refs int, o collected.Options) (divided [][]*wantedPart, removed []bool) {
	t.Helper()
	end := regexp.MustCompile(`\r*\n|\r+$`)
	if o.By == parts.Paragraphs {
		end = regexp.MustCompile(`\r*\n(\s*\n)+`)
	}
	forms := simpleForms(all, end)
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
				if p.long && (len(p.set) >= 20 || forms[formOf(p.words)]) && o.Threshold < 1 {
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
