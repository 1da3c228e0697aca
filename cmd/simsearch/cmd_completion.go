package main

import (
	"errors"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/internal/commandline"
)

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
