package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/internal/progress"
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
	// inIsTerminal, outIsTerminal and errIsTerminal report whether there is a person at the stream.
	inIsTerminal, outIsTerminal, errIsTerminal bool
	width                                      int    // columns of standard output
	configPath                                 string // of the configuration file, "" for none

	decided map[corpus.Decision]bool // what the user has been told about inputs
	meter   *progress.Meter          // shown now; nil if there is none
}

// run runs the command in args and returns the exit status. args begins with the name of the
// program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	env := newEnvironment(stdin, stdout, stderr, isTerminal(stdout), isTerminal(stderr))
	env.inIsTerminal = isTerminal(stdin)
	env.width, env.configPath = terminalWidth(stdout), configPath()
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
	err := env.execute(ctx, args)
	if flushErr := env.stdout.Flush(); err == nil || errors.Is(err, errNothing) {
		err = errors.Join(flushErr, err)
	}
	return env.status(err)
}

// execute runs a command, or prints help.
func (env *environment) execute(ctx context.Context, args []string) error {
	app := newApp(env)
	if len(args) > 1 && (args[1] == "--version" || args[1] == "-version") {
		args = slices.Concat(args[:1], []string{"version"}, args[2:])
	}
	line := parseArgs(app, args)
	if kind := line.help(); kind != noHelp {
		return env.printHelp(app, line.command, kind)
	}
	if err := env.configure(app, line.command); err != nil {
		return err
	}
	if env.inIsTerminal && asksNothing(line) {
		line.rest = []string{"-"}
	}
	return app.RunContext(ctx, line.args())
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
		Description:               programDescription,
		UsageText:                 "simsearch COMMAND [flags] [arguments]",
		HideHelp:                  true, // commandLine.help finds what is asked for
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		Reader:                    env.stdin,
		Writer:                    env.stdout,
		ErrWriter:                 env.stderr,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              usageError,
		Commands: []*cli.Command{
			indexCommand(env), nearCommand(env), pairsCommand(env), groupsCommand(env), compareCommand(env),
			evalCommand(env), infoCommand(env), verifyCommand(env), exportCommand(env), completionCommand(env), manCommand(env), versionCommand(env),
		},
	}
	app.Action = func(c *cli.Context) error { return noCommand(env, c) }
	for _, c := range app.Commands {
		c.OnUsageError = usageError
		c.HideHelp = true
		inGroup(searchedGroup, c.Flags)
	}
	return app
}

// noCommand is reached without a command or with one that does not exist.
func noCommand(env *environment, c *cli.Context) error {
	name := c.Args().First()
	if name == "help" {
		if name = c.Args().Get(1); name == "help" {
			name = ""
		}
		if command := c.App.Command(name); command != nil {
			return env.printHelp(c.App, command, shortHelp)
		}
	}
	switch {
	case name == "":
		return env.printHelp(c.App, nil, shortHelp)
	case slices.Contains(planned, name):
		return fmt.Errorf("this version has no command %s; simsearch help lists the commands", name)
	}
	var names []string
	for _, command := range c.App.Commands {
		names = append(names, command.Name)
	}
	hint := ""
	if near := closest(name, names); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	return fmt.Errorf("no command %q%s; simsearch help lists the commands", name, hint)
}

// planned are commands of later versions.
var planned = []string{"dedup", "watch", "serve", "delete", "compact", "repair", "step"}

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
		if name == "simsearch" { // which every message begins with
			return fmt.Errorf("no flag --%s%s", flag, hint)
		}
		return fmt.Errorf("%s: no flag --%s%s", name, flag, hint)
	}
	return fmt.Errorf("%s: %w; see simsearch %s --help", name, err, name)
}

// hintFor returns a hint about the flag of command that may have been meant.
func hintFor(command *cli.Command, flag string) string {
	if flag == "k" && command.Name == "index" {
		return "; an index answers every distance, and --plan-k says which it is planned for"
	}
	var names []string
	for _, o := range options(command) {
		names = append(names, o.names[0])
	}
	if near := closest(flag, names); near != "" {
		return fmt.Sprintf("; did you mean --%s?", near)
	}
	if command.Name == "simsearch" { // flags of commands stand behind these
		return "; simsearch COMMAND --help describes the flags of a command"
	}
	return fmt.Sprintf("; simsearch %s --help describes its flags", command.Name)
}
