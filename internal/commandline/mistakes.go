package commandline

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
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
	if hint := cmp.Or(p.Hints[command.Name+" --"+flag], p.Removed[command.Name+" --"+flag], p.Removed[flag]); hint != "" {
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
