package sequences

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// planted returns two random sequences over some words. The second has stretches of the first, changed.
func planted(rng *rand.Rand, words, most int) (a, b []uint64) {
	some := func(n int) (s []uint64) {
		for range n {
			s = append(s, uint64(rng.IntN(words)*rng.IntN(words)/words))
		}
		return s
	}
	a = some(rng.IntN(most))
	b = some(rng.IntN(most / 4))
	for range rng.IntN(4) {
		from := rng.IntN(len(a) + 1)
		s := slices.Clone(a[from : from+rng.IntN(len(a)-from+1)])
		for range rng.IntN(len(s)/6 + 2) {
			i := rng.IntN(len(s) + 1)
			switch rng.IntN(4) {
			case 0:
				s = slices.Insert(s, i, some(1)...)
			case 1:
				s = slices.Delete(s, i, min(len(s), i+1))
			case 2:
				if i < len(s) {
					s[i] = uint64(rng.IntN(words))
				}
			case 3: // what follows comes first
				s = append(slices.Clone(s[i:]), s[:i]...)
			}
		}
		b = append(b, s...)
		b = append(b, some(rng.IntN(most/4))...)
	}
	return a, b
}

var someBounds = []Bounds{{50, 0.15}, {50, 0}, {20, 0.1}, {12, 0.2}, {8, 0.15}, {30, 0.05}, {10, 0.25}}

// The edits of a passage are the fewest, though the longest run of equal words may lie across: here beside those that
// agree.
func TestEditsAreTheFewest(t *testing.T) {
	x, y := []uint64{1, 2, 7, 7, 7, 8, 8, 8, 8, 3, 4}, []uint64{1, 2, 7, 7, 7, 7, 8, 8, 8, 3, 4}
	b := Bounds{10, 0.25}
	var m matcher[uint64]
	m.prepare(x, b, b.Run())
	want := []Passage{{[2]int{0, 11}, [2]int{0, 11}, 11, 1}}
	if got := m.find(y); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestFindEqualsReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	found, edited, several := 0, 0, 0
	var m matcher[uint64]
	for round := range 500 {
		b := someBounds[rng.IntN(len(someBounds))]
		words := []int{2, 5, 30, 1000}[rng.IntN(4)]
		x, y := planted(rng, words, 3*b.Words+rng.IntN(100))
		m.prepare(x, b, b.Run())
		got, want := m.find(y), reference(x, y, b)
		if !slices.Equal(got, want) {
			t.Fatalf("round %d, %v: %v, want %v\n%v\n%v", round, b, got, want, x, y)
		}
		m.prepare(x, b, b.Run())
		m.most = 1 + rng.IntN(3)
		if got := m.find(y); !slices.Equal(got, want) {
			t.Fatalf("round %d, %v: %v with %d cores at once, want %v\n%v\n%v", round, b, got, m.most, want, x, y)
		}
		if len(want) > 0 && !m.mayHave(y) {
			t.Fatalf("round %d, %v: %v, and there may be none", round, b, want)
		}
		found += len(got)
		if len(got) > 1 {
			several++
		}
		for _, p := range got {
			if p.Edits > 0 {
				edited++
			}
		}
	}
	if found < 200 || edited < 100 || several < 30 {
		t.Errorf("%d passages, %d of them with edits; %d rounds have several", found, edited, several)
	}
}

// TestGuarantee compares passages with all spans that agree: each passage is one of them, and each of these has as
// many words in passages as a run of equal words that it has.
func TestGuarantee(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	agree := 0
	var m matcher[uint64]
	for round := range 30 {
		b := []Bounds{{8, 0.15}, {12, 0.2}, {10, 0.25}, {9, 0}}[rng.IntN(4)]
		x, y := planted(rng, []int{3, 10, 1000}[rng.IntN(3)], 40)
		m.prepare(x, b, b.Run())
		found := m.find(y)
		for _, p := range found {
			w := max(p.Query[1]-p.Query[0], p.Document[1]-p.Document[0])
			s, d := x[p.Query[0]:p.Query[1]], y[p.Document[0]:p.Document[1]]
			edits := int(table(s, d, nil)[len(s)][len(d)])
			if w != p.Words || w < b.Words || edits != p.Edits || edits*scale > b.share()*w {
				t.Fatalf("round %d, %v: %+v has %d words, %d edits", round, b, p, w, edits)
			}
		}
		for i := range x {
			for j := range y {
				table(x[i:], y[j:], func(n int, row []int32) bool {
					for k, edits := range row {
						w := max(n, k)
						if w < b.Words || int(edits)*scale > b.share()*w {
							continue
						}
						agree++
						inQuery, inDocument := 0, 0
						for at := i; at < i+n; at++ {
							if slices.ContainsFunc(found, func(p Passage) bool { return p.Query[0] <= at && at < p.Query[1] }) {
								inQuery++
							}
						}
						for at := j; at < j+k; at++ {
							if slices.ContainsFunc(found, func(p Passage) bool { return p.Document[0] <= at && at < p.Document[1] }) {
								inDocument++
							}
						}
						if min(inQuery, inDocument) < b.Run() {
							t.Fatalf("round %d, %v: %d:%d and %d:%d with %d edits are not in %v\n%v\n%v", round, b, i, i+n, j, j+k, edits, found, x, y)
						}
					}
					return true
				})
			}
		}
	}
	if agree < 1000 {
		t.Errorf("%d spans agree", agree)
	}
}

func TestRun(t *testing.T) {
	for _, b := range someBounds {
		// The worst case: edits that leave runs of one length.
		least := b.Words
		for w := b.Words; w < 20*b.Words; w++ {
			k := b.share() * w / scale
			least = min(least, (w-k+k)/(k+1))
		}
		if b.Run() != least {
			t.Errorf("%v: %d, want %d", b, b.Run(), least)
		}
	}
	if Usual.Run() != 6 || Usual.Check() != nil {
		t.Error(Usual.Run(), Usual.Check())
	}
	for _, b := range []Bounds{{0, 0}, {50, 1}, {50, 0.9}, {50, -1}, {5, 0.3}} {
		if b.Check() == nil {
			t.Errorf("%v is right", b)
		}
	}
}

// TestBytes cuts texts of many scripts at all words.
func TestBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"The quick, brown ", "don't ", "3.14 ", "3,4", "—", "日本語のテキスト", "。", "ภาษาไทย", "e\u0301a ", "ﬁne", " ", "\n\n", "U.S.A. ", "한국어 ",
		"\xff", "x\u200dy ", "①② ", "ΣΑΣ ", "can\u2019t ", "word:word ", "漢", "\u00ad", "so\u00adft\u200dly\u2060 ", "\U0001F600", "שָׁלוֹם ", "a_b "}
	cut := 0
	for range 400 {
		var s strings.Builder
		for range rng.IntN(200) {
			s.WriteString(pieces[rng.IntN(len(pieces))])
		}
		x := NewText([]byte(s.String()))
		for from := 0; from < len(x.Words); from += 1 + rng.IntN(20) {
			to := min(len(x.Words), from+1+rng.IntN(60))
			start, end := x.Bytes(from, to)
			part := NewText(x.Raw[start:end])
			if !slices.Equal(part.Words, x.Words[from:to]) {
				t.Fatalf("words %d to %d of %q: %q has %d", from, to, s.String(), x.Raw[start:end], len(part.Words))
			}
			if whole := bytes.TrimSpace(x.Raw[start:end]); len(whole) != end-start {
				t.Fatalf("words %d to %d of %q: %q", from, to, s.String(), x.Raw[start:end])
			}
			if !utf8.RuneStart(x.Raw[start]) || end < len(x.Raw) && !utf8.RuneStart(x.Raw[end]) {
				t.Fatalf("%q is cut", x.Raw[start:end])
			}
			cut++
		}
	}
	if cut < 1000 {
		t.Error(cut)
	}
}

func ExampleQuery() {
	text := NewText([]byte("As he said: “Nothing is so painful to the human mind as a great and sudden change.” Nobody answered."))
	document := NewText([]byte("nothing is so painful to the mind as a great and sudden CHANGE; so it was."))
	b := Bounds{Words: 12, Edits: 0.15}
	for _, p := range NewQuery(text, b).Find(document) {
		start, end := text.Bytes(p.Query[0], p.Query[1])
		fmt.Printf("%d words, %d edits: %s\n", p.Words, p.Edits, text.Raw[start:end])
		start, end = document.Bytes(p.Document[0], p.Document[1])
		fmt.Printf("%s\n", document.Raw[start:end])
	}
	// Output:
	// 14 words, 1 edits: Nothing is so painful to the human mind as a great and sudden change
	// nothing is so painful to the mind as a great and sudden CHANGE
}

// covered returns how many words of the query lie in passages, and how many of the document. Divided by the words of
// a text, that is the share of it that the other one has.
func covered(found []Passage) (query, document int) {
	of := func(span func(p *Passage) [2]int) (n int) {
		spans := make([][2]int, len(found))
		for i := range found {
			spans[i] = span(&found[i])
		}
		slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
		end := 0
		for _, s := range spans {
			n += max(0, s[1]-max(s[0], end))
			end = max(end, s[1])
		}
		return n
	}
	return of(func(p *Passage) [2]int { return p.Query }), of(func(p *Passage) [2]int { return p.Document })
}

// TestRepetitions has long texts of a few words again and again. The last ones have others in between, and millions
// of cores.
func TestRepetitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	broken := func() (words []uint64) {
		for range 10_000 {
			if words = append(words, 1); rng.IntN(20) == 0 {
				words = append(words, rng.Uint64())
			}
		}
		return words
	}
	query, document := &Text{Words: broken()}, &Text{Words: broken()}
	q := NewQuery(query, Usual)
	found := q.Find(document)
	if a, b := covered(found); min(a, b) < 10_000 || cap(q.words.cores) > 3*mostCores {
		t.Errorf("%d passages have %d and %d words, of %d cores", len(found), a, b, cap(q.words.cores))
	}
	for period := range 4 {
		a, b := make([]uint64, 11_000), make([]uint64, 10_000)
		for i := range a {
			a[i] = uint64(i % (period + 1))
		}
		for i := range b {
			b[i] = uint64(i % (period + 1))
		}
		var m matcher[uint64]
		m.prepare(a, Usual, Usual.Run())
		found := m.find(b)
		if q, d := covered(found); q < len(a)-2*period || d != len(b) {
			t.Errorf("period %d: %d passages, such as %v, have %d and %d words", period+1, len(found), found[:min(len(found), 3)], q, d)
		}
	}
}

// TestFewCoresAtOnce compares texts that repeat a few words, which have very many cores: few of them are listed at
// once.
func TestFewCoresAtOnce(t *testing.T) {
	repeat := func(every int) (s []uint64) {
		for i := range 2000 {
			if s = append(s, uint64(i%5)); i%every == 0 {
				s[i] = uint64(1000*every + i)
			}
		}
		return s
	}
	x, y := repeat(19), repeat(23)
	var m matcher[uint64]
	m.prepare(x, Usual, Usual.Run())
	m.most = 50
	if found := m.find(y); len(found) == 0 || found[0].Words < 1900 || cap(m.cores) > 4*manyCores*m.most {
		t.Errorf("%v with room for %d cores", found, cap(m.cores))
	}
}
