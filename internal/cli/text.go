package cli

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"simsearch/internal/ground/terminal"
)

// A block is a part of the description of a command.
type block struct {
	kind blockKind
	term string // of an item
	text string // lines of an example keep their ends
}

type blockKind int

const (
	paragraph blockKind = iota
	example             // lines that stand as they are
	item                // a term and what it means
)

// itemLine has a term, two or more spaces and a text.
var itemLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( *)(\S+(?: \S+)*)(  +)(\S.*)$`) })

// blocks splits a description. Lines that begin with a space are examples, except that a line below an
// item continues it if it begins where the text of the item begins. An indented call of the program is
// an example, even if it has a remark behind spaces.
func blocks(description, program string) []block {
	var out []block
	column := 0            // where the text of the item above begins
	var last *block        // to which the next line may belong
	add := func(b block) { // ends the block above
		out = append(out, b)
		last = &out[len(out)-1]
	}
	for line := range strings.Lines(description) {
		line = strings.TrimRight(line, "\n")
		indented := len(line) - len(strings.TrimLeft(line, " "))
		call := indented > 0 && strings.HasPrefix(line[indented:], program+" ")
		switch m := itemLine().FindStringSubmatch(line); {
		case strings.TrimSpace(line) == "":
			last = nil
		case m != nil && !call:
			column = utf8.RuneCountInString(m[1] + m[2] + m[3])
			add(block{item, m[2], m[4]})
		case last != nil && last.kind == item && indented == column:
			last.text += " " + line[indented:]
		case indented > 0 && last != nil && last.kind == example:
			last.text += line + "\n"
		case indented > 0:
			add(block{example, "", line + "\n"})
		case last != nil && last.kind == paragraph:
			last.text += " " + line
		default:
			add(block{paragraph, "", line})
		}
	}
	return out
}

// wrapped is that of terminal.
var wrapped = terminal.Wrapped
