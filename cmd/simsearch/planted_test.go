package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"simsearch/internal/tests/testkit"
)

// These tests look at passages from outside: commands index texts that are made here and print what they find, and
// plain tables say what there is to be found. Nothing of package sequences is used, and no step of package
// preprocess.

var plantedDocuments = flag.Int("planted", testkit.Of(75, 5_000), "number of documents of TestPlanted")

// The usual bounds: passages have leastWords words, of which 3 of 20 are edited at most. Such ones have leastRun
// equal words behind one another.
const leastWords, leastRun = 50, 6

func agree(words, edits int) bool { return words >= leastWords && 20*edits <= 3*words }

// mostEdits are those of a passage that cannot be cut into two passages.
const mostEdits = 3 * (2*leastWords - 1) / 20

// A tongue makes texts of one language.
type tongue struct {
	name   string
	spaced bool
	// run returns some units of running text: words, or characters with their marks, and what stands behind them.
	run func(rng *rand.Rand, n int) []string
}

// tongues returns languages. In make long, the texts of some are real, if they are there.
func tongues(t *testing.T, rng *rand.Rand) []tongue {
	words := testkit.NewWords(33)
	english := func(_ *rand.Rand, n int) []string {
		return strings.SplitAfter(strings.ReplaceAll(words.Text(n), "\n", " "), " ")[:n]
	}
	thai := coined(rng, func() string {
		vowels, tones := []string{"", "", "ะ", "า", "ิ", "ี", "ุ", "ู"}, []string{"", "", "", "่", "้"}
		return string('ก'+rune(rng.IntN(46))) + vowels[rng.IntN(len(vowels))] + tones[rng.IntN(len(tones))]
	})
	han := coined(rng, func() string { return string('一' + rune(rng.IntN(3000))) })
	all := []tongue{{"English", true, english}, {"Chinese", false, han}, {"Thai", false, thai}}
	if testkit.IsLong() {
		if _, err := os.Stat(os.Getenv(testkit.DataVariable)); os.Getenv(testkit.DataVariable) != "" && err != nil {
			t.Fatal(err)
		}
		all = append(all, realTongues(t)...)
	}
	return all
}

// coined returns running text of coined words without spaces, few of which are frequent.
func coined(rng *rand.Rand, character func() string) func(*rand.Rand, int) []string {
	lexicon := make([][]string, 4000)
	for i := range lexicon {
		for range 1 + rng.IntN(3) {
			lexicon[i] = append(lexicon[i], character())
		}
	}
	return func(rng *rand.Rand, n int) (units []string) {
		for len(units) < n {
			word := lexicon[rng.IntN(1+rng.IntN(1+rng.IntN(len(lexicon))))]
			units = append(units, word...)
			if rng.IntN(12) == 0 {
				units[len(units)-1] += []string{"。", " ", "\n"}[rng.IntN(3)]
			}
		}
		return units[:n]
	}
}

// realTongues returns English reviews, and Chinese and Japanese phrases in any order.
func realTongues(t *testing.T) []tongue {
	dir := testkit.Dev(t, "aclimdb", "tldr-pages")
	var reviews, chinese, japanese [][]string
	han, kana := regexp.MustCompile("[一-龥]{4,}"), regexp.MustCompile("[一-龥ぁ-んァ-ヴー]{6,}")
	latin := regexp.MustCompile("[A-Za-z]+")
	eachText(t, filepath.Join(dir, "aclimdb", "docs.jsonl"), func(_, text string) {
		if found := latin.FindAllString(text, -1); len(found) >= leastWords {
			for i := range found {
				found[i] += " "
			}
			reviews = append(reviews, found)
		}
	})
	eachText(t, filepath.Join(dir, "tldr-pages", "docs.jsonl"), func(id, text string) {
		if strings.HasPrefix(id, "pages.zh/") {
			for _, phrase := range han.FindAllString(text, -1) {
				chinese = append(chinese, strings.Split(phrase, ""))
			}
		}
		if strings.HasPrefix(id, "pages.ja/") {
			for _, phrase := range kana.FindAllString(text, -1) {
				japanese = append(japanese, strings.Split(phrase, ""))
			}
		}
	})
	of := func(phrases [][]string, ends ...string) func(*rand.Rand, int) []string {
		return func(rng *rand.Rand, n int) (units []string) {
			for len(units) < n {
				phrase := phrases[rng.IntN(len(phrases))]
				units = append(units, phrase[rng.IntN((len(phrase)+1)/2):]...)
				units[len(units)-1] += ends[rng.IntN(len(ends))]
			}
			return units[:n]
		}
	}
	if len(reviews) < 1000 || len(chinese) < 1000 || len(japanese) < 300 {
		t.Fatalf("%d reviews, %d Chinese phrases, %d Japanese ones", len(reviews), len(chinese), len(japanese))
	}
	return []tongue{{"reviews", true, of(reviews, ". ")}, {"Chinese pages", false, of(chinese, "", "，", "。")},
		{"Japanese pages", false, of(japanese, "", "、", "。")}}
}

func eachText(t *testing.T, path string, do func(id, text string)) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); d.More(); {
		var record struct{ ID, Text string }
		if err := d.Decode(&record); err != nil {
			t.Fatal(err)
		}
		do(record.ID, record.Text)
	}
}

// changed returns units with a share of them changed, added, left out, joined with the next or cut. Some are moved,
// or in capitals.
func (l *tongue) changed(rng *rand.Rand, units []string, share float64) []string {
	units = slices.Clone(units)
	if rng.IntN(4) == 0 { // as evenly as it can be: equal words are in runs of leastRun
		step := leastRun + 1
		if !l.spaced {
			step = 2 * step // a character is in two words
		}
		for i := rng.IntN(step); i < len(units); i += step {
			units[i] = l.run(rng, 1)[0]
		}
		return units
	}
	for range int(share*float64(len(units)) + rng.Float64()) {
		i := rng.IntN(len(units))
		switch rng.IntN(6) {
		case 0, 1:
			units[i] = l.run(rng, 1)[0]
		case 2:
			units = slices.Delete(units, i, i+1)
		case 3:
			units = slices.Insert(units, i, l.run(rng, 1)...)
		case 4: // joined with what follows
			units[i] = strings.TrimRight(units[i], " \n.,。，、")
		case 5: // cut
			half := 0
			if l.spaced {
				half = len(units[i]) / 2
			}
			units[i] = units[i][:half] + " " + units[i][half:]
		}
	}
	if rng.IntN(6) == 0 { // a part of it comes first
		i := rng.IntN(len(units))
		units = slices.Concat(units[i:], units[:i])
	}
	if l.spaced && rng.IntN(3) == 0 {
		for i := range units {
			units[i] = strings.ToUpper(units[i])
		}
	}
	return units
}

// A plantation has sources, and documents with changed parts of them.
type plantation struct {
	queries, documents []string
	ids                map[string]int32 // of words
	q, d               [][]int32        // the words of texts
}

// plant makes documents in some languages with parts of a number of sources in each.
func plant(rng *rand.Rand, all []tongue, documents, sources int) *plantation {
	p := &plantation{ids: map[string]int32{}}
	of := make([][][]string, len(all))
	for i := range all {
		for n := range sources {
			s := all[i].run(rng, []int{110 + rng.IntN(100), 40 + rng.IntN(20)}[n&7/7]) // one of eight is as short as a passage
			of[i] = append(of[i], s)
			p.queries = append(p.queries, strings.Join(s, ""))
		}
		licence := slices.Concat(of[i][0][:70], all[i].run(rng, 40), of[i][1][:55]) // what many documents have
		p.queries = append(p.queries, strings.Join(licence, ""))
		of[i] = append(of[i], licence)
	}
	for n := range documents {
		l := &all[n%len(all)]
		s := of[n%len(all)]
		var text []string
		for range rng.IntN(3) { // as many parts: at the beginning or the end if nothing else stands there
			source := s[rng.IntN(len(s))]
			if rng.IntN(8) == 0 {
				source = s[len(s)-1]
			}
			length := min(len(source), 45+rng.IntN(75))
			from := rng.IntN(len(source) - length + 1)
			if len(text) == 0 && rng.IntN(2) == 0 || rng.IntN(3) > 0 {
				text = append(text, l.run(rng, rng.IntN(50))...)
			}
			text = append(text, l.changed(rng, source[from:from+length], []float64{0.15, 0.08}[rng.IntN(2)]*rng.Float64())...)
		}
		if len(text) == 0 || rng.IntN(2) == 0 {
			text = append(text, l.run(rng, rng.IntN(90))...)
		}
		p.documents = append(p.documents, strings.Join(text, ""))
	}
	for _, text := range p.queries {
		words, _ := p.words(text)
		p.q = append(p.q, words)
	}
	for _, text := range p.documents {
		words, _ := p.words(text)
		p.d = append(p.d, words)
	}
	return p
}

// words returns the words of a text, and where they are: runs of Latin letters, whatever their case, and each two
// letters that follow each other of other scripts, or a single one.
func (p *plantation) words(text string) (words []int32, places [][2]int) {
	add := func(from, to int) {
		word := strings.Join(strings.Fields(strings.ToLower(text[from:to])), "")
		if _, ok := p.ids[word]; !ok {
			p.ids[word] = int32(len(p.ids))
		}
		words, places = append(words, p.ids[word]), append(places, [2]int{from, to})
	}
	kind := func(r rune) int {
		switch {
		case r < unicode.MaxASCII && unicode.IsLetter(r):
			return 1
		case r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsMark(r)):
			return 2
		}
		return 0
	}
	start, last, run := 0, 0, 0 // the run of one kind; the places of its first and last letter
	flush := func(end int, single bool) {
		if run == 1 || run == 2 && single {
			add(start, end)
		}
		run = 0
	}
	count := 0 // the letters of the run
	for i, r := range text {
		k := kind(r)
		if next := strings.TrimLeftFunc(text[i:], unicode.IsSpace); run == 2 && unicode.IsSpace(r) && next != "" && kind([]rune(next)[0]) == 2 {
			continue // other letters are the same whatever spaces are between them
		}
		if k != run {
			flush(i, count == 1)
			start, run, count = i, k, 0
		}
		if count++; k == 2 && count > 1 {
			add(last, i+len(string(r)))
		}
		last = i
	}
	flush(len(text), count == 1)
	return words, places
}

// A stretch is a passage in words of both texts.
type stretch struct{ query, document [2]int }

// quotedRow is a row that near and pairs print.
type quotedRow struct {
	Query, ID, A, B string
	QueryShare      float64 `json:"query_share"`
	DocumentShare   float64 `json:"document_share"`
	AShare          float64 `json:"a_share"`
	BShare          float64 `json:"b_share"`
	Passages        []struct {
		Query, Document, A, B [2]int
		Words, Edits          int
	}
}

// verified returns the passages of a row in words. It fails unless the words of each, as the bytes of both texts have
// them, agree, as many as the row says, and unless the shares of words in passages are those of the row.
func (p *plantation) verified(t *testing.T, row *quotedRow, query, document string) (found []stretch) {
	t.Helper()
	a, inA := p.words(query)
	b, inB := p.words(document)
	for i, of := range row.Passages {
		if row.A != "" {
			of.Query, of.Document = of.A, of.B
		}
		s := stretch{within(inA, of.Query), within(inB, of.Document)}
		x, y := a[s.query[0]:s.query[1]], b[s.document[0]:s.document[1]]
		again, _ := p.words(query[of.Query[0]:of.Query[1]])
		also, _ := p.words(document[of.Document[0]:of.Document[1]])
		edits := editsOf(x, y)
		switch {
		case !slices.Equal(again, x) || !slices.Equal(also, y):
			t.Errorf("%+v: passage %d, %q and %q, cuts words", row, i, query[of.Query[0]:of.Query[1]], document[of.Document[0]:of.Document[1]])
		case of.Words != max(len(x), len(y)) || of.Edits != edits || !agree(of.Words, edits):
			t.Errorf("%+v: passage %d has %d and %d words and %d edits", row, i, len(x), len(y), edits)
		}
		found = append(found, s)
	}
	inQuery, inDocument := covered(found, len(a), len(b))
	shares := [2]float64{row.QueryShare + row.AShare, row.DocumentShare + row.BShare}
	for i, words := range [][]int{inQuery, inDocument} {
		n := len(words) - 1
		if want := float64(words[n]*10000/n) / 10000; shares[i] != want {
			t.Errorf("%+v: %d of %d words are a share of %g", row, words[n], n, want)
		}
	}
	return found
}

// within returns which words lie in some bytes.
func within(places [][2]int, bytes [2]int) (words [2]int) {
	words[0], _ = slices.BinarySearchFunc(places, bytes[0], func(p [2]int, at int) int { return p[0] - at })
	words[1], _ = slices.BinarySearchFunc(places, bytes[1]+1, func(p [2]int, at int) int { return p[1] - at })
	return words
}

// covered returns how many of the first words of both texts lie in passages, for each number of them.
func covered(found []stretch, query, document int) (inQuery, inDocument []int) {
	of := func(n int, span func(*stretch) [2]int) []int {
		is := make([]int, n+1)
		for i := range found {
			for s := span(&found[i]); s[0] < s[1]; s[0]++ {
				is[s[0]+1] = 1
			}
		}
		for i := range n {
			is[i+1] += is[i]
		}
		return is
	}
	return of(query, func(s *stretch) [2]int { return s.query }), of(document, func(s *stretch) [2]int { return s.document })
}

// editsOf returns the edit distance.
func editsOf(a, b []int32) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// A brute compares two texts by plain tables.
type brute struct {
	row, last   []int32 // the edits of the best spans that end at each word of b
	from, above []int32 // where these begin
	missing     []int
}

// agreeing calls do with spans that agree, a[i:to] and b[j:end], where i is a multiple of step, and a[i:to] has from
// leastWords to twice as many words: for each such span of a, and for each end, the span of b with the fewest edits.
// Longer spans that agree have a part of that length that does: cut in two, one half has no more edits for its words
// than the whole. in says which words are in b.
//
// leastWords words of which more than mostEdits are not in b are the beginning of no span. What has more
// edits than that, with those that are still to come for that reason, is not followed.
func (t *brute) agreeing(a, b []int32, step int, in func(int32) bool, do func(i, to, j, end int)) {
	t.missing = append(t.missing[:0], 0)
	for i, x := range a {
		n := t.missing[i]
		if !in(x) {
			n++
		}
		t.missing = append(t.missing, n)
	}
	for _, row := range []*[]int32{&t.row, &t.last, &t.from, &t.above} {
		*row = slices.Grow((*row)[:0], len(b)+2)[:len(b)+2]
	}
	for i := 0; i+leastWords <= len(a); i += step {
		if t.missing[i+leastWords]-t.missing[i] > mostEdits {
			continue
		}
		lo, hi := 0, len(b) // the first and the last end with mostEdits or fewer
		for j := range t.row {
			t.row[j], t.from[j] = 0, int32(j)
		}
		for n := 1; lo <= hi && n < 2*leastWords && i+n <= len(a); n++ {
			limit := mostEdits - (t.missing[max(i+n, i+leastWords)] - t.missing[i+n])
			lo, hi = t.next(a[i+n-1], b, lo, hi, int32(limit))
			for j := lo; j <= hi && n >= leastWords; j++ {
				if agree(n, int(t.row[j])) {
					do(i, i+n, int(t.from[j]), j)
				}
			}
		}
	}
}

// next continues the table with a word of a, from the ends from lo to hi. It returns the first and the last one with
// no more edits than a limit.
func (t *brute) next(x int32, b []int32, lo, hi int, limit int32) (first, last int) {
	t.row, t.last, t.from, t.above = t.last, t.row, t.above, t.from
	t.last[hi+1] = mostEdits + 1
	first, last = len(b)+1, -1
	edits, from := int32(mostEdits+1), int32(0) // of the end before
	for j := lo; j <= len(b) && (j <= hi+1 || edits <= limit); j++ {
		edits++ // a word only in b
		if j > lo && j <= hi+1 {
			other := t.last[j-1]
			if b[j-1] != x {
				other++
			}
			if other < edits {
				edits, from = other, t.above[j-1]
			}
		}
		if j <= hi && t.last[j]+1 < edits {
			edits, from = t.last[j]+1, t.above[j]
		}
		if t.row[j], t.from[j] = edits, from; edits <= limit {
			first, last = min(first, j), j
		}
	}
	return first, last
}

// A verdict is what comparing each text with each says of what was found.
type verdict struct{ pairs, spans, wrong int }

// sampled says of how many beginnings of spans that agree one is looked at where two texts are said to share a passage.
var sampled = testkit.Of(1, 8)

// judge compares what was found with all spans that agree of the texts for which is is true, or with a sample of
// those of texts of which something was found, if it has some.
func judge(t *testing.T, vocabulary int, q, d [][]int32, is func(q, d int) bool, found map[[2]int][]stretch) (v verdict) {
	t.Helper()
	sets := make([][]bool, len(q)) // the words of the queries
	for i := range q {
		sets[i] = make([]bool, vocabulary)
		for _, w := range q[i] {
			sets[i][w] = true
		}
	}
	var mu sync.Mutex
	workers := runtime.GOMAXPROCS(0)
	work := func(from int) {
		var table brute
		stamps := make([]int32, vocabulary)
		var mine verdict
		for doc := from; doc < len(d); doc += workers {
			for _, w := range d[doc] {
				stamps[w] = int32(doc + 1)
			}
			for query := range q {
				if !is(query, doc) {
					continue
				}
				has := found[[2]int{query, doc}]
				var inQuery, inDocument []int
				before := mine.spans
				check := func(i, to, j, end int) {
					if mine.spans++; inQuery == nil {
						inQuery, inDocument = covered(has, len(q[query]), len(d[doc]))
					}
					if got := min(inQuery[to]-inQuery[i], inDocument[end]-inDocument[j]); got < leastRun {
						if mine.wrong++; mine.wrong < 4 {
							t.Errorf("texts %d and %d: words %d to %d and %d to %d agree, and %d of them lie in %v", query, doc, i, to, j, end, got, has)
						}
					}
				}
				compare := func(step int) {
					table.agreeing(q[query], d[doc], step, func(w int32) bool { return stamps[w] == int32(doc+1) }, check)
					table.agreeing(d[doc], q[query], step, func(w int32) bool { return sets[query][w] },
						func(i, to, j, end int) { check(j, end, i, to) })
				}
				if len(has) > 0 && sampled > 1 {
					compare(sampled)
				}
				if mine.spans == before {
					compare(1)
				}
				if agrees := mine.spans > before; agrees {
					mine.pairs++
				} else if len(has) > 0 {
					mine.wrong++
					t.Errorf("texts %d and %d: nothing agrees, and %v is found", query, doc, has)
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		v.pairs, v.spans, v.wrong = v.pairs+mine.pairs, v.spans+mine.spans, v.wrong+mine.wrong
	}
	var wait sync.WaitGroup
	for i := range workers {
		wait.Go(func() { work(i) })
	}
	wait.Wait()
	return v
}

// writeRecords writes texts as JSON Lines, with their numbers as ids from first on.
func writeRecords(t *testing.T, path string, first int, texts []string) string {
	t.Helper()
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	for i, text := range texts {
		if err := to.Encode(map[string]string{"id": fmt.Sprint(first + i), "text": text}); err != nil {
			t.Fatal(err)
		}
	}
	return write(t, path, out.String())
}

// printedRows returns the rows that a command prints.
func printedRows(t *testing.T, args ...string) (rows []*quotedRow) {
	t.Helper()
	status, stdout, stderr := command(t, t.Context(), nil, args...)
	if status > 1 {
		t.Fatal(args, stderr)
	}
	lines := bufio.NewScanner(strings.NewReader(stdout))
	for lines.Buffer(nil, 1<<26); lines.Scan(); {
		row := new(quotedRow)
		if err := json.Unmarshal(lines.Bytes(), row); err != nil {
			t.Fatal(err)
		}
		if len(row.Passages) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

func number(t *testing.T, id string) (n int) {
	if _, err := fmt.Sscan(id, &n); err != nil {
		t.Fatal(id, err)
	}
	return n
}

// TestPlanted asks for parts of sources that are planted in documents with 1 to 15 % of their words or characters
// changed: what is found is what tables of all queries and all documents say, no more and no less.
func TestPlanted(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(33, 15))
	p := plant(rng, tongues(t, rng), *plantedDocuments, testkit.Of(3, 12))
	dir := t.TempDir()
	idx := filepath.Join(dir, "idx")
	for i, third := 0, (len(p.documents)+2)/3; i < len(p.documents); i += third { // segments
		must(t, "index", "--index", idx, "--passages", "--quiet", writeRecords(t, filepath.Join(dir, fmt.Sprint(i)+".jsonl"), i, p.documents[i:min(len(p.documents), i+third)]))
	}
	found, passages := map[[2]int][]stretch{}, 0
	for _, row := range printedRows(t, "near", "--index", idx, "--passages", "--json", writeRecords(t, filepath.Join(dir, "queries.jsonl"), 0, p.queries)) {
		q, d := number(t, row.Query), number(t, row.ID)
		found[[2]int{q, d}] = p.verified(t, row, p.queries[q], p.documents[d])
		passages += len(row.Passages)
	}
	v := judge(t, len(p.ids), p.q, p.d, func(int, int) bool { return true }, found)
	t.Logf("%d documents, %d queries: %d pairs with %d spans that agree; %d pairs with %d passages are found; %d are wrong",
		len(p.documents), len(p.queries), v.pairs, v.spans, len(found), passages, v.wrong)
	if v.pairs != len(found) || v.pairs < len(p.documents)/4 || passages == v.pairs {
		t.Errorf("%d pairs agree, and %d are found", v.pairs, len(found))
	}
}

// TestPlantedPairs compares all pairs of documents, of an index and of a file, with those that tables say.
func TestPlantedPairs(t *testing.T) {
	testkit.Long(t, "each document is compared with each")
	t.Parallel()
	rng := rand.New(rand.NewPCG(33, 16))
	p := plant(rng, tongues(t, rng), 600, 6)
	dir := t.TempDir()
	file := writeRecords(t, filepath.Join(dir, "documents.jsonl"), 0, p.documents)
	idx := filepath.Join(dir, "idx")
	must(t, "index", "--index", idx, "--passages", "--quiet", file)
	var before map[[2]int][]stretch
	for _, args := range [][]string{{"--index", idx}, {"--passage-words", "50", file}} {
		found := map[[2]int][]stretch{}
		for _, row := range printedRows(t, append([]string{"pairs", "--passages", "--json"}, args...)...) {
			a, b := number(t, row.A), number(t, row.B)
			if found[[2]int{a, b}] = p.verified(t, row, p.documents[a], p.documents[b]); a >= b {
				t.Errorf("%d stands before %d", a, b)
			}
		}
		if before == nil {
			before = found
		} else if !maps.EqualFunc(found, before, slices.Equal) {
			t.Errorf("%q: other pairs than of the index", args)
		}
	}
	v := judge(t, len(p.ids), p.d, p.d, func(a, b int) bool { return a < b }, before)
	t.Logf("%d documents, %d pairs with %d spans that agree; %d pairs are found; %d are wrong", len(p.documents), v.pairs, v.spans, len(before), v.wrong)
	if v.pairs != len(before) || v.pairs < len(p.documents)/2 {
		t.Errorf("%d pairs agree, and %d are found", v.pairs, len(before))
	}
}

// TestDisguises asks for 81 words that files have in another form. What is printed are the bytes of the whole of them.
func TestDisguises(t *testing.T) {
	t.Parallel()
	rng, words := rand.New(rand.NewPCG(33, 17)), testkit.NewWords(34)
	passage := strings.Fields(strings.NewReplacer(".", "", ",", "").Replace(words.Text(81)))
	for i := 3; i < len(passage); i += 9 {
		passage[i], passage[i+1], passage[i+2] = "don't", "café", "first"
	}
	ends := strings.NewReplacer(" ", "\n\n", "'", "’")
	each := func(join string, do func(word string) string) func() string {
		return func() string {
			changed := slices.Clone(passage)
			for i := range changed {
				changed[i] = do(changed[i])
			}
			return strings.Join(changed, join)
		}
	}
	same := func(word string) string { return word }
	within := func(what string) func(string) string {
		return func(word string) string { return word[:1] + what + word[1:] }
	}
	dir := t.TempDir()
	texts := map[string]string{}
	for name, c := range map[string]func() string{
		"plain": each(" ", same), "capitals": each(" ", strings.ToUpper), "wide": each("　", func(w string) string {
			return strings.Map(func(r rune) rune {
				if r > ' ' && r < 0x7f {
					r += 'ａ' - 'a'
				}
				return r
			}, w)
		}),
		"marks": each(" ", func(w string) string { return strings.ReplaceAll(w, "é", "e\u0301") }), "ligatures": each(" ", func(w string) string { return strings.ReplaceAll(w, "fi", "ﬁ") }),
		"curly": each(" ", func(w string) string { return "“" + ends.Replace(w) + "”" }), "lines": each("\r\n", same), "commas": each(" , ", same),
		"dashes": each("—", same), "no-break spaces": each("\u00a0", same), "hyphens": each("-", same), "soft hyphens": each(" ", within("\u00ad")),
		"non-joiners": each(" ", within("\u200c")), "joiners": each(" ", within("\u200d")), "word joiners": each(" ", within("\u2060")),
		"often": each(" ", same),
	} {
		text := c()
		texts[name] = text
		if name == "often" { // with what is not found between
			text = strings.Repeat(text+". "+strings.Repeat("unlike ", 30), 20)
		}
		before, behind := words.Text(rng.IntN(30)), words.Text(rng.IntN(30))
		write(t, filepath.Join(dir, name+".txt"), before+"\n\n"+text+"\n\n"+behind)
	}
	idx := filepath.Join(t.TempDir(), "idx")
	must(t, "index", "--index", idx, "--passages", "--quiet", dir)
	rows := printedRows(t, "near", "--index", idx, "--passages", "--json", "--text", strings.Join(passage, " "))
	for _, row := range rows {
		name := strings.TrimSuffix(filepath.Base(row.ID), ".txt")
		file, err := os.ReadFile(filepath.Join(dir, name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(row.Passages); row.QueryShare != 1 || n != 1 && name != "often" || n != 20 && name == "often" {
			t.Errorf("%s: %+v", name, row)
		}
		for _, p := range row.Passages {
			if got := string(file[p.Document[0]:p.Document[1]]); got != strings.Trim(texts[name], "“”") || p.Words != len(passage) || p.Edits != 0 {
				t.Errorf("%s: %d words with %d edits are %q", name, p.Words, p.Edits, got)
			}
		}
		delete(texts, name)
	}
	for name := range texts {
		t.Errorf("%s: nothing is found", name)
	}
}
