package commandline

import (
	"errors"
	"flag"
	"fmt"
	"os"
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
		if _, list := f.(*cli.StringSliceFlag); twice && !list {
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
	names := configuredFlags{}
	p.Metadata = map[string]any{configuredKey: names}
	for i, f := range command.Flags {
		given := values[f.Names()[0]]
		described, ok := f.(describedFlag)
		if len(given) == 0 || !ok || inEnvironment(described) {
			continue
		}
		names[f.Names()[0]] = true
		if list, ok := f.(*cli.StringSliceFlag); ok {
			list.Value = cli.NewStringSlice()
			for _, line := range given {
				list.Value = cli.NewStringSlice(append(list.Value.Value(), line.value)...)
			}
			continue
		}
		command.Flags[i] = configuredFlag{described, given[0].value}
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
		if f := findFlag(command, l.flag); f != nil {
			if err := accepts(f, l.value); err != nil {
				return l.errorf("%s = %s: %v", l.flag, l.value, err)
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

// accepts returns an error if a flag does not take a value.
func accepts(f cli.Flag, value string) error {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	if err := f.Apply(set); err != nil {
		return err
	}
	if set.Set(f.Names()[0], value) == nil {
		return nil
	}
	if _, ok := f.(*cli.BoolFlag); ok {
		return errors.New("want true or false")
	}
	return errors.New("want a number")
}

// inEnvironment reports whether a variable gives the value of a flag.
func inEnvironment(f cli.DocGenerationFlag) bool {
	return slices.ContainsFunc(f.GetEnvVars(), func(name string) bool {
		_, ok := os.LookupEnv(name)
		return ok
	})
}

// A describedFlag is what every flag of the library is.
type describedFlag interface {
	cli.DocGenerationFlag
	cli.CategorizableFlag
}

// A configuredFlag is a flag with a default from the configuration file. As with other defaults, its
// IsSet is false.
type configuredFlag struct {
	describedFlag
	value string
}

// Apply adds the flag to set, with its default.
func (f configuredFlag) Apply(set *flag.FlagSet) error {
	if err := f.describedFlag.Apply(set); err != nil {
		return err
	}
	for _, name := range f.Names() {
		// The method of the value, since that of the set would count as given on the command line.
		if err := set.Lookup(name).Value.Set(f.value); err != nil {
			return err
		}
	}
	return nil
}

// configuredFlags are the names of the flags whose defaults are from the configuration file.
type configuredFlags map[string]bool

const configuredKey = "configured" // of the metadata of the program

// IsConfigured reports whether the default of a flag is from the configuration file.
func IsConfigured(c *cli.Context, name string) bool {
	names, _ := c.App.Metadata[configuredKey].(configuredFlags)
	return names[name]
}

// Has reports whether a flag has a value that is not the program's own default: from the command
// line, the environment or the configuration file. Where flags exclude each other, or are compared
// with what an index has, c.IsSet counts instead: what the configuration file says is no more than a
// default there.
func Has(c *cli.Context, name string) bool { return c.IsSet(name) || IsConfigured(c, name) }

// IgnoreConfigured lets Has report false for flags that only the configuration file gives.
func IgnoreConfigured(c *cli.Context, flags ...string) {
	names, _ := c.App.Metadata[configuredKey].(configuredFlags)
	for _, name := range flags {
		delete(names, name)
	}
}
