package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// shells are those that completion has scripts for.
var shells = []struct {
	name   string
	script func(*cli.App) string
}{{"bash", bashCompletion}, {"zsh", zshCompletion}, {"fish", fishCompletion}}

func shellNames() []string {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

func completionCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands, flags and values in a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: `Prints a script for the shell that is named. Load it where your shell reads completions:

bash  source <(simsearch completion bash), in ~/.bashrc
zsh   simsearch completion zsh > _simsearch, in a directory of $fpath
fish  simsearch completion fish > ~/.config/fish/completions/simsearch.fish`,
		Action: func(c *cli.Context) error {
			if c.Args().Len() != 1 {
				return errors.New("completion for which shell? want one of " + strings.Join(shellNames(), ", "))
			}
			for _, s := range shells {
				if s.name == c.Args().First() {
					_, err := io.WriteString(env.stdout, s.script(c.App))
					return err
				}
			}
			return fmt.Errorf("no completion for %q: want one of %s", c.Args().First(), strings.Join(shellNames(), ", "))
		},
	}
}

// A completed says what stands for a value or an argument.
type completed struct {
	words              []string // one of these, if there are any
	files, directories bool
}

// completedValue returns what stands for the value of an option.
func completedValue(o option) completed {
	return completed{words: o.values, files: strings.HasPrefix(o.value, "FILE"), directories: o.value == "DIR"}
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
func (o option) dashed() []string {
	var out []string
	for _, name := range o.names {
		if len(name) == 1 {
			out = append(out, "-"+name)
		}
		if len(name) > 1 || o.value != "" {
			out = append(out, "--"+name)
		}
	}
	return out
}

// commandNames returns the names of all commands, and help.
func commandNames(app *cli.App) []string {
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	return append(names, "help")
}

// helpUsage describes the word help, which is no command of the library's.
const helpUsage = "show the flags of a command"

// valued returns all options with a value, those of one name once.
func valued(app *cli.App) []option {
	var out []option
	for _, c := range app.Commands {
		for _, o := range options(c) {
			if o.value != "" && !slices.ContainsFunc(out, func(p option) bool { return p.names[0] == o.names[0] }) {
				out = append(out, o)
			}
		}
	}
	return out
}
