package corpus

import (
	"path"
	"strings"

	"simsearch/internal/globs"
	"simsearch/internal/stream"
)

// formats maps the extensions of files to the formats that they stand for.
var formats = map[string]Format{
	".jsonl": JSONL, ".ndjson": JSONL, ".html": HTML, ".htm": HTML, ".xhtml": HTML,
	".csv": CSV, ".tsv": TSV, ".parquet": Parquet, ".warc": WARC, ".wet": WARC,
	".mbox": Mail, ".mbx": Mail, emlExtension: Mail,
}

// formatOf returns the format of a file. It goes by the file's name if o.Format is Auto, and returns
// Text if the name leaves it open.
func formatOf(o Options, name string) Format {
	if o.Format != Auto {
		return o.Format
	}
	if format, ok := formats[extensionOf(name)]; ok {
		return format
	}
	return Text
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
