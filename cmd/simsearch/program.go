package main

import (
	"github.com/urfave/cli/v2"

	"simsearch/eval"
	"simsearch/internal/commandline"
	"simsearch/internal/options"
	"simsearch/preprocess"
)

// programDescription is what holds for all commands.
const programDescription = `Finds which documents are near a text, which pairs of a collection are near, and which documents
belong together. An index is a directory: index makes it and adds to it, and the other commands
search it.

   simsearch index --index idx articles/
   simsearch near --index idx new-article.txt
   simsearch groups --index idx --show

Near are two texts whose sets of words have a Jaccard similarity of 0.8 or more. --jaccard gives
another similarity, and --k the distance of fingerprints instead. No near pair is missed, unless
--recall allows it.

Flags may stand before and after arguments; behind -- all are arguments. Results go to standard
output, and everything else to standard error. The exit status says how it went:

0    something was found, or the work is done
1    nothing was found
2    there was an error, or the usage was wrong
130  the command was interrupted

` + options.IndexVariable + ` gives --index. The file $XDG_CONFIG_HOME/simsearch/config, or ~/.config/simsearch/config,
gives defaults of other flags, too: lines such as

   memory = 2GB
   [near]
   limit = 10

The lines below the name of a command are for that command, those above for all. Lines that
begin with # are comments. The command line comes before the environment, and that before the
file. The settings of an existing index come before those of the file.`

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
