// Package labelled has collections of texts with labels of the pairs that are near: those of people, and copies that
// it makes itself.
package labelled

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"simsearch/bench/documents"
	"simsearch/internal/files/corpus"
	"simsearch/internal/quality/truth"
)

// A Kind says where the labels of a collection come from.
type Kind int

const (
	People     Kind = iota // people judged pairs, or wrote one text after another
	Provenance             // both documents come from one source
	Synthetic              // the program made one document of the other
	Templates              // the same, among pages many of which have one form
	Kinds
)

// KindNames are the names of the kinds.
var KindNames = [Kinds]string{"labels of people", "labels by provenance", "synthetic copies", "copies among templates"}

// A Source is a labelled collection.
type Source struct {
	name, labels string
	kind         Kind
	limit        int // the number of documents that are measured, 0 for all
}

// Sources are the labelled collections. Collections whose labels name a topic are left out.
var Sources = []Source{
	{"clough-stevenson", "pairs.jsonl", People, 0},
	{"er-cddb", "pairs.jsonl", People, 0},
	{"er-cora", "pairs.jsonl", People, 0},
	{"er-dblp-acm", "pairs.jsonl", People, 0},
	{"irplag-java", "pairs.jsonl", People, 0},
	{"bible-chapters", "clusters.jsonl", Provenance, 1200},
	{"bln600-ocr", "pairs.jsonl", Provenance, 0},
	{"debian-copyright", "clusters.jsonl", Provenance, 0},
	{"ota-terms", "clusters.jsonl", Provenance, 500},
	{"powershell-docs", "clusters.jsonl", Provenance, 800},
	{"react-native-docs", "clusters.jsonl", Provenance, 0},
	{"scoop-news", "clusters.jsonl", Provenance, 0},
	{"spdx-licenses", "clusters.jsonl", Provenance, 0},
}

// A Collection is texts and the labels of pairs of them.
type Collection struct {
	Name   string
	Kind   Kind
	ids    map[string]uint32
	Texts  [][]byte
	Whole  int           // number of documents that the texts are a sample of, 0 for all
	Labels *truth.Labels // nil without labels
	Edits  []string      // of synthetic copies: how each text was made, "" for an original
}

// Load reads the documents of a collection whose ids begin with prefix.
func Load(data, name, prefix string) (*Collection, error) {
	c := &Collection{Name: name, ids: map[string]uint32{}}
	for d, err := range documents.Read(filepath.Join(data, name, "docs.jsonl")) {
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(d.ID, []byte(prefix)) {
			c.add(string(d.ID), d.Text)
		}
	}
	return c, nil
}

// Load reads the collection, or up to its limit of documents, and its labels.
func (s Source) Load(data string) (*Collection, error) {
	c, err := Load(data, s.name, "")
	if err != nil {
		return nil, err
	}
	c.Kind = s.kind
	file, err := os.Open(filepath.Join(data, s.name, s.labels))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if err := c.read(file); err != nil {
		return nil, err
	}
	return c.sample(s.limit)
}

// sample returns a part of c, chosen by chance: n documents or little more, or all if n is 0. Documents that
// labels call near stay together. Labels that name pairs as not near are not supported.
func (c *Collection) sample(n int) (*Collection, error) {
	if n == 0 || len(c.Texts) <= n {
		return c, nil
	}
	partners := make([][]uint32, len(c.Texts))
	if c.Labels != nil {
		for a, b := range c.Labels.Pairs {
			partners[a] = append(partners[a], b)
			partners[b] = append(partners[b], a)
		}
	}
	part := &Collection{Name: c.Name, Kind: c.Kind, Whole: len(c.Texts), ids: map[string]uint32{}}
	taken := make([]bool, len(c.Texts))
	var take func(doc uint32)
	take = func(doc uint32) {
		if !taken[doc] {
			taken[doc] = true
			part.add(fmt.Sprint(doc), c.Texts[doc])
			for _, p := range partners[doc] {
				take(p)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, doc := range random.Perm(len(c.Texts)) {
		if len(part.Texts) < n {
			take(uint32(doc))
		}
	}
	if c.Labels == nil {
		return part, nil
	}
	var labels bytes.Buffer
	for a, b := range c.Labels.Pairs {
		if taken[a] {
			fmt.Fprintf(&labels, "{\"a\":\"%d\",\"b\":\"%d\"}\n", a, b)
		}
	}
	return part, part.read(&labels)
}

// LoadDirectory reads the text files of a directory, or up to limit of them, which have no labels.
func LoadDirectory(name, dir string, limit int) (*Collection, error) {
	r, err := corpus.Open([]string{dir}, corpus.Options{Format: corpus.Text})
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	c := &Collection{Name: name, ids: map[string]uint32{}}
	for d, err := range r.Documents() {
		if errors.As(err, new(*corpus.BadError)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.add(string(d.ID), d.Text)
	}
	return c.sample(limit)
}

// add appends a document. It copies the text.
func (c *Collection) add(id string, text []byte) {
	c.ids[id] = uint32(len(c.Texts))
	c.Texts = append(c.Texts, slices.Clone(text))
}

// read reads labels.
func (c *Collection) read(r io.Reader) (err error) {
	c.Labels, err = truth.ReadLabels(r, func(id string) (uint32, bool) {
		doc, ok := c.ids[id]
		return doc, ok
	}, truth.MaxLabels)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}
