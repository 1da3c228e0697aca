package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// unknownCommand returns the error for a command that does not exist. It names the command that may
// have been meant.
func (p *Program) unknownCommand(name string) error {
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

// Mistakes are what flags may say together and should not.
type Mistakes []struct {
	Made bool
	Told string
}

// First returns an error that tells of the first mistake that is made.
func (m Mistakes) First() error {
	for _, one := range m {
		if one.Made {
			return errors.New(one.Told)
		}
	}
	return nil
}

const undefinedFlag = "flag provided but not defined: "

// usageError turns the library's message about bad flags, of a command or of the program itself, into one line.
func (p *Program) usageError(c *Command, err error) error {
	flag, undefined := strings.CutPrefix(err.Error(), undefinedFlag)
	flag = strings.TrimLeft(flag, "-")
	switch {
	case c == nil && undefined: // flags of commands stand behind these
		return fmt.Errorf("no flag --%s; %s COMMAND --help describes the flags of a command", flag, p.Name)
	case c == nil:
		return fmt.Errorf("%s: %w; see %[1]s --help", p.Name, err)
	}
	for _, f := range c.Flags {
		if failed := f.failure(); failed != nil {
			return failed
		}
	}
	if undefined {
		return fmt.Errorf("%s: no flag --%s; %s", c.Name, flag, p.hintFor(c, flag))
	}
	return fmt.Errorf("%s: %w; see %s %[1]s --help", c.Name, err, p.Name)
}

// hintFor returns a hint about the flag of command that may have been meant.
func (p *Program) hintFor(command *Command, flag string) string {
	var names []string
	for _, o := range p.Options(command) {
		names = append(names, o.Names[0])
	}
	hint := p.Hints[flag]
	if instead, ok := strings.CutPrefix(hint, "--"); ok && !slices.Contains(names, strings.Fields(instead)[0]) {
		hint = "" // it is for the commands that have the other flag
	}
	if hint = cmp.Or(p.Hints[command.Name+" --"+flag], hint); hint != "" {
		return hint
	}
	if near := closest(flag, names); near != "" {
		return fmt.Sprintf("did you mean --%s?", near)
	}
	return fmt.Sprintf("%s %s --help describes its flags", p.Name, command.Name)
}

// leastAlike is how alike a name is to the one that it may stand for, in [0, 1].
const leastAlike = 0.86

// closest returns the name that name may stand for: the one that is most alike, by the letters that both have in about the same
// places and by a common beginning, or "" if none is alike.
func closest(name string, names []string) (best string) {
	most := leastAlike
	for _, n := range names {
		if alike := smetrics.JaroWinkler(name, n, 0.7, 4); alike > most {
			best, most = n, alike
		}
	}
	return best
}
