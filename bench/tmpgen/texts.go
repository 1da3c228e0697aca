package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"simsearch/bench/documents"
)

// Shares of the documents that are made.
const (
	equalShare  = .05 // have the text of an earlier document
	nearShare   = .10 // are an earlier document with 1 to 8 % of its words changed
	formsAtMost = 5_000
)

// A writer makes documents of real sentences. So many of the words of a sentence are changed that documents that share
// sentences by chance are not near. The same seed gives the same documents.
type writer struct {
	random    *rand.Rand
	sentences [][]string
	words     []string // as often as they are in the sentences, so that drawing one is by frequency
	earlier   []string // texts that copies are made of, drawn from all
	forms     [][]string
	popular   *rand.Zipf // numbers of forms: a few are in most documents of forms
	formShare float64
	scratch   []string
}

// Limits of what is taken of a collection, and of the earlier texts that are kept for copies.
const (
	textsBytes   = 12 << 20
	earlierTexts = 40_000
	changedWords = .12 // of a sentence, and of what a form is made of
	medianBytes  = 1_300
)

func newWriter(collections []string, formShare float64) (*writer, error) {
	w := &writer{random: rand.New(rand.NewPCG(20, 26)), formShare: formShare}
	for _, path := range collections {
		bytes := 0
		for doc, err := range documents.Read(path) {
			if err != nil {
				return nil, err
			}
			w.learn(string(doc.Text))
			if bytes += len(doc.Text); bytes > textsBytes {
				break
			}
		}
	}
	if len(w.sentences) < 1000 {
		return nil, fmt.Errorf("only %d sentences in %v", len(w.sentences), collections)
	}
	for range formsAtMost {
		words := 60 + w.random.IntN(240)
		var form []string
		for len(form) < words {
			form = w.changed(form, w.sentence(), changedWords)
		}
		w.forms = append(w.forms, form[:words])
	}
	w.popular = rand.NewZipf(w.random, 1.05, 1, formsAtMost-1)
	return w, nil
}

// learn keeps the sentences of a text that are neither short nor long, with words that need no escapes in JSON.
func (w *writer) learn(text string) {
	for sentence := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '.' || r == '\n' }) {
		words := strings.Fields(sentence)
		odd := func(word string) bool {
			return strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == '\uFFFD' })
		}
		if len(words) >= 4 && len(words) <= 60 && !slices.ContainsFunc(words, odd) {
			w.sentences = append(w.sentences, words)
			w.words = append(w.words, words...)
		}
	}
}

func (w *writer) sentence() []string { return w.sentences[w.random.IntN(len(w.sentences))] }

// word returns a word: mostly one of the collections, sometimes a number or a name that nobody has.
func (w *writer) word() string {
	switch w.random.IntN(20) {
	case 0:
		return strconv.Itoa(w.random.IntN(100_000))
	case 1:
		name := make([]byte, 4+w.random.IntN(7))
		for i := range name {
			name[i] = 'a' + byte(w.random.IntN(26))
		}
		return string(name)
	}
	return w.words[w.random.IntN(len(w.words))]
}

// changed appends words to dst, a share of which is left out, followed by another word or, mostly, replaced.
func (w *writer) changed(dst, words []string, share float64) []string {
	for _, word := range words {
		if w.random.Float64() >= share {
			dst = append(dst, word)
			continue
		}
		switch w.random.IntN(4) {
		case 0:
		case 1:
			dst = append(dst, word, w.word())
		default:
			dst = append(dst, w.word())
		}
	}
	return dst
}

// document returns the text of the next document.
func (w *writer) document() string {
	x := w.random.Float64()
	copied := len(w.earlier) > 100
	switch {
	case x < equalShare && copied:
		return w.earlier[w.random.IntN(len(w.earlier))]
	case x < equalShare+nearShare && copied:
		of := strings.Fields(w.earlier[w.random.IntN(len(w.earlier))])
		w.scratch = w.changed(w.scratch[:0], of, .01+.07*w.random.Float64())
		return strings.Join(w.scratch, " ")
	case x > 1-w.formShare:
		w.scratch = w.changed(w.scratch[:0], w.forms[w.popular.Uint64()], .02+.18*w.random.Float64())
		return strings.Join(w.scratch, " ")
	}
	return w.fresh()
}

// fresh returns a text like no other, and may keep it for copies.
func (w *writer) fresh() string {
	wanted := min(60_000, int(medianBytes*math.Exp(.8*w.random.NormFloat64())))
	var b strings.Builder
	for b.Len() < wanted {
		w.scratch = w.changed(w.scratch[:0], w.sentence(), changedWords)
		for _, word := range w.scratch {
			b.WriteString(word)
			b.WriteByte(' ')
		}
		b.WriteString(". ")
	}
	text := b.String()
	if len(w.earlier) < earlierTexts {
		w.earlier = append(w.earlier, text)
	} else if w.random.IntN(4) == 0 {
		w.earlier[w.random.IntN(len(w.earlier))] = text
	}
	return text
}

// write writes at least so many bytes of JSON Lines.
func (w *writer) write(to io.Writer, bytes int64) error {
	out := bufio.NewWriterSize(to, 1<<20)
	var written int64
	for n := 0; written < bytes; n++ {
		m, err := fmt.Fprintf(out, "{\"id\":\"d%09d\",\"text\":\"%s\",\"n\":%d}\n", n, w.document(), n%977)
		if err != nil {
			return err
		}
		written += int64(m)
	}
	return out.Flush()
}
