package commandline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// shells are those that Completion has scripts for.
var shells = []struct {
	name   string
	script func(*Program) string
}{{"bash", (*Program).bashCompletion}, {"zsh", (*Program).zshCompletion}, {"fish", (*Program).fishCompletion}}

// Shells returns the names of the shells that Completion knows.
func Shells() []string {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

// Completion returns the script that completes commands, flags and values in a shell, one of Shells.
func (p *Program) Completion(shell string) (string, error) {
	for _, s := range shells {
		if s.name == shell {
			return s.script(p), nil
		}
	}
	return "", fmt.Errorf("no completion for %q: want one of %s", shell, strings.Join(Shells(), ", "))
}

// named returns a script with the name of the program in the place of PROGRAM_NAME, which no description
// contains.
func (p *Program) named(script string) string {
	return strings.ReplaceAll(script, "PROGRAM_NAME", p.Name)
}

// A completed says what stands for a value or an argument.
type completed struct {
	words              []string // one of these, if there are any
	files, directories bool
}

// completedValue returns what stands for the value of an option.
func completedValue(o Option) completed {
	return completed{words: o.Values, files: strings.HasPrefix(o.Value, "FILE"), directories: o.Value == "DIR"}
}

// completedArguments returns what stands for the arguments of a command: words, if its usage lists
// them, or else files, if it takes any.
func completedArguments(c *cli.Command) completed {
	words := strings.Split(c.ArgsUsage, "|")
	if len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !oneWord.MatchString(w) }) {
		return completed{words: words}
	}
	return completed{files: c.ArgsUsage != ""}
}

// dashed returns the names of an option with dashes. A letter has both one and two.
func (o Option) dashed() []string {
	var out []string
	for _, name := range o.Names {
		if len(name) == 1 {
			out = append(out, "-"+name)
		}
		if len(name) > 1 || o.Value != "" {
			out = append(out, "--"+name)
		}
	}
	return out
}

// commandNames returns the names of all commands, and help.
func (p *Program) commandNames() []string {
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	return append(names, "help")
}

// helpUsage describes the word help, which is no command of the library's.
const helpUsage = "show the flags of a command"

// valued returns all options with a value, those of one name once.
func (p *Program) valued() []Option {
	var out []Option
	for _, c := range p.Commands {
		for _, o := range p.Options(c) {
			if o.Value != "" && !p.hasOwnMeaning(c, o.Names[0]) && !slices.ContainsFunc(out, func(other Option) bool { return other.Names[0] == o.Names[0] }) {
				out = append(out, o)
			}
		}
	}
	return out
}

// hasOwnMeaning reports whether a flag means something else in other commands.
func (p *Program) hasOwnMeaning(c *cli.Command, flag string) bool {
	return slices.Contains(p.OwnMeaning, c.Name+" --"+flag)
}
