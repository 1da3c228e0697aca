package commandline

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// UnknownCommand returns the error for a command that does not exist. It names the command that may
// have been meant.
func (p *Program) UnknownCommand(name string) error {
	var names []string
	for _, command := range p.Commands {
		names = append(names, command.Name)
	}
	hint := ""
	if near := closest(name, names); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	return fmt.Errorf("no command %q%s; %s help lists the commands", name, hint, p.Name)
}

const undefinedFlag = "flag provided but not defined: "

// UsageError turns the library's message about bad flags into one line. It is a cli.OnUsageErrorFunc.
func (p *Program) UsageError(c *cli.Context, err error, _ bool) error {
	name := p.Name
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != name {
		name = c.Command.Name
	}
	if c.Command != nil {
		for _, f := range c.Command.Flags {
			if failed := f.(AnyFlag).failure(); failed != nil {
				return failed
			}
		}
	}
	if flag, ok := strings.CutPrefix(err.Error(), undefinedFlag); ok {
		flag = strings.TrimLeft(flag, "-")
		hint := ""
		if c.Command != nil {
			hint = "; " + p.hintFor(c.Command, flag)
		}
		if name == p.Name { // which every message begins with
			return fmt.Errorf("no flag --%s%s", flag, hint)
		}
		return fmt.Errorf("%s: no flag --%s%s", name, flag, hint)
	}
	return fmt.Errorf("%s: %w; see %s %s --help", name, err, p.Name, name)
}

// hintFor returns a hint about the flag of command that may have been meant.
func (p *Program) hintFor(command *cli.Command, flag string) string {
	if hint, ok := p.Hints[command.Name+" --"+flag]; ok {
		return hint
	}
	var names []string
	for _, o := range p.Options(command) {
		names = append(names, o.Names[0])
	}
	if near := closest(flag, names); near != "" {
		return fmt.Sprintf("did you mean --%s?", near)
	}
	if command.Name == p.Name { // flags of commands stand behind these
		return p.Name + " COMMAND --help describes the flags of a command"
	}
	return fmt.Sprintf("%s %s --help describes its flags", p.Name, command.Name)
}

const (
	closeEdits  = 2 // edits between names that are close
	closePrefix = 4 // letters that close names begin with, however long they are
)

// closest returns the name that name may stand for: one at most closeEdits edits away, or one that
// begins with the same closePrefix letters: the nearest of them by edits, and of equally near ones the
// one with the longer common beginning. If none is close, it returns the only name that begins with name,
// such as quiet for q, or "".
func closest(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		d := edits(name, n)
		// Two names that share no letter are not close.
		near := d <= closeEdits && d < min(utf8.RuneCountInString(name), utf8.RuneCountInString(n))
		prefix := commonPrefix(name, n)
		if (near || prefix >= closePrefix) && (best == "" || d < least || d == least && prefix > commonPrefix(name, best)) {
			best, least = n, d
		}
	}
	if best == "" && name != "" {
		return onlyOne(name, names)
	}
	return best
}

// onlyOne returns the name that begins with prefix, or "" if there are none or several.
func onlyOne(prefix string, names []string) (only string) {
	for _, n := range names {
		switch {
		case !strings.HasPrefix(n, prefix), n == only:
		case only != "":
			return ""
		default:
			only = n
		}
	}
	return only
}

// commonPrefix returns the number of bytes with which both a and b begin.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// edits returns the number of letters that must be inserted, deleted, replaced or exchanged with
// their neighbours to make b of a (optimal string alignment).
func edits(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range to {
		rows[0][j+1] = j + 1
	}
	for i := range from {
		for j := range to {
			replaced := rows[i][j]
			if from[i] != to[j] {
				replaced++
			}
			d := min(replaced, rows[i][j+1]+1, rows[i+1][j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(from)][len(to)]
}
