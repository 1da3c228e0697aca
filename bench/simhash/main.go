// Simhash draws how a fingerprint is made and found, for docs/SIMHASH.md: the sums of signed weights of the words of
// a sentence, and the tables of four blocks with one block as the header. All bits are those of the packages
// fingerprint and tables.
//
//	go run ./simhash > ../docs/simhash.svg
package main

import (
	"fmt"
	"io"
	"log"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/preprocess"
	"simsearch/tables"
)

// sentence is the text of the picture, and changed is one that has another word.
const (
	sentence = "The tide fills the pond, the pond turns the wheel, and the wheel grinds from morning on: tide, pond, wheel."
	changed  = "The tide fills the pond, the pond turns the wheel, and the wheel grinds from evening on: tide, pond, wheel."
)

// shown is how many of the 64 bits the first part has: the lowest ones.
const shown = 24

const (
	left, cell, line = 200, 24, 22
	width            = left + shown*cell + 20
)

// Colours of bits that are one and zero, of text, and of the four blocks.
const one, zero, ink = "#1f6feb", "#b7791f", "#222"

var colours = [4]string{"#1f6feb", "#2da44e", "#b7791f", "#cf5c9a"}

func main() {
	log.SetFlags(0)
	if err := draw(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// A word has a weight, which is how often it occurs, and a hash.
type word struct {
	text   string
	weight int
	hash   uint64
}

// wordsOf returns the distinct words of a text without stop words, in their order.
func wordsOf(text string) (words []word, err error) {
	a, err := preprocess.New(preprocess.Options{Language: "en"})
	if err != nil {
		return nil, err
	}
	var doc preprocess.Document
	a.Analyze(&doc, []byte(text))
	for i := range doc.Len() {
		w := string(doc.Feature(i))
		at := slices.IndexFunc(words, func(o word) bool { return o.text == w })
		if at < 0 {
			at = len(words)
			words = append(words, word{w, 0, fingerprint.Murmur3.Sum([]byte(w))})
		}
		words[at].weight++
	}
	return words, nil
}

// print returns the fingerprint of words.
func print(words []word) uint64 {
	var hashes []uint64
	for _, w := range words {
		for range w.weight {
			hashes = append(hashes, w.hash)
		}
	}
	fp, _ := fingerprint.Unit(hashes, 64)
	return fp
}

func draw(to io.Writer) error {
	words, err := wordsOf(sentence)
	if err != nil {
		return err
	}
	others, err := wordsOf(changed)
	if err != nil {
		return err
	}
	var b strings.Builder
	y := sums(&b, words)
	y = permuted(&b, y+50, print(words), print(others))
	_, err = fmt.Fprintf(to, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13" fill="%s">
<title>How a SimHash fingerprint is made, and found in block-permuted sorted tables</title>
<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, width, y+10, ink, b.String())
	return err
}

// label writes a text at the left of a line.
func label(b *strings.Builder, y int, bold bool, format string, args ...any) {
	weight := ""
	if bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, "<text x=\"12\" y=\"%d\"%s>%s</text>\n", y+16, weight, fmt.Sprintf(format, args...))
}

// box draws a filled rectangle with a short text.
func box(b *strings.Builder, x, y, w int, colour, text string) {
	fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" fill=\"%s\"/>", x, y, w-2, line-2, colour)
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\" fill=\"#fff\">%s</text>\n", x+(w-2)/2, y+15, text)
}

// sums draws the first part: a row for each word, the sums, and their signs.
func sums(b *strings.Builder, words []word) (y int) {
	label(b, 8, true, "1. Each word adds its weight where its hash has a 1, and subtracts it where its hash has a 0")
	y = 38
	label(b, y, false, "word, weight")
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" font-size=\"12\">bits %d to 0 of the hash of the word; all 64 are treated alike</text>\n", left, y+15, shown-1)
	y += line
	var sum [shown]int
	for _, w := range words {
		label(b, y, false, "%s, %d", w.text, w.weight)
		for j := range shown {
			text, colour := signed(w.weight), one
			if w.hash>>j&1 == 0 {
				text, colour = signed(-w.weight), zero
				sum[j] -= w.weight
			} else {
				sum[j] += w.weight
			}
			box(b, left+(shown-1-j)*cell, y, cell, colour, text)
		}
		y += line
	}
	y += 6
	label(b, y, false, "sum")
	label(b, y+line, true, "bit of the fingerprint")
	fp := print(words)
	for j, s := range sum {
		x := left + (shown-1-j)*cell
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\">%s</text>\n", x+cell/2-1, y+15, signed(s))
		colour := zero
		if fp>>j&1 == 1 {
			colour = one
		}
		box(b, x, y+line, cell, colour, fmt.Sprint(fp>>j&1))
	}
	return y + 2*line
}

// signed returns a number with its sign.
func signed(n int) string {
	if n == 0 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%+d", n), "-", "−", 1)
}

// permuted draws the second part: two near fingerprints in the tables of four blocks with one block as the header,
// each between the entries beside them.
func permuted(b *strings.Builder, y int, fp, near uint64) int {
	label(b, y, true, "2. Within %d bits, at least one of four blocks is equal: the table that has it in front finds the pair", blocks-1)
	y += 30
	for _, row := range []struct {
		name string
		x    uint64
	}{{"query", fp}, {fmt.Sprintf("near: %d bits differ", hamming.Distance(fp, near)), near}} {
		parts(b, y, row.name, row.x, []int{0, 1, 2, 3})
		y += line
	}
	design, err := tables.NewDesign(64, blocks, 1)
	if err != nil {
		log.Fatal(err) // impossible
	}
	random := rand.New(rand.NewPCG(1, 1))
	for t, p := range design.Permutations() {
		order := []int{bits.LeadingZeros64(p.Header()) / bitsEach}
		for i := range blocks {
			if i != order[0] {
				order = append(order, i)
			}
		}
		entries := []uint64{p.Apply(near)}
		for range 2 { // entries of unrelated fingerprints, whose headers are not far
			entries = append(entries, p.Apply(fp)&^(0xffff<<32)+uint64(len(entries)*2-3)<<(50+uint(t))^random.Uint64()>>16)
		}
		slices.Sort(entries)
		y += 12
		label(b, y, false, "table %d, sorted", t+1)
		for _, x := range entries {
			found := x>>(64-bitsEach) == p.Apply(fp)>>(64-bitsEach)
			name := ""
			if found {
				name = "header of the query"
			}
			parts(b, y, name, x, order)
			if found {
				fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"3\"/>\n", left-2, y-1, shown*cell/blocks+2, line, ink)
			}
			y += line
		}
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" font-size=\"12\">The first block is the header, by which binary search finds entries; the rest is the tail. The query ends in the bits of part 1.</text>\n", left, y+16)
	return y + line
}

// The fingerprints of the second part are cut into blocks.
const blocks, bitsEach = 4, 16

// parts draws the blocks of an entry, with the colours of their places in a fingerprint.
func parts(b *strings.Builder, y int, name string, x uint64, order []int) {
	label(b, y, false, "%s", name)
	for i, of := range order {
		box(b, left+i*shown*cell/blocks, y, shown*cell/blocks, colours[of], fmt.Sprintf("%04x", uint16(x>>(64-bitsEach*(i+1)))))
	}
}
