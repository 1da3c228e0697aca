package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/bench/documents"
)

// A kind is how passages are changed before they are planted.
type kind struct {
	name  string
	edits float64 // share of words that are replaced, left out, or have another one behind them
	do    func(words []string) []string
}

var kinds = []kind{
	{"as it is", 0, nil},
	{"1 % of words changed", .01, nil},
	{"5 %", .05, nil},
	{"10 %", .10, nil},
	{"15 %", .15, nil},
	{"20 %, beyond the bounds", .20, nil},
	{"halves exchanged, 5 %", .05, func(words []string) []string {
		half := len(words) / 2
		return slices.Concat(words[half:], words[:half])
	}},
	{"capitals, 5 %", .05, func(words []string) []string {
		return strings.Fields(strings.ToUpper(strings.Join(words, " ")))
	}},
}

// each is how many passages of a kind are planted, and leastWords and mostWords how long they are; those with halves
// twice that.
const each, leastWords, mostWords = 15, 60, 90

// A planting is a directory of texts, some of which have passages of others.
type planting struct {
	dir    string
	files  int
	plants map[pair]*planted
}

// A planted passage is where both files have it, the lesser name first.
type planted struct {
	kind  int
	spans [2]span
}

// plant writes reviews to a directory, half of which have a passage of another one each. Words that are put in are of
// other reviews.
func plant(docs, dir string) (*planting, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	n := 2 * each * len(kinds)
	var texts [][]string
	var strange []string // words of other reviews
	known := map[string]bool{}
	for doc, err := range documents.Read(docs) {
		if err != nil {
			return nil, err
		}
		text := strings.ReplaceAll(string(doc.Text), "<br />", " ")
		words := strings.Fields(text)
		begin := strings.Join(words[:min(len(words), 8)], " ")
		if known[begin] || len(words) < 4*leastWords || strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
			continue
		}
		known[begin] = true
		if len(texts) < n {
			texts = append(texts, words)
		} else if strange = append(strange, words...); len(strange) > 20_000 {
			break
		}
	}
	if len(texts) < n || len(strange) == 0 {
		return nil, fmt.Errorf("%s has too few reviews", docs)
	}
	r := rand.New(rand.NewPCG(33, 1))
	p := &planting{dir: dir, files: n, plants: map[pair]*planted{}}
	for i := range n / 2 {
		k := kinds[i%len(kinds)]
		from, to := texts[i], texts[n/2+i]
		length := leastWords + r.IntN(mostWords-leastWords+1)
		if strings.HasPrefix(k.name, "halves") {
			length *= 2
		}
		at := r.IntN(len(from) - length + 1)
		passage := edited(r, from[at:at+length], k.edits, strange)
		if k.do != nil {
			passage = k.do(passage)
		}
		into := r.IntN(len(to) + 1)
		texts[n/2+i] = slices.Concat(to[:into], passage, to[into:])
		p.plants[pair{file(i), file(n/2 + i)}] = &planted{i % len(kinds), [2]span{bytesOf(from, at, at+length), bytesOf(texts[n/2+i], into, into+len(passage))}}
	}
	for i, words := range texts {
		if err := os.WriteFile(filepath.Join(dir, file(i)), []byte(strings.Join(words, " ")+"\n"), 0o666); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func file(i int) string { return fmt.Sprintf("%04d.txt", i) }

// edited returns words of which a share is changed: of ten, eight are replaced, one is left out, and one has another
// one behind it.
func edited(r *rand.Rand, words []string, share float64, strange []string) (out []string) {
	changed := map[int]bool{}
	for _, i := range r.Perm(len(words))[:int(share*float64(len(words)))] {
		changed[i] = true
	}
	for i, w := range words {
		other := strange[r.IntN(len(strange))]
		switch how := r.IntN(10); {
		case !changed[i]:
			out = append(out, w)
		case how == 0:
		case how == 1:
			out = append(out, w, other)
		default:
			out = append(out, other)
		}
	}
	return out
}

// bytesOf returns where words are in a text that has a space between two.
func bytesOf(words []string, from, to int) span {
	at := len(strings.Join(words[:from], " "))
	if from > 0 {
		at++
	}
	return span{at, at + len(strings.Join(words[from:to], " "))}
}

// bytes returns the bytes of spans, and how many of them lie in another one.
func covered(spans []span, in span) (all, inside int) {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(x, y span) int { return x[0] - y[0] })
	end := 0
	for _, s := range spans {
		s[0] = max(s[0], end)
		all += max(0, s[1]-s[0])
		inside += max(0, min(s[1], in[1])-max(s[0], in[0]))
		end = max(end, s[1])
	}
	return all, inside
}

// row returns the row of an answer: how much of the planted passages of each kind it finds, and how much of what it
// finds is planted.
func (p *planting) row(name string, a *answer, shownAlone bool) string {
	there, hit := make([]int, len(kinds)), make([]int, len(kinds))
	for _, x := range p.plants {
		there[x.kind] += x.spans[0][1] - x.spans[0][0] + x.spans[1][1] - x.spans[1][0]
	}
	all, right := 0, 0
	for id, f := range a.pairs {
		if shownAlone && !f.Shown {
			continue
		}
		x := p.plants[id]
		for side, spans := range f.Spans {
			in := span{}
			if x != nil {
				in = x.spans[side]
			}
			n, inside := covered(spans, in)
			if all, right = all+n, right+inside; x != nil {
				hit[x.kind] += inside
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", name)
	sum, of := 0, 0
	for i := range kinds {
		fmt.Fprintf(&b, " %.3f |", float64(hit[i])/float64(there[i]))
		sum, of = sum+hit[i], of+there[i]
	}
	precision := 0.0
	if all > 0 {
		precision = float64(right) / float64(all)
	}
	fmt.Fprintf(&b, " %.3f | %.3f | %s |\n", float64(sum)/float64(of), precision, a.took())
	return b.String()
}

// table asks all programs, and returns what comes of it.
func (p *planting) table(programs []program) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "## Planted passages\n\n%d reviews, of which %d have a passage of another one, %d of each kind, of %d to %d words, or twice that with halves "+
		"exchanged. A column has the share of the characters that a program finds; the last ones have that of all kinds, and which share of what it finds is planted.\n\n",
		p.files, len(p.plants), each, leastWords, mostWords)
	b.WriteString("| program |")
	for _, k := range kinds {
		fmt.Fprintf(&b, " %s |", k.name)
	}
	b.WriteString(" recall | precision | processor s |\n|---|" + strings.Repeat("---|", len(kinds)+3) + "\n")
	for _, one := range programs {
		a, err := one.ask(p.dir, "txt")
		if err != nil {
			return "", err
		}
		b.WriteString(p.row(one.name, a, false))
		for _, f := range a.pairs {
			if !f.Shown {
				b.WriteString(p.row(one.name+", the pairs that its report shows", a, true))
				break
			}
		}
	}
	return b.String(), nil
}
