package eval

import (
	"regexp"
	"strings"
)

var (
	// markdownEscapes are for what has a meaning within a line of Markdown or of a cell, in
	// GitHub's dialect, too.
	markdownEscapes = strings.NewReplacer("<", "&lt;", "&", "&amp;", `\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "://", `\://`)
	// bareAddress is the beginning of one that the dialect makes a link of without "://".
	bareAddress = regexp.MustCompile(`(?i)(www)\.`)
)

// escapeMarkdown returns Markdown that shows a text of one line as it is.
func escapeMarkdown(s string) string {
	return bareAddress.ReplaceAllString(markdownEscapes.Replace(s), `$1\.`)
}

// markdownRow returns the cells of a row with what stands between them.
func markdownRow(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = escapeMarkdown(c)
	}
	return strings.Join(escaped, " | ")
}
