package testkit

import (
	"math"
	"math/rand/v2"
	"strings"
)

// common are frequent English words and their approximate share of running text, in tenths of a percent.
// Altogether they are about two fifths of the text, as in news.
var common = []struct {
	word  string
	share int
}{
	{"the", 62}, {"of", 30}, {"and", 28}, {"to", 27}, {"a", 23}, {"in", 22}, {"is", 11}, {"that", 11},
	{"for", 10}, {"it", 9}, {"was", 9}, {"on", 8}, {"with", 8}, {"as", 7}, {"he", 7}, {"be", 6}, {"at", 6},
	{"by", 6}, {"this", 5}, {"had", 5}, {"not", 5}, {"are", 5}, {"but", 5}, {"from", 5}, {"or", 4},
	{"have", 4}, {"an", 4}, {"they", 4}, {"which", 4}, {"one", 3}, {"you", 3}, {"were", 3}, {"her", 3},
	{"all", 3}, {"she", 3}, {"there", 2}, {"would", 2}, {"their", 2}, {"we", 2}, {"him", 2}, {"been", 2},
	{"has", 2}, {"when", 2}, {"who", 2}, {"will", 2}, {"more", 2}, {"no", 2}, {"if", 2}, {"out", 2},
}

// vocabulary is the number of other words. The share of word r is proportional to 1/(r+10), by the law of
// Zipf and Mandelbrot.
const vocabulary = 20_000

// A Words makes text that resembles English. A seed gives the same text on every machine. It is not safe for
// concurrent use.
type Words struct {
	rng     *rand.Rand
	words   []string
	weights []float64 // cumulative
}

// NewWords returns the words of a seed.
func NewWords(seed uint64) *Words {
	g := &Words{rng: rand.New(rand.NewPCG(seed, 0x7e87))}
	total := 0.0
	for _, c := range common {
		total += float64(c.share)
		g.words, g.weights = append(g.words, c.word), append(g.weights, total)
	}
	rest := 1000 - total
	harmonic := math.Log(float64(vocabulary+10) / 10)
	for r := range vocabulary {
		total += rest / harmonic / float64(r+10)
		g.words, g.weights = append(g.words, g.coin()), append(g.weights, total)
	}
	return g
}

// coin returns a random word of one to four syllables.
func (g *Words) coin() string {
	onsets := strings.Fields("b br c ch d f fl g h j l m n p pr qu r s st t tr v w")
	nuclei := strings.Fields("a e i o u ea ou ai")
	codas := []string{"", "", "n", "r", "s", "t", "l", "nd", "ck", "m"}
	var b strings.Builder
	for range 1 + g.rng.IntN(4) {
		b.WriteString(onsets[g.rng.IntN(len(onsets))])
		b.WriteString(nuclei[g.rng.IntN(len(nuclei))])
		b.WriteString(codas[g.rng.IntN(len(codas))])
	}
	return b.String()
}

// Word returns the next word.
func (g *Words) Word() string {
	x := g.rng.Float64() * g.weights[len(g.weights)-1]
	lo, hi := 0, len(g.weights)-1
	for lo < hi {
		if mid := (lo + hi) / 2; g.weights[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return g.words[lo]
}

// Text returns n words in sentences, with capitals, commas and line ends.
func (g *Words) Text(n int) string {
	var b strings.Builder
	left := 0 // the number of words left in the sentence
	for i := range n {
		w := g.Word()
		if left == 0 {
			left = 6 + g.rng.IntN(20)
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
		if left--; left == 0 || i == n-1 {
			b.WriteString(".\n")
			left = 0
		} else if g.rng.IntN(12) == 0 {
			b.WriteString(", ")
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
