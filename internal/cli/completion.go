package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// CompleteWord stands before the words that the script of a shell wants completed: simsearch __complete near --k
const CompleteWord = "__complete"

// Shells are those that Completion has scripts for.
var Shells = []string{"bash", "zsh", "fish"}

// scripts, each for the shell of its name, ask the program what can stand in the place of the word before the cursor.
// It prints a line for each, with a tab and what the word means behind it, or one of filesWanted and
// directoriesWanted.
//
//go:embed completion
var scripts embed.FS

const (
	filesWanted       = ":files"
	directoriesWanted = ":directories"
)

// Completion returns the script that completes commands, flags and values in a shell, one of Shells.
func (p *Program) Completion(shell string) (string, error) {
	script, err := scripts.ReadFile("completion/" + shell)
	if err != nil {
		return "", fmt.Errorf("no completion for %q: want one of %s", shell, strings.Join(Shells, ", "))
	}
	return strings.ReplaceAll(string(script), "PROGRAM", p.Name), nil
}

// Complete returns what can stand in the place of the last of words, which follow the name of the program: lines as the
// scripts want them.
func (p *Program) Complete(words []string) (lines []string) {
	if len(words) == 0 {
		return nil
	}
	last := words[len(words)-1]
	if last == "=" { // bash makes three words of --flag=value
		last = ""
	}
	before := slices.DeleteFunc(slices.Clone(words[:len(words)-1]), func(word string) bool { return word == "=" })
	for _, candidate := range p.candidates(before, last) {
		if strings.HasPrefix(candidate, last) || strings.HasPrefix(candidate, ":") {
			lines = append(lines, candidate)
		}
	}
	return lines
}

// candidates returns what can stand behind some words; not all of it begins with last.
func (p *Program) candidates(before []string, last string) (out []string) {
	var command *Command
	if len(before) > 0 {
		command = p.Command(before[0])
	}
	switch {
	case len(before) == 0 && strings.HasPrefix(last, "-"):
		return []string{"--help", "--version"}
	case len(before) == 0, before[0] == "help":
		for _, c := range p.Commands {
			out = append(out, c.Name+"\t"+c.Usage)
		}
		out = append(out, "help\tshow the flags of a command")
		if len(before) > 0 {
			out = append(out, p.Topic.Name+"\tshow the flags of inputs")
		}
		return out
	case command == nil:
		return nil
	case slices.Contains(before, "--"):
		return arguments(command)
	case len(before) > 1 && takesValue(command, before[len(before)-1]):
		return p.values(command, before[len(before)-1], "")
	case !strings.HasPrefix(last, "-"):
		return arguments(command)
	}
	if flag, _, ok := strings.Cut(last, "="); ok {
		return p.values(command, flag, flag+"=")
	}
	for _, o := range p.Options(command) {
		for _, name := range o.Names {
			dashes := "--"
			if len(name) == 1 {
				dashes = "-"
			}
			out = append(out, dashes+name+"\t"+o.brief())
		}
	}
	return out
}

// values returns what can be the value of a flag, behind a prefix.
func (p *Program) values(command *Command, flag, prefix string) (out []string) {
	f := findFlag(command, flag)
	if f == nil {
		return nil
	}
	o := p.option(*f.described())
	switch {
	case o.Value == "DIR":
		return []string{directoriesWanted}
	case strings.HasPrefix(o.Value, "FILE"):
		return []string{filesWanted}
	}
	for _, value := range o.Values {
		out = append(out, prefix+value)
	}
	return out
}

// arguments returns what can be an argument of a command: words, if its usage lists them, or else files, if it takes
// any.
func arguments(c *Command) []string {
	words := strings.Split(c.ArgsUsage, "|")
	switch {
	case c.ArgsUsage == "":
		return nil
	case len(words) > 1 && !slices.ContainsFunc(words, func(w string) bool { return !oneWord().MatchString(w) }):
		return words
	}
	return []string{filesWanted}
}
