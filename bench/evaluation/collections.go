package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"simsearch/bench/documents"
	"simsearch/eval"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
)

// A collection is a directory with docs.jsonl, and perhaps labels.
type collection struct {
	name, what, source, terms string
	language                  string
	truth                     string   // the features that exact Jaccard similarity is of
	labels                    string   // name of the file, "" without labels
	without                   []string // beginnings of the ids of documents that are left out
}

var collections = []collection{
	{"reuters21578", "news", "Reuters-21578, Distribution 1.0 (D. Lewis)", "free for research", "en", "word:3", "", nil},
	{"aclimdb", "film reviews", "Large Movie Review Dataset (A. Maas and others, ACL 2011)", "the reviewers'; for research", "en", "word:3", "", nil},
	{"powershell-docs", "documentation in several versions", "MicrosoftDocs/PowerShell-Docs", "CC BY 4.0", "en", "word:3", "clusters.jsonl", nil},
	{"react-native-docs", "documentation in several versions", "facebook/react-native-website", "its publisher's", "en", "word:3", "clusters.jsonl", nil},
	{"ota-terms", "terms of service over the years", "Open Terms Archive", "its publisher's", "en", "word:3", "clusters.jsonl", nil},
	{"gesetze-de", "German federal laws, long", "gesetze-im-internet.de", "public domain", "de", "word:3", "", nil},
	{"bible-chapters", "chapters in several English translations", "public-domain translations", "public domain", "en", "word:3", "clusters.jsonl", nil},
	{"spdx-licenses", "licence texts", "SPDX License List", "each licence's own", "en", "word:3", "clusters.jsonl", nil},
	{"tldr-pages", "short manual pages in thirty languages", "tldr-pages", "CC BY 4.0", "auto", "word:3", "", nil},
	{"tldr-pages", "the same, without Thai and Lao", "tldr-pages", "CC BY 4.0", "auto", "word:3", "", []string{"pages.th/", "pages.lo/"}},
	{"sms-spam", "short messages", "SMS Spam Collection (T. Almeida, J. Hidalgo)", "its publisher's", "en", "words", "", nil},
	{"bln600-ocr", "newspaper pages, recognised and clean", "BLN600", "its publisher's", "en", "words", "pairs.jsonl", nil},
	{"er-cora", "records of publications", "Cora citation matching", "its publisher's", "none", "char:4", "pairs.jsonl", nil},
	{"irplag-java", "programs, some plagiarised", "IR-Plag", "its publisher's", "none", "word:3", "pairs.jsonl", nil},
}

// psalms are the chapters of bible-chapters that the page is about: one in eight, in all translations.
const psalms = "|Psalms "

// path returns the path of a file of the collection.
func (c *collection) path(data, name string) string { return filepath.Join(data, c.name, name) }

// with loads the collection with settings and its labels, and calls do with it.
func (c *collection) with(ctx context.Context, data string, s setting, do func(*eval.Collection) error) (err error) {
	set := analysis.Classic()
	if err := errors.Join(set.Features.UnmarshalText([]byte(s.features)), set.Weights.UnmarshalText([]byte(s.weights))); err != nil {
		return err
	}
	set.Language = s.languageOf(c)
	col, err := eval.Load(ctx, c.documents(data), eval.LoadOptions{Name: c.name, Settings: set, Truth: c.truth, Threads: 2})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, col.Close()) }()
	if err := c.judge(data, col); err != nil {
		return err
	}
	return do(col)
}

// judge gives a loaded collection its labels, if it has any.
func (c *collection) judge(data string, col *eval.Collection) error {
	if c.labels == "" {
		return nil
	}
	file, err := os.Open(c.path(data, c.labels))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return col.Judge(file)
}

// documents yields the documents of the collection.
func (c *collection) documents(data string) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for d, err := range documents.Read(c.path(data, "docs.jsonl")) {
			if err == nil && slices.ContainsFunc(c.without, func(prefix string) bool { return bytes.HasPrefix(d.ID, []byte(prefix)) }) {
				continue
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// title returns what tables call the collection.
func (c *collection) title() string {
	if c.without != nil {
		return c.name + ", a part"
	}
	return c.name
}

// checksum returns the first 16 digits of the SHA-256 of docs.jsonl.
func (c *collection) checksum(data string) (string, error) {
	file, err := os.Open(c.path(data, "docs.jsonl"))
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%.16x", h.Sum(nil))[:16], nil
}
