package cli

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	urfave "github.com/urfave/cli/v2"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
)

// A Command is a command of a program.
type Command struct {
	Name, Usage, ArgsUsage, Description string
	Flags                               []AnyFlag
	Do                                  func(ctx context.Context, arguments []string) error // when the flags have their values
}

// A Program describes the commands and flags of a program.
type Program struct {
	Name, Version, Usage, Description string
	Commands                          []*Command

	Groups    []string // of flags, in the order in which help shows them; at least one
	Essential []string // the flags that the short help shows: of all commands, such as "json", or of one, such as "dedup --keep"
	// Topic has the flags of a group that many commands have alike. Their help names these flags only, and "help
	// NAME", by the name of Topic, describes them.
	Topic *Command
	// Values are the values of flags whose usage does not list them, by the names of the flags.
	Values map[string][]string
	// Hints are what to do instead of giving a flag that a command does not have, by the names of flags, or by such
	// as "index --k".
	Hints map[string]string
	// OwnMeaning are flags whose name means something else in other commands, such as "index --k". They
	// take no value from the part of a configuration file that is for all commands.
	OwnMeaning []string

	Unconfigured []string // the commands that read no configuration file
	Momentary    []string // the flags that have no place in a configuration file

	Config string    // the configuration file, "" for none
	Out    io.Writer // of help
	Width  int       // of help, in columns
}

// Command returns the command with a name, or nil.
func (p *Program) Command(name string) *Command {
	for _, c := range p.Commands {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Run does what the arguments args say, which begin with the name of the program: it calls Do of a command, or prints
// help or what completes a line.
func (p *Program) Run(ctx context.Context, args []string) error {
	if len(args) > 1 && args[1] == CompleteWord {
		_, err := io.WriteString(p.Out, strings.Join(append(p.Complete(args[2:]), ""), "\n"))
		return err
	}
	line := parse(p, args)
	if line.Help != noHelp {
		return p.printHelp(line.Command, line.Help)
	}
	if err := p.configure(line.Command); err != nil {
		return err
	}
	app := &urfave.App{
		Name: p.Name, HideHelp: true, HideVersion: true, DisableSliceFlagSeparator: true, ExitErrHandler: func(*urfave.Context, error) {},
		Writer: io.Discard, ErrWriter: io.Discard,
		OnUsageError: func(_ *urfave.Context, err error, _ bool) error { return p.usageError(nil, err) },
		Action:       func(c *urfave.Context) error { return p.noCommand(c.Args().Slice()) },
	}
	if c := line.Command; c != nil {
		command := &urfave.Command{
			Name: c.Name, HideHelp: true, Action: func(given *urfave.Context) error { return c.Do(given.Context, given.Args().Slice()) },
			OnUsageError: func(_ *urfave.Context, err error, _ bool) error { return p.usageError(c, err) },
		}
		for _, f := range c.Flags {
			command.Flags = append(command.Flags, f)
		}
		app.Commands = []*urfave.Command{command}
	}
	return app.RunContext(ctx, line.Args)
}

// noCommand is reached without a command, or with one that does not exist.
func (p *Program) noCommand(args []string) error {
	name := strings.Join(args[:min(1, len(args))], "")
	if name == "help" {
		name = strings.Join(args[1:min(2, len(args))], "")
		if c := p.Command(name); c != nil {
			return p.printHelp(c, ShortHelp)
		}
		if name == p.Topic.Name {
			return p.printHelp(p.Topic, ShortHelp)
		}
	}
	if name == "" || name == "help" {
		return p.printHelp(nil, ShortHelp)
	}
	var names []string
	for _, command := range p.Commands {
		names = append(names, command.Name)
	}
	near := ints.Closest(name, names)
	return fmt.Errorf("no command %q%s; %s help lists the commands", name, terminal.If(near != "", ": did you mean %q?", near), p.Name)
}

// printHelp prints the help of the program, or of a command if there is one.
func (p *Program) printHelp(c *Command, kind helpKind) error {
	_, err := io.WriteString(p.Out, p.Help(c, kind, p.Width))
	return err
}

// InGroup puts the flags that have no group yet into group, and returns them.
func InGroup(group string, flags []AnyFlag) []AnyFlag {
	for _, f := range flags {
		if o := f.described(); o.Group == "" {
			o.Group = group
		}
	}
	return flags
}

// An Option is what help, completions and the manual page say of a flag.
type Option struct {
	Names    []string // without dashes; the first is the one that documents use
	Value    string   // a word for the value, "" if there is none
	Usage    string
	Default  string // "" if there is none
	Env      string // the variable of the environment that gives the value, "" for none
	Group    string
	Values   []string // all values, if there are few
	Repeated bool     // may be given several times
}

// Options returns the options of a command in the order of Groups, --help last.
func (p *Program) Options(c *Command) []Option {
	var out []Option
	for _, f := range c.Flags {
		out = append(out, p.option(*f.described()))
	}
	slices.SortStableFunc(out, func(a, b Option) int { return slices.Index(p.Groups, a.Group) - slices.Index(p.Groups, b.Group) })
	return append(out, Option{Names: []string{"help", "h"}, Usage: "show all flags; -h shows those needed most", Group: p.Groups[len(p.Groups)-1]})
}

// option returns what its flag says of an option, and what follows from that.
func (p *Program) option(o Option) Option {
	if o.Group == "" {
		o.Group = p.Groups[0]
	}
	if o.Value != "" {
		if word := placeholder().FindStringSubmatch(o.Usage); word != nil {
			o.Value = word[1]
		}
		o.Values = p.valuesOf(o)
	}
	o.Usage = strings.ReplaceAll(o.Usage, "`", "")
	return o
}

// placeholder finds the word for the value in the usage of a flag.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`]+)`") })

// valuesOf returns the values of an option with few of them: those of p.Values, or those that its usage
// lists behind a colon, as in "MODE of progress: auto (as it suits), bar or none".
func (p *Program) valuesOf(o Option) []string {
	if values, ok := p.Values[o.Names[0]]; ok {
		return values
	}
	_, list, ok := strings.Cut(asides().ReplaceAllString(o.Usage, ""), ": ")
	if !ok {
		return nil
	}
	list, _, _ = strings.Cut(list, ";")
	items := separators().Split(list, -1)
	for i, item := range items {
		if !oneWord().MatchString(item) {
			return nil
		}
		items[i] = strings.NewReplacer(":N", ":3", ":FIELD", ":").Replace(item) // an example of a number
	}
	if len(items) < 2 {
		return nil
	}
	return items
}

var (
	asides     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` *\([^)]*\)`) })
	separators = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`, or |, | or `) })
	oneWord    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9-]+(:[a-z0-9-]+)*(:N|:FIELD)?$`) })
)

// Spelled returns the names of an option with dashes and the word for its value. A letter is spelled
// in both ways that are accepted.
func (o Option) Spelled() string {
	var forms []string
	for _, name := range o.Names {
		if len(name) == 1 {
			forms = append(forms, "-"+name)
		}
	}
	for _, name := range o.Names {
		if len(name) > 1 || o.Value != "" {
			forms = append(forms, "--"+name)
		}
	}
	return strings.Join(forms, ", ") + terminal.If(o.Value != "", " %s", o.Value)
}

// about returns the usage with the default and the variable of the environment.
func (o Option) about() string {
	return o.Usage + terminal.If(o.Default != "", " (default: %s)", o.Default) +
		terminal.If(o.Env != "", " [$%s]", o.Env)
}

// brief returns the usage without asides and without what stands behind a semicolon.
func (o Option) brief() string {
	clause, _, _ := strings.Cut(asides().ReplaceAllString(o.Usage, ""), ";")
	return clause
}
