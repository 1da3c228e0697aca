package main

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

// A kind says where the labels of a collection come from.
type kind int

const (
	people     kind = iota // people judged pairs, or wrote one text after another
	provenance             // both documents come from one source
	synthetic              // the program made one document of the other
	templates              // the same, among pages many of which have one form
	kinds
)

var kindNames = [kinds]string{"labels of people", "labels by provenance", "synthetic copies", "copies among templates"}

// sources are the labelled collections. Collections whose labels name a topic are left out.
var sources = []struct {
	name, labels string
	kind         kind
	limit        int // the number of documents that are measured, 0 for all
}{
	{"clough-stevenson", "pairs.jsonl", people, 0},
	{"er-cddb", "pairs.jsonl", people, 0},
	{"er-cora", "pairs.jsonl", people, 0},
	{"er-dblp-acm", "pairs.jsonl", people, 0},
	{"irplag-java", "pairs.jsonl", people, 0},
	{"bible-chapters", "clusters.jsonl", provenance, 1200},
	{"bln600-ocr", "pairs.jsonl", provenance, 0},
	{"debian-copyright", "clusters.jsonl", provenance, 0},
	{"ota-terms", "clusters.jsonl", provenance, 500},
	{"powershell-docs", "clusters.jsonl", provenance, 800},
	{"react-native-docs", "clusters.jsonl", provenance, 0},
	{"scoop-news", "clusters.jsonl", provenance, 0},
	{"spdx-licenses", "clusters.jsonl", provenance, 0},
}

// A collection is texts and the labels of pairs of them.
type collection struct {
	name   string
	kind   kind
	ids    map[string]uint32
	texts  [][]byte
	whole  int           // number of documents that the texts are a sample of, 0 for all
	labels *truth.Labels // nil without labels
	edits  []string      // of synthetic copies: how each text was made, "" for an original
}

// load reads the documents of a collection whose ids begin with prefix.
func load(data, name, prefix string) (*collection, error) {
	c := &collection{name: name, ids: map[string]uint32{}}
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

// loadLabelled reads a collection, or up to limit documents of it, and its labels.
func loadLabelled(data, name, labels string, k kind, limit int) (*collection, error) {
	c, err := load(data, name, "")
	if err != nil {
		return nil, err
	}
	c.kind = k
	file, err := os.Open(filepath.Join(data, name, labels))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if err := c.judge(file); err != nil {
		return nil, err
	}
	return c.sample(limit)
}

// sample returns a part of c, chosen by chance: n documents or little more, or all if n is 0. Documents that
// labels call near stay together. Labels that name pairs as not near are not supported.
func (c *collection) sample(n int) (*collection, error) {
	if n == 0 || len(c.texts) <= n {
		return c, nil
	}
	partners := make([][]uint32, len(c.texts))
	if c.labels != nil {
		for a, b := range c.labels.Pairs {
			partners[a] = append(partners[a], b)
			partners[b] = append(partners[b], a)
		}
	}
	part := &collection{name: c.name, kind: c.kind, whole: len(c.texts), ids: map[string]uint32{}}
	taken := make([]bool, len(c.texts))
	var take func(doc uint32)
	take = func(doc uint32) {
		if !taken[doc] {
			taken[doc] = true
			part.add(fmt.Sprint(doc), c.texts[doc])
			for _, p := range partners[doc] {
				take(p)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, doc := range random.Perm(len(c.texts)) {
		if len(part.texts) < n {
			take(uint32(doc))
		}
	}
	if c.labels == nil {
		return part, nil
	}
	var labels bytes.Buffer
	for a, b := range c.labels.Pairs {
		if taken[a] {
			fmt.Fprintf(&labels, "{\"a\":\"%d\",\"b\":\"%d\"}\n", a, b)
		}
	}
	return part, part.judge(&labels)
}

// loadDirectory reads the text files of a directory, or up to limit of them, which have no labels.
func loadDirectory(name, dir string, limit int) (*collection, error) {
	r, err := corpus.Open([]string{dir}, corpus.Options{Format: corpus.Text})
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	c := &collection{name: name, ids: map[string]uint32{}}
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

// directoryLimit is the number of documents of a directory that are measured.
const directoryLimit = 3000

// add appends a document. It copies the text.
func (c *collection) add(id string, text []byte) {
	c.ids[id] = uint32(len(c.texts))
	c.texts = append(c.texts, slices.Clone(text))
}

// judge reads labels.
func (c *collection) judge(r io.Reader) (err error) {
	c.labels, err = truth.ReadLabels(r, func(id string) (uint32, bool) {
		doc, ok := c.ids[id]
		return doc, ok
	}, truth.MaxLabels)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}
