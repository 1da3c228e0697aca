package results

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"image"
	"image/jpeg"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"simsearch/internal/index"
)

// said returns the texts of a page, with single spaces.
func said(page string) string {
	page = regexp.MustCompile("(?s)<style>.*?</style>|<script>.*?</script>|<svg.*?</svg>|<[^>]*>").ReplaceAllString(page, " ")
	return strings.Join(strings.Fields(html.UnescapeString(page)), " ")
}

// manyGroups returns an index with groups of three documents each: a text, a copy, and one that is less near the more groups there are
// before it.
func manyGroups(t *testing.T, groups int) (*index.Snapshot, texts) {
	var ids []string
	var of texts
	for g := range groups {
		words := make([]string, 100)
		for i := range words {
			words[i] = fmt.Sprintf("w%dx%d", g, i)
		}
		text := strings.Join(words, " ")
		for i := range 1 + g%10 {
			words[10*i] = "another"
		}
		of = append(of, text, strings.ToUpper(text), strings.Join(words, " "))
		ids = append(ids, fmt.Sprintf("g%03d/a", g), fmt.Sprintf("g%03d/b", g), fmt.Sprintf("g%03d/c", g))
	}
	return indexOf(t, append(ids, "alone"), append(of, "Something else")), append(of, "Something else")
}

func TestGroupsPageSaysHowManyAndHowNear(t *testing.T) {
	const groups = 70
	ix, of := manyGroups(t, groups)
	page := printGroups(t, ix, index.Similar(0.8), func(p *Groups, out *bufio.Writer) { p.HTML, p.Texts = out, of })
	text := said(page)
	for _, want := range []string{
		"70 groups of near documents", "they have a Jaccard similarity of at least 0.8.", "70 groups the largest has 3 documents", "210 documents in them 99.5 % of 211",
		"140 beside the first of each group 70 with the same features", "in no group 0.5 %", "1.00 70", "documents in a group groups beside the first 3 70 140",
		"Group 1: 3 documents", "Group 70: 3 documents", "pair 1 of 40", "only in the first of its group", "near a Jaccard similarity of at least 0.8", "features words", "simsearch groups '<b>'",
	} {
		if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if open := strings.Count(page, `<details class="pair group" id="group-`); open != groups {
		t.Errorf("%d groups", open)
	}
	if open := strings.Count(page, `" open><summary><h3>`); open != openGroups {
		t.Errorf("%d groups are open", open)
	}
	// The least near stand first, one of each group.
	var shown []string
	for _, m := range regexp.MustCompile(`<span class="similarity">([^<]*)</span>`).FindAllStringSubmatch(page, -1) {
		shown = append(shown, m[1])
	}
	if len(shown) != leastNear || !slices.IsSorted(shown) || shown[0] != "0.8911" || shown[leastNear-1] != "0.9406" {
		t.Errorf("%v", shown)
	}
}

// What is counted is what each pair of a document and its representative has, by distance and by similarity, in stars and in chains.
func TestGroupsPageCounts(t *testing.T) {
	ix, of := manyGroups(t, 30)
	for _, near := range []index.Predicate{index.Similar(0.8), index.Similar(0.9), index.Within(3)} {
		for _, chain := range []bool{false, true} {
			want, far, all := map[int]int{}, 0, 0
			p := &Groups{Index: ix, Near: Nearness{Predicate: near}, HTML: new(bytes.Buffer), Chain: chain}
			err := ix.Groups(t.Context(), near, index.PairOptions{Threads: 1, Chain: chain}, func(g index.Group) error {
				for _, doc := range g.Documents {
					if doc == g.Representative {
						continue
					}
					a, _ := of.Text(g.Representative)
					b, _ := of.Text(doc)
					m, err := near.Kind.Measure(ix.Analysis(), []byte(a), []byte(b))
					if err != nil {
						return err
					}
					all++
					if !near.Reached(&m) {
						far++
					}
					if near.Kind.Bare {
						want[m.Distance]++
					} else {
						want[int(m.Value*tenThousand)]++
					}
				}
				return p.Print(g)
			})
			if err != nil {
				t.Fatal(err)
			}
			bins := string(p.all.howNear(false).Section().Body)
			counted, gotFar := 0, 0
			for _, cell := range regexp.MustCompile(`<td class="number">(\d+)</td>`).FindAllStringSubmatch(bins, -1) {
				n, _ := strconv.Atoi(cell[1])
				counted += n
			}
			if m := regexp.MustCompile(`<p>(\d+) documents? (?:is|are) (?:less similar|further)`).FindStringSubmatch(bins); m != nil {
				gotFar, _ = strconv.Atoi(m[1])
			}
			if fmt.Sprint(p.all.nearness) != fmt.Sprint(want) || gotFar != far || counted != all || all == 0 {
				t.Errorf("%v, chain %v: %v, want %v; far %d, want %d; in bins %d of %d", near, chain, p.all.nearness, want, gotFar, far, counted, all)
			}
			if err := p.End("", false); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Pictures stand beside each other, in groups and in pairs, and are there without texts.
func TestGroupsPageOfPictures(t *testing.T) {
	ix, _ := manyGroups(t, 2)
	page := printGroups(t, ix, index.Similar(0.8), func(p *Groups, out *bufio.Writer) {
		p.HTML, p.Pictures = out, func(uint32, int) ([]byte, error) {
			var b bytes.Buffer
			err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 2)), nil)
			return b.Bytes(), err
		}
	})
	for want, n := range map[string]int{`<ul class="documents pictured">`: 2, `<div class="row same beside">`: 2, `<img src="data:image/jpeg;base64,`: 2*3 + 2*2, `class="legend"`: 0} {
		if got := strings.Count(page, want); got != n {
			t.Errorf("%d times %s, want %d", got, want, n)
		}
	}
}
