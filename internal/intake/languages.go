package intake

import (
	"fmt"
	"iter"
	"slices"

	"simsearch/document"
	"simsearch/preprocess"
)

// Languages looks at the languages of some of the documents that are read, to tell if they are clearly not
// that of the list of stop words.
type Languages struct {
	read, next int            // documents, and the one that is looked at next
	looked     int            // texts whose language was found
	found      map[string]int // for how many documents the texts of each language stand
	total      int            // of found
}

const (
	firstLooked = 40      // documents, all of which are looked at; later ones ever more rarely
	leastLooked = 20      // texts that say something about the collection
	leastText   = 80      // bytes of a text whose language can be found
	lookedBytes = 4 << 10 // of a text
)

// Of yields documents and looks at some of them.
func (l *Languages) Of(documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	l.found = map[string]int{}
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil {
				l.look(doc)
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

func (l *Languages) look(doc *document.Document) {
	l.read++
	if l.read <= l.next || len(doc.Text) < leastText {
		return
	}
	standsFor := 1
	if l.read > firstLooked {
		standsFor = l.read / 8
		l.next = l.read + standsFor
	}
	language, err := preprocess.DetectLanguage(doc.Text[:min(len(doc.Text), lookedBytes)])
	if err == nil && language != preprocess.NoLanguage {
		l.looked++
		l.found[language] += standsFor
		l.total += standsFor
	}
}

// Other returns a line if hardly a text is of the language with the code given, which is that of the stop
// words. Otherwise, and for a code that is no language, it returns "".
func (l *Languages) Other(code string) string {
	if !slices.Contains(preprocess.Languages(), code) || l.looked < leastLooked || 10*l.found[code] > l.total {
		return ""
	}
	most := ""
	for language, n := range l.found {
		if n > l.found[most] || n == l.found[most] && language < most {
			most = language
		}
	}
	are, better := "most texts look like "+most, most
	if 10*l.found[most] < 8*l.total {
		are, better = "the texts look like several languages", "auto"
	}
	return fmt.Sprintf("%s, and the stop words that are left out of fingerprints are those of %s; an index made with --lang %s leaves out the right ones", are, code, better)
}
