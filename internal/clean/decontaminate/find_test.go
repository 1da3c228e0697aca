package decontaminate

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/match/sequences"
	"simsearch/internal/tests/testkit"
)

// textOf returns the fields of texts. Every third item has two fields, and some are of another benchmark than the rest.
func textOf(tb testing.TB, fields []string) *text {
	tb.Helper()
	t, w := newText(), new(sequences.Words)
	for i, f := range fields {
		if i%4 != 3 {
			t.within = append(t.within, uint32(i%7/5))
		}
		if err := t.add(w.AppendTo(nil, []byte(f)), len(t.within)-1); err != nil {
			tb.Fatal(err)
		}
	}
	return t
}

// checkFind compares find with the reference.
func checkFind(tb testing.TB, rule rule, fields, documents []string) (found int) {
	tb.Helper()
	t, w := textOf(tb, fields), new(sequences.Words)
	finding := finding{finder: newFinder(t, rule)}
	forms := t.referenceForms(rule)
	for _, d := range documents {
		document := w.AppendTo(nil, []byte(d))
		hits, covered := finding.find(document)
		wantHits, wantCovered := t.reference(rule, forms, document)
		if len(hits) != len(wantHits) || len(hits) > 0 && !reflect.DeepEqual(hits, wantHits) || !slices.Equal(covered, wantCovered) {
			tb.Fatalf("%+v in %q of %q:\n%v %v, want\n%v %v", rule, d, fields, hits, covered, wantHits, wantCovered)
		}
		found += len(hits)
	}
	return found
}

// alphabets are words of three languages, two of them written without spaces.
var alphabets = []struct {
	words []string
	space string
}{
	{strings.Fields("the of and to in is it was for on with as be by at"), " "},
	{strings.Split("東京都知事選挙日本語文章学校生徒先生", ""), ""},
	{strings.Split("กรุงเทพมหานครเป็นเมืองหลวง", ""), ""},
}

// Random texts of few words have much in common, at all places and in all lengths.
func TestFindEqualsReference(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, of := range alphabets {
		found := 0
		draw := func(n, different int) string {
			var words []string
			for range n {
				words = append(words, of.words[random.IntN(different)])
			}
			return strings.Join(words, of.space)
		}
		for range 400 {
			rule := rule{words: 1 + random.IntN(6), maxPlaces: 1 + random.IntN(6)}
			rule.minWords = 1 + random.IntN(rule.words)
			different := 2 + random.IntN(len(of.words)-2)
			var fields, documents []string
			form := ""
			if random.IntN(2) == 0 {
				form = draw(rule.words, different) + of.space
			}
			for range 1 + random.IntN(8) {
				switch n := len(fields); {
				case n > 0 && random.IntN(4) == 0:
					fields = append(fields, fields[random.IntN(n)])
				case random.IntN(2) == 0:
					fields = append(fields, form+draw(random.IntN(16), different))
				default:
					fields = append(fields, draw(random.IntN(16), different))
				}
			}
			for range 4 {
				documents = append(documents, draw(random.IntN(30), different))
			}
			found += checkFind(t, rule, fields, documents)
		}
		if found < 400 {
			t.Errorf("%d hits show little", found)
		}
	}
}

// Items are planted whole, in part, with a word changed, and behind the form that all of them have.
func TestFindPlanted(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, of := range alphabets {
		draw := func(n int) []string {
			words := make([]string, n)
			for i := range words {
				if words[i] = of.words[random.IntN(len(of.words))]; of.space != "" {
					words[i] += fmt.Sprint(random.IntN(50))
				}
			}
			return words
		}
		form := draw(20)
		var fields [][]string
		for i := range 40 {
			field := draw(3 + random.IntN(60))
			switch {
			case i%7 == 5:
				field = fields[i-4] // which is that of another item
			case i%2 == 0:
				field = slices.Concat(form, field)
			case i%5 == 3:
				field = slices.Concat(field[:3], form, draw(3+random.IntN(13)))
			}
			fields = append(fields, field)
		}
		var documents []string
		for range testkit.Of(15, 100) {
			words := draw(random.IntN(80))
			for range random.IntN(4) {
				item := slices.Clone(fields[random.IntN(len(fields))])
				from := random.IntN(len(item))
				if random.IntN(2) == 0 {
					from = 0
				}
				item = item[from : from+random.IntN(len(item)-from+1)]
				if len(item) > 0 && random.IntN(2) == 0 {
					item[random.IntN(len(item))] = draw(1)[0]
				}
				words = slices.Concat(words, item, draw(random.IntN(20)))
			}
			documents = append(documents, strings.Join(words, of.space))
		}
		var texts []string
		for _, field := range fields {
			texts = append(texts, strings.Join(field, of.space))
		}
		for _, rule := range []rule{{13, 8, 100}, {13, 8, 10}, {13, 13, 10}, {8, 3, 5}} {
			if found := checkFind(t, rule, texts, documents); found < 5 {
				t.Errorf("%d hits show little", found)
			}
		}
	}
}

// A field, or a document, that says one thing again and again costs no more than others.
func TestFindRepeated(t *testing.T) {
	again := strings.Repeat("again and again ", 300)
	checkFind(t, rule{13, 8, 100}, []string{again, "only once " + again[:100], "again and again and then it is something else that nobody says"}, []string{again, again[:200] + "then " + again})
	many := slices.Repeat([]string{again}, 200)
	tests := textOf(t, many)
	finding := finding{finder: newFinder(tests, rule{13, 8, 100})}
	if hits, _ := finding.find(new(sequences.Words).AppendTo(nil, []byte(strings.Repeat(again, 1000)))); len(hits) > 0 || finding.Form != 3 {
		t.Errorf("%d hits of a form, and %d sequences", len(hits), finding.Form)
	}
}

// What forms leave of a field does not count if as many places, or items, have it as a form.
func TestFindRests(t *testing.T) {
	rest := rowOf("rest", 10)
	for _, c := range []struct {
		maxPlaces int
		forms     string // of each field, and where it is upper case, the rest is the one
		found     int
	}{
		{3, "ABabacbaCabccc", 0}, // in three items of a benchmark
		{3, "Ababacbacabccc", 1},
		{1, "aAbB", 0}, // in two places
		{1, "aAbb", 1},
		{1, "aAAAAbb", 0},
	} {
		var fields []string
		for i, form := range c.forms {
			is := fmt.Sprint("rest", i)
			if form < 'a' {
				is = "rest"
			}
			fields = append(fields, rowOf(strings.ToLower(string(form)), 13)+" "+rowOf(is, 10))
		}
		if found := checkFind(t, rule{13, 8, c.maxPlaces}, fields, []string{"so " + rest + " end"}); found != c.found {
			t.Errorf("%d found of %s", found, c.forms)
		}
	}
}
