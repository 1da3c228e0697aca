package commandline

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"
)

// Configure checks all lines of the configuration file and gives the flags of command those defaults
// that are meant for it. It reads nothing if command is nil or one of p.Unconfigured, or if path is "".
func (p *Program) Configure(path string, command *cli.Command) error {
	if command == nil || slices.Contains(p.Unconfigured, command.Name) {
		return nil
	}
	lines, err := readConfig(path)
	if err != nil {
		return err
	}
	values := map[string][]configLine{} // of the flags of command
	first := map[[2]string]configLine{}
	for _, line := range lines {
		if err := p.check(line); err != nil {
			return err
		}
		f := findFlag(command, line.flag)
		if line.flag == "" || f == nil || line.section != "" && line.section != command.Name ||
			line.section == "" && p.hasOwnMeaning(command, line.flag) {
			continue
		}
		above, twice := first[[2]string{line.section, line.flag}]
		if twice && !f.(AnyFlag).described().Repeated {
			return line.errorf("%s has a value already, in line %d", line.flag, above.number)
		}
		first[[2]string{line.section, line.flag}] = line
		if old := values[line.flag]; len(old) > 0 && (old[0].section == "") != (line.section == "") {
			if line.section == "" {
				continue
			}
			values[line.flag] = nil // what is said of the command itself replaces what is said of all
		}
		values[line.flag] = append(values[line.flag], line)
	}
	for _, f := range command.Flags {
		var texts []string
		for _, line := range values[f.Names()[0]] {
			texts = append(texts, line.value)
		}
		given := f.(AnyFlag)
		if _, known := given.described().inEnvironment(); known || len(texts) == 0 {
			continue
		}
		if err := given.configure(texts); err != nil {
			return values[f.Names()[0]][0].mistaken(given, err)
		}
	}
	return nil
}

// check returns an error if no command has the flag of the line, or if it does not take the value.
func (p *Program) check(l configLine) error {
	commands := p.Commands
	if l.section != "" {
		command := p.Command(l.section)
		if command == nil || slices.Contains(p.Unconfigured, l.section) {
			return l.errorf("no command %q takes flags from here", l.section)
		}
		commands = []*cli.Command{command}
	}
	if l.flag == "" {
		return nil
	}
	if slices.Contains(p.Momentary, l.flag) {
		return l.errorf("--%s is given with each command, not here", l.flag)
	}
	var names []string
	for _, command := range commands {
		if f := findFlag(command, l.flag); f != nil && (l.section != "" || !p.hasOwnMeaning(command, l.flag)) {
			if err := f.(AnyFlag).accepts(l.value); err != nil {
				return l.mistaken(f.(AnyFlag), err)
			}
			return nil
		}
		for _, f := range command.Flags {
			names = append(names, f.Names()[0])
		}
	}
	hint := ""
	if near := closest(l.flag, names); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	if l.section != "" {
		return l.errorf("%s has no flag --%s%s", l.section, l.flag, hint)
	}
	return l.errorf("no command has a flag --%s%s", l.flag, hint)
}

// mistaken returns the error of a flag that does not take the value of the line.
func (l configLine) mistaken(f AnyFlag, err error) error {
	switch {
	case f.failure() != nil:
		return l.errorf("%v", err)
	case f.described().Value == "":
		return l.errorf("%s = %s: want true or false", l.flag, l.value)
	}
	return l.errorf("%s = %s: want a number", l.flag, l.value)
}
