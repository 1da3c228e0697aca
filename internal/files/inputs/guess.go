package inputs

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// A language has the letters beyond ASCII that it uses in a code page.
type language struct {
	charset Charset
	page    *charmap.Charmap // of charset
	latin   bool
	cost    map[rune]float64 // of the letters
}

// languages are those by which a code page is recognised. Few runs ask.
var languages = sync.OnceValue(func() (all []language) {
	// The letters of each language, the most frequent ones first; a line for each code page.
	for i, line := range []string{
		"łąężśóćńź áíěéýřžščůúťďňó áíčéžýšľúťôňäďĺŕó áéöőóíüúű ăţîşâ čšžćđ",
		"оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё оаинівтерсклудмпзяьгбйчхжїюєшцщфґ аиоетнрсвлкдпмзуягбчъйжщцхшюфь аиоеунрсјтвдклмпзгбчшцжљњћђфхџ",
		"éèàêçôîûùâœïëüñ üäöß óíáéñúü ãçáéíêóõúâôà àèéùòì äåö øåæé íáæðöúóþéý ëéïèöü",
		"αοιετσνηυρπκμλςίάόέωδήγύθχώφβξζψϊϋΐΰ",
		"ıüşğçöâîû",
		"יוהלארתבמשנםדקעחפכגצטזןסךץף",
		"اليمنترودبسعةفهقحكجىأطشخصئزضغذإظآؤثء",
		"ėšųžįąčūę āēīšņļūģķčžŗ äõüöšž",
	} {
		for letters := range strings.FieldsSeq(line) {
			l := language{firstPage + Charset(i), pages[i], false, map[rune]float64{}}
			sum := 0.0
			for n := range utf8.RuneCountInString(letters) {
				sum += 1 / float64(n+1)
			}
			n := 0
			for _, r := range letters { // a letter is as frequent as its place in the order makes it: Zipf's law
				l.cost[r] = math.Log(sum * float64(n+1))
				l.latin = unicode.Is(unicode.Latin, r)
				n++
			}
			all = append(all, l)
		}
	}
	return all
})

// western is windows-1252, which has all of ISO 8859-1. A text is in it unless another code page is clearly more
// likely.
const western = firstPage + 2

// The costs are logarithms of how unlikely something is.
const (
	costForeign = 7.0 // a letter that the language does not use
	costNone    = 8.0 // a byte that the code page does not use
	costSymbol  = 3.5 // such as ©
	costInside  = 5.0 // more for a symbol between two letters
	costAlone   = 4.0 // more for a letter with no other beside it
	costMixed   = 4.0 // more for a letter of another alphabet beside one of ASCII
	costBeside  = 1.5 // more for a letter with an accent beside another one
	costCapital = 3.0 // more for a capital behind a small letter
	clearly     = 4.0 // by how much another code page must be more likely than western
)

// mostJudged is the number of bytes that a text is judged by.
const mostJudged = 2000

// guess returns the code page of text, which is not UTF-8.
func guess(text []byte) Charset {
	best, least, leastWestern := western, math.Inf(1), math.Inf(1)
	judged := judgedBytes(text)
	for _, l := range languages() {
		cost := l.costAt(text, judged)
		if cost < least {
			best, least = l.charset, cost
		}
		if l.charset == western {
			leastWestern = min(leastWestern, cost)
		}
	}
	if least+clearly > leastWestern {
		return western
	}
	return best
}

// judgedBytes returns the places of bytes in text that are not the same character in all code pages.
func judgedBytes(text []byte) (at []int) {
	var differs [256]bool
	for b := 0x80; b < 0x100; b++ {
		differs[b] = slices.ContainsFunc(pages, func(p *charmap.Charmap) bool { return p.DecodeByte(byte(b)) != pages[0].DecodeByte(byte(b)) })
	}
	for i, b := range text {
		if differs[b] {
			if at = append(at, i); len(at) == mostJudged {
				break
			}
		}
	}
	return at
}

// costAt returns how unlikely the bytes at places of text are in the language.
func (l *language) costAt(text []byte, places []int) (cost float64) {
	for _, at := range places {
		cost += l.costOf(text, at)
	}
	return cost
}

// costOf returns how unlikely the byte at a place of text is in the language.
func (l *language) costOf(text []byte, at int) float64 {
	char, before, behind := l.char(text, at), l.char(text, at-1), l.char(text, at+1)
	lettersBeside := 0
	for _, r := range []rune{before, behind} {
		if unicode.IsLetter(r) {
			lettersBeside++
		}
	}
	switch {
	case char == utf8.RuneError, unicode.IsControl(char):
		return costNone
	case unicode.IsMark(char): // such as a vowel of Hebrew
		return costSymbol
	case !unicode.IsLetter(char) && lettersBeside == 2:
		return costSymbol + costInside
	case !unicode.IsLetter(char):
		return costSymbol
	}
	cost, ok := l.cost[unicode.ToLower(char)]
	if !ok {
		cost = costForeign
	}
	if lettersBeside == 0 {
		cost += costAlone
	}
	for _, r := range []rune{before, behind} {
		switch {
		case !unicode.IsLetter(r):
		case l.latin && r >= utf8.RuneSelf:
			cost += costBeside
		case !l.latin && r < utf8.RuneSelf:
			cost += costMixed
		}
	}
	if unicode.IsUpper(char) && unicode.IsLower(before) {
		cost += costCapital
	}
	return cost
}

// char returns the character at a place of text, or a space if there is none.
func (l *language) char(text []byte, at int) rune {
	switch {
	case at < 0 || at >= len(text):
		return ' '
	case text[at] < utf8.RuneSelf:
		return rune(text[at])
	}
	return l.page.DecodeByte(text[at])
}
