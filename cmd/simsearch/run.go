package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"simsearch/internal/terminal"
)

// Exit statuses. Scripts rely on them.
const (
	statusDone        = 0 // found or done
	statusNothing     = 1 // nothing found
	statusError       = 2 // error or bad usage
	statusInterrupted = 130
)

var (
	// errNothing is the error of a command that has found nothing.
	errNothing = errors.New("nothing found")
	// errReported is the error of a command that has already reported its errors.
	errReported = errors.New("some documents could not be read")
)

// An environment is what a command reads from and writes to.
type environment struct {
	stdin  io.Reader
	stdout *bufio.Writer
	stderr io.Writer // a terminal.Messages
	// outIsTerminal and errIsTerminal report whether a person reads the stream.
	outIsTerminal, errIsTerminal bool
}

// run runs the command in args and returns the exit status. args begins with the name of the
// program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	env := newEnvironment(stdin, stdout, stderr, isTerminal(stdout), isTerminal(stderr))
	return env.run(ctx, args)
}

// newEnvironment returns an environment that keeps data from outside from controlling a terminal.
func newEnvironment(stdin io.Reader, stdout, stderr io.Writer, outIsTerminal, errIsTerminal bool) *environment {
	if outIsTerminal {
		stdout = &terminal.Screen{To: stdout}
	}
	return &environment{
		stdin:         stdin,
		stdout:        bufio.NewWriterSize(stdout, 64<<10),
		stderr:        terminal.Messages{To: stderr},
		outIsTerminal: outIsTerminal,
		errIsTerminal: errIsTerminal,
	}
}

// run runs a command, like the function run.
func (env *environment) run(ctx context.Context, args []string) int {
	app := newApp(env)
	err := app.RunContext(ctx, reorder(app, args))
	if flushErr := env.stdout.Flush(); err == nil || errors.Is(err, errNothing) {
		err = errors.Join(flushErr, err)
	}
	return env.status(err)
}

// status reports an error in one line and returns its exit status.
func (env *environment) status(err error) int {
	switch {
	case err == nil:
		return statusDone
	case errors.Is(err, syscall.EPIPE):
		return statusDone // the reader needs no more
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(env.stderr, "simsearch: interrupted")
		return statusInterrupted
	case errors.Is(err, errReported):
		return statusError
	case errors.Is(err, errNothing):
		return statusNothing
	}
	fmt.Fprintln(env.stderr, "simsearch: "+oneLine(err))
	return statusError
}

// oneLine returns the text of an error in one line, with advice.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ") + advice(err)
}

// newApp returns the command line. Every part of it that can fail returns an error. No part prints
// an error or exits.
func newApp(env *environment) *cli.App {
	app := &cli.App{
		Name:                      "simsearch",
		Usage:                     "near-duplicate search for documents",
		Description:               "Finds which documents are near a text, and which pairs of a collection are near,\nexactly as a comparison of all fingerprints would.",
		UsageText:                 "simsearch COMMAND [flags] [arguments]",
		HideHelpCommand:           true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Reader:                    env.stdin,
		Writer:                    env.stdout,
		ErrWriter:                 env.stderr,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              usageError,
		Commands: []*cli.Command{
			indexCommand(env), nearCommand(env), pairsCommand(env), groupsCommand(env), compareCommand(env),
			evalCommand(env), infoCommand(env), verifyCommand(env), exportCommand(env), versionCommand(env),
		},
	}
	app.Action = func(c *cli.Context) error { return noCommand(c) }
	for _, c := range app.Commands {
		c.OnUsageError = usageError
		c.HideHelpCommand = true
	}
	return app
}

// noCommand runs if there is no command, or one that does not exist.
func noCommand(c *cli.Context) error {
	name := c.Args().First()
	switch {
	case name == "" || name == "help" && c.Args().Len() == 1:
		return cli.ShowAppHelp(c)
	case name == "help":
		return cli.ShowCommandHelp(c, c.Args().Get(1))
	}
	return fmt.Errorf("no command %q%s; simsearch help lists the commands", name, didYouMean(cli.SuggestCommand(c.App.Commands, name)))
}

// didYouMean turns the library's sentence with a suggestion into the end of one of our messages.
func didYouMean(suggestion string) string {
	if suggestion == "" {
		return ""
	}
	return ": " + strings.ToLower(suggestion[:1]) + strings.TrimSuffix(suggestion[1:], "?") + "?"
}

const undefinedFlag = "flag provided but not defined: "

// usageError turns the library's message about bad flags into one line.
func usageError(c *cli.Context, err error, _ bool) error {
	name := "simsearch"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != name {
		name = c.Command.Name
	}
	if flag, ok := strings.CutPrefix(err.Error(), undefinedFlag); ok {
		flag = strings.TrimLeft(flag, "-")
		hint := ""
		if c.Command != nil {
			hint = hintFor(c.Command, flag)
		}
		return fmt.Errorf("%s: no flag --%s%s", name, flag, hint)
	}
	return fmt.Errorf("%s: %w; see simsearch %s --help", name, err, name)
}

// hintFor returns a hint about the flag of command that may have been meant.
func hintFor(command *cli.Command, flag string) string {
	if flag == "k" { // the library would suggest the flag with the shortest name
		if command.Name != "index" {
			return ""
		}
		return "; an index answers every distance, and --plan-k says which it is planned for"
	}
	s := cli.SuggestFlag(command.Flags, flag, true)
	if s == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean --%s?", strings.TrimLeft(s, "-"))
}
