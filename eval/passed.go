package eval

import (
	"fmt"

	"simsearch/analysis"
	"simsearch/internal/report"
	"simsearch/preprocess"
)

// Sequences of characters take most of the time of advice, and ten times the bytes of words. In a collection of more than
// manyDocuments, they are left out where they can hardly be better: if words have an F1 of goodEnough or more, or in the
// language whose stop words make words worse.
const (
	manyDocuments = 20_000
	goodEnough    = 0.99
)

// passesOver says why settings are left out, or nothing if they are tried.
func (a *adviser) passesOver(s analysis.Settings) (why string) {
	if s.Features.Kind != preprocess.CharN || a.c.Len() <= manyDocuments {
		return ""
	}
	if best, reached := Recommend(a.choices, a.o.Wanted); reached && best.F1 >= goodEnough {
		return fmt.Sprintf("words have an F1 of %s already", report.Cell(best.F1))
	}
	own, tried := a.byLanguage[s.Language]
	for language, f1 := range a.byLanguage {
		if tried && (f1 > own || f1 == own && language > s.Language) {
			return "words are found better with another"
		}
	}
	return ""
}
