package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/hamming"
	"simsearch/index"
	"simsearch/internal/commandline"
)

// version is the version of the next release. The linker may set both variables.
var (
	version = "0.1.0-dev"
	commit  = ""
)

func versionCommand(env *environment) *cli.Command {
	t := newTask(env)
	return &cli.Command{
		Name:        "version",
		Usage:       "print the version",
		Description: "Prints the version and commit of the program, the index format it writes, and how it was built.",
		Flags:       slices.Concat(t.CommonFlags()),
		Action:      t.action(runVersion),
	}
}

func runVersion(t *task) error {
	built := commit
	if info, ok := debug.ReadBuildInfo(); ok && built == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				built = s.Value
			}
		}
	}
	if built == "" {
		built = "unknown"
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if t.Common.JSON {
		return t.rows().Print(col("version", version), col("commit", built),
			col("format", index.FormatVersion), col("go", runtime.Version()), col("platform", platform), col("backend", hamming.Backend()))
	}
	_, err := fmt.Fprintf(t.stdout, "simsearch %s (commit %s), index format %d, %s, %s, backend %s\n", version, built, index.FormatVersion, runtime.Version(), platform, hamming.Backend())
	return err
}

func manCommand(env *environment) *cli.Command {
	t := newTask(env)
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: `Prints the manual page, which describes every command and flag, for man or groff:

   simsearch man | man -l -
   simsearch man > /usr/local/share/man/man1/simsearch.1`,
		Action: t.action(func(t *task) error {
			_, err := io.WriteString(t.stdout, describedProgram(t.App).ManPage())
			return err
		}),
	}
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
				return errors.New("completion for which shell? want one of " + strings.Join(commandline.Shells(), ", "))
			}
			script, err := describedProgram(c.App).Completion(c.Args().First())
			if err != nil {
				return err
			}
			_, err = io.WriteString(env.stdout, script)
			return err
		},
	}
}
