package main

import (
	"io"
	"strings"
	"testing"
)

// The pages of the reference have every command and flag, and every example as it stands in the help.
func TestMarkdown(t *testing.T) {
	program := newProgram(&environment{stderr: io.Discard}, "")
	pages := map[string]string{}
	for page := range strings.SplitSeq("\n"+program.Markdown(), "\n# ") {
		title, text, _ := strings.Cut(page, "\n")
		pages[title] = text
	}
	for _, c := range program.Commands {
		page := pages["simsearch "+c.Name]
		if !strings.Contains(page, "\n"+c.Name) && !strings.Contains(page, "simsearch "+c.Name) {
			t.Errorf("%s has no page", c.Name)
		}
		for _, o := range program.Options(c) {
			if !strings.Contains(page, "| `"+strings.ReplaceAll(o.Spelled(), "|", `\|`)+"` | ") {
				t.Errorf("%s --%s is not on its page", c.Name, o.Names[0])
			}
		}
		for line := range strings.Lines(c.Description) {
			if strings.HasPrefix(line, "   simsearch ") && !strings.Contains(page, "\n"+line[3:]) {
				t.Errorf("%s: the example %q has changed on its page", c.Name, line)
			}
		}
	}
}
