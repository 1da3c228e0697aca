// Package commandline complements the library of commands and flags. It adds flags behind arguments, help
// in groups, hints about mistyped names, completion for three shells, a manual page, and a configuration
// file. All of these follow from the descriptions of the commands and flags.
package commandline

import "github.com/urfave/cli/v2"

// A Program describes the commands and flags of a program.
type Program struct {
	*cli.App
	Groups    []string // of flags, in the order in which help shows them; at least one
	Essential []string // the flags that the short help shows; a name means the same in all commands
	// Values are the values of flags whose usage does not list them, by the names of the flags.
	Values map[string][]string

	// Hints are what to do instead of giving a flag that a command does not have. The keys are such as
	// "index --k".
	Hints map[string]string

	// OwnMeaning are flags whose name means something else in other commands, such as "index --k". They
	// take no value from the part of a configuration file that is for all commands.
	OwnMeaning []string

	Unconfigured []string // the commands that read no configuration file
	Momentary    []string // the flags that have no place in a configuration file
}
