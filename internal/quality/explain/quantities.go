package explain

import (
	"math"
	"strconv"
	"strings"
)

// added returns what a number in words, such as "two hundred", is with the next word, which may multiply what is less
// than it: "two hundred and five". ok is false if that word begins another number.
func added(sum, word float64, multiplies bool) (all float64, ok bool) {
	less, unit := math.Mod(sum, word), 10.0
	for unit <= word {
		unit *= 10
	}
	switch {
	case multiplies && less > 0:
		return sum + less*(word-1), true
	case sum > 0 && word > 0 && math.Mod(sum, unit) == 0:
		return sum + word, true
	}
	return word, false
}

// inDigits returns a number as it is compared.
func inDigits(x float64) string { return strconv.FormatFloat(math.Round(1000*x)/1000, 'f', -1, 64) }

// count adds a word of the list of numbers to the number before it, or begins another one.
func (r *factReader) count(value string) {
	v, _ := strconv.ParseFloat(strings.TrimPrefix(value, "*"), 64) // 0 for others, such as ordinals
	sum, ok := added(r.number, v, value[0] == '*')
	if !ok || r.counted+1 != r.tokens && (r.counted+2 != r.tokens || r.link+1 != r.tokens) {
		r.settle()
		sum = v
	}
	if r.number, r.counted = sum, r.tokens; v == 0 {
		r.facts[ownNumbers] += digestOf([]byte(value))
	}
}

// settle adds the last number in words to the facts.
func (r *factReader) settle() {
	if r.number > 0 {
		r.facts[ownNumbers] += digestOf([]byte(inDigits(r.number)))
	}
}
