package explain

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// A quantity is what words that follow each other say, such as "two hundred and five". Its parts descend, and their sum is the number.
type quantity []float64

// add adds the next word, by its number, and reports whether it belongs to the words before: less than ten behind twenty does, and
// one that multiplies behind a smaller one.
func (q *quantity) add(v float64, multiplies bool) bool {
	n, sum, unit := len(*q), 0.0, 10.0
	for multiplies && n > 0 && (*q)[n-1] < v {
		n--
		sum += (*q)[n]
	}
	if sum > 0 {
		*q = append((*q)[:n], sum*v)
		return true
	}
	for unit <= v {
		unit *= 10
	}
	if n > 0 && (v == 0 || (*q)[n-1] == 0 || math.Mod((*q)[n-1], unit) != 0) {
		return false
	}
	*q = append((*q)[:n], v)
	return true
}

// String returns the number in digits.
func (q quantity) String() string {
	sum := 0.0
	for _, v := range q {
		sum += v
	}
	return strconv.FormatFloat(math.Round(1000*sum)/1000, 'f', -1, 64)
}

// count adds a word of the list of numbers to the number before it, or begins another one.
func (r *factReader) count(value string) {
	number := strings.TrimRightFunc(value, unicode.IsLetter)
	suffix, multiplies := value[len(number):], value[0] == '*'
	v, err := strconv.ParseFloat(strings.TrimPrefix(number, "*"), 64)
	joined := r.counted+1 == r.tokens || r.counted+2 == r.tokens && r.link+1 == r.tokens
	if err != nil || !joined || !r.number.add(v, multiplies) {
		r.settle("")
		if err != nil {
			r.facts[ownNumbers] += digestOf([]byte(value))
			return
		}
		r.number.add(v, multiplies)
	}
	if r.counted = r.tokens; suffix != "" {
		r.settle(suffix)
	}
}

// settle ends a number in words, and adds it to the facts with the ending of an ordinal. A word for one may stand for an article.
func (r *factReader) settle(suffix string) {
	if len(r.number) > 0 {
		r.facts[ownNumbers] += digestOf([]byte(r.number.String() + suffix))
	}
	r.number = nil
}
