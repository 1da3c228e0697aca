// Commongrams writes internal/analysis/common.bin: the common 5-grams of characters that sets of rare ones leave out.
//
//	commongrams UNPACKED ../internal/analysis/common.bin
//
// UNPACKED is a directory with the contents of these packages of Debian 12, whose texts may be redistributed:
// gnome-user-docs 43.0-2, installation-guide-amd64 20230508+deb12u1, debian-handbook 11.20220922 and libreoffice-help-LANG
// 4:7.4.7-1+deb12u14 for ca cs da de el en-us es et eu fi fr gl hi hu id it ja km ko nl pl pt pt-br ru sk sl sv tr vi zh-cn zh-tw
// (apt-get download, then dpkg-deb -x for each). Together they have 48 languages, most of them from two to four of these
// works. Nothing of the texts is in the file: it has hashes.
package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"html"
	"log"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"simsearch/internal/analysis"
	"simsearch/preprocess"
)

// A work is where the pages of one work lie, for all languages: the directory of a language is a star.
type work struct{ name, pages string }

var works = []work{
	{"gnome", "usr/share/help/*/gnome-help/*.page"},
	{"office", "usr/share/libreoffice/help/*/text/*/*/*.html"},
	{"guide", "usr/share/doc/installation-guide-amd64/*/*.html"},
	{"handbook", "usr/share/doc/debian-handbook/html/*/*.html"},
}

// A text is cut into stretches of window bytes. A work counts with mostBytes in each language at most, and with
// leastBytes at least.
const window, mostBytes, leastBytes = 2000, 1_500_000, 20_000

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: commongrams UNPACKED FILE")
	}
	shares, err := allShares(os.Args[1])
	if err != nil {
		log.Fatal("commongrams: ", err)
	}
	var left []uint64
	for gram, share := range shares {
		if analysis.LeavesOut(gram, float64(share)) {
			left = append(left, gram)
		}
	}
	slices.Sort(left)
	var out []byte
	before := uint64(0)
	for _, gram := range left {
		key := gram >> (64 - analysis.CommonBits)
		if len(out) == 0 || key > before {
			out = binary.AppendUvarint(out, key-before)
			before = key
		}
	}
	if err := os.WriteFile(os.Args[2], out, 0o666); err != nil {
		log.Fatal("commongrams: ", err)
	}
	fmt.Printf("%d of %d grams are left out, in %d bytes\n", len(left), len(shares), len(out))
}

// allShares returns in which share of stretches of a language each gram occurs: the largest of all languages. For a language
// of several works it is the second largest of these, since the most frequent words of one work may be its subject.
func allShares(dir string) (map[uint64]float32, error) {
	byLanguage := map[string][]map[uint64]float32{}
	for _, w := range works {
		files, err := filepath.Glob(filepath.Join(dir, w.pages))
		if err != nil {
			return nil, err
		}
		parts := strings.Split(filepath.Join(dir, w.pages), string(filepath.Separator))
		star := slices.Index(parts, "*")
		byDirectory := map[string][]string{}
		for _, file := range files {
			name := strings.Split(file, string(filepath.Separator))[star]
			byDirectory[name] = append(byDirectory[name], file)
		}
		for _, name := range slices.Sorted(maps.Keys(byDirectory)) {
			shares, err := sharesOf(byDirectory[name])
			if err != nil {
				return nil, err
			}
			if shares != nil {
				byLanguage[language(name)] = append(byLanguage[language(name)], shares)
			}
		}
	}
	fmt.Println(len(byLanguage), "languages")
	all := map[uint64]float32{}
	for _, works := range byLanguage {
		of := map[uint64][]float32{}
		for _, shares := range works {
			for gram, share := range shares {
				of[gram] = append(of[gram], share)
			}
		}
		for gram, shares := range of {
			slices.Sort(shares)
			share := shares[0]
			switch {
			case len(works) > 1 && len(shares) > 1:
				share = shares[len(shares)-2]
			case len(works) > 1:
				continue
			}
			all[gram] = max(all[gram], share)
		}
	}
	return all, nil
}

// language returns the language of a directory: de of de-DE, and pt of pt_BR. Chinese is written in two ways.
func language(name string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if name == "c" {
		return "en"
	}
	if strings.HasPrefix(name, "zh") || strings.Contains(name, "@") {
		return name
	}
	name, _, _ = strings.Cut(name, "-")
	return name
}

var (
	hidden  = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)>`)
	tags    = regexp.MustCompile(`(?s)<[^>]*>`)
	doubled = regexp.MustCompile(`\s+`)
)

// sharesOf returns in which share of the stretches of files each gram occurs, or nil if there is too little text. Files are
// taken in the order of a hash of their names, so that those that are not needed are of all chapters.
func sharesOf(files []string) (map[uint64]float32, error) {
	order := func(path string) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(filepath.Base(path)))
		return h.Sum64()
	}
	slices.SortFunc(files, func(a, b string) int {
		if order(a) < order(b) {
			return -1
		}
		return 1
	})
	s := analysis.Default()
	s.SetFeatures = preprocess.FeatureSpec{Kind: preprocess.CharN, N: 5}
	a, err := analysis.New(s.Canonical())
	if err != nil {
		return nil, err
	}
	var scratch analysis.Scratch
	counts, stretches, size := map[uint64]float32{}, 0, 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text := html.UnescapeString(tags.ReplaceAllString(hidden.ReplaceAllString(string(b), " "), " "))
		text = strings.ToValidUTF8(doubled.ReplaceAllString(text, " "), "")
		size += len(text)
		for ; len(text) >= window; text = text[window:] {
			stretches++
			for _, gram := range a.Set(&scratch, []byte(text[:window])) {
				if bits.TrailingZeros64(gram) >= 2 {
					counts[gram]++
				}
			}
		}
		if size > mostBytes {
			break
		}
	}
	if size < leastBytes {
		return nil, nil
	}
	for gram := range counts {
		counts[gram] /= float32(stretches)
	}
	return counts, nil
}
