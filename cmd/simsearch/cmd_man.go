package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"simsearch/internal/options"
)

func manCommand(env *environment) *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: `Prints the manual page, which describes every command and flag, for man or groff:

   simsearch man | man -l -
   simsearch man > /usr/local/share/man/man1/simsearch.1`,
		Action: env.action(new(options.Flags), func(env *environment, c *options.Flags) error {
			_, err := io.WriteString(env.stdout, describedProgram(c.App).ManPage())
			return err
		}),
	}
}
