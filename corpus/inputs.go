package corpus

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"simsearch/internal/globs"
	"simsearch/internal/stream"
)

// ErrFormat marks a file in a format that this version does not read.
var ErrFormat = errors.New("is not read by this version")

// unread maps the usual extensions of formats that this version does not read. Reading a table as
// one long text would be a silent mistake.
var unread = map[string]string{
	".csv": "CSV", ".tsv": "TSV", ".parquet": "Parquet", ".warc": "WARC", ".wet": "WET",
}

// The extensions of JSON Lines and of HTML.
var (
	lineExtensions = []string{".jsonl", ".ndjson"}
	pageExtensions = []string{".html", ".htm", ".xhtml"}
)

// formatOf returns the format of a file. It goes by the file's name if o.Format is Auto, and returns
// Text if the name leaves it open.
func formatOf(o Options, name string) (Format, error) {
	if o.Format != Auto {
		return o.Format, nil
	}
	ext := extensionOf(name)
	switch {
	case slices.Contains(lineExtensions, ext):
		return JSONL, nil
	case slices.Contains(pageExtensions, ext):
		return HTML, nil
	}
	if what, ok := unread[ext]; ok {
		return 0, fmt.Errorf("%s %w", what, ErrFormat)
	}
	return Text, nil
}

// extensionOf returns the extension of a file in lower case, without that of its compression.
func extensionOf(name string) string { return strings.ToLower(path.Ext(plainName(name))) }

// plainName returns name without the extension of a compression format.
func plainName(name string) string {
	if stream.IsCompressed(name) {
		return name[:len(name)-len(path.Ext(name))]
	}
	return name
}

// CheckPatterns returns an error if one of Options.Include or Exclude is no pattern.
func CheckPatterns(patterns []string) error {
	_, err := globs.New(patterns, nil)
	return err
}
