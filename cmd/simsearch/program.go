package main

import (
	"embed"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/eval"
	"simsearch/internal/commandline"
	"simsearch/internal/options"
	"simsearch/preprocess"
)

//go:embed help/*.txt
var help embed.FS

// helpText returns what help/NAME.txt has: the description of a command behind a line with its usage and one with its
// arguments, or that of the program.
func helpText(name string) string {
	text, err := help.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // the program was built without it
	}
	return strings.TrimSuffix(string(text), "\n")
}

// command returns the command with a name, which does do when its flags have their values.
func (t *task) command(name string, do func(*task) error, flags ...[]cli.Flag) *cli.Command {
	usage, text, _ := strings.Cut(helpText(name), "\n")
	arguments, description, _ := strings.Cut(text, "\n\n")
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: arguments, Description: description, Flags: slices.Concat(flags...),
		Action: func(given *cli.Context) error {
			if err := t.Read(given, t.errIsTerminal); err != nil {
				return err
			}
			return do(t)
		},
	}
}

// describedProgram returns the program with what help, completion, the manual page and the
// configuration file want to know of it.
func describedProgram(app *cli.App) *commandline.Program {
	experiments := []string{"all"}
	for _, e := range eval.Experiments() {
		experiments = append(experiments, e.Name)
	}
	return &commandline.Program{
		App:    app,
		Groups: []string{options.SearchedGroup, options.SettingsGroup, options.InputGroup, options.OutputGroup},
		Essential: []string{
			"index", "text", "id", "k", "jaccard", "by", "nearest", "limit", "groups", "new", "matched",
			"preset", "mode", "lang",
			"format", "text-field", "id-field", "files-from", "sync",
			"show", "json", "memory", "threads", "quiet",
			"as", "top", "truth", "recommend", "out",
		},
		Values: map[string][]string{
			"lang":       append([]string{"none", "auto"}, preprocess.Languages()...),
			"experiment": experiments,
		},
		Hints: map[string]string{
			"index --k": "an index answers every distance, and --plan-k says which it is planned for",
		},
		OwnMeaning:   []string{"groups --format", "dedup --dry-run", "dedup --k", "dedup --keep", "groups --keep", "dedup --out", "repair --dry-run", "eval --bands", "eval --index", "eval --k", "eval --jaccard"},
		Unconfigured: []string{"completion", "man", "version"},
		Momentary:    []string{"fingerprint", "help", "id", "ids", "text", "revive", "drop"},
	}
}
