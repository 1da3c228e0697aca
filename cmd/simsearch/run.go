package main

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"simsearch/eval"
	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/kernels"
	"simsearch/preprocess"
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
	columns                                    int      // of standard output, 0 if not known
	configPath                                 string   // of the configuration file, "" for none
	part                                       partSize // of what index commits at once; the zero value is the default

	committed func() // is called when index has committed a part

	teller  *intake.Teller // tells the user about inputs
	hideBar func()         // is called before something appears on a terminal, or goes into a pipe
}

// runProgram runs the command in args and returns the exit status. args begins with the name of the
// program.
func runProgram(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	env := newEnvironment(stdin, stdout, stderr, terminal.Is(stdout), terminal.Is(stderr))
	env.inIsTerminal = terminal.Is(stdin)
	env.columns, env.configPath = terminal.Width(stdout), cli.ConfigPath("simsearch")
	return env.run(ctx, args)
}

// newEnvironment returns an environment that keeps data from outside from controlling a terminal.
func newEnvironment(stdin io.Reader, stdout, stderr io.Writer, outIsTerminal, errIsTerminal bool) *environment {
	messages := terminal.Messages{To: stderr}
	env := &environment{
		stdin:         stdin,
		stderr:        messages,
		teller:        &intake.Teller{To: messages, Line: oneLine},
		outIsTerminal: outIsTerminal,
		errIsTerminal: errIsTerminal,
		hideBar:       func() {},
		committed:     func() {},
	}
	if outIsTerminal || terminal.IsPipe(stdout) {
		stdout = terminal.Noticed{To: stdout, Before: func() { env.hideBar() }}
	}
	if outIsTerminal {
		stdout = &terminal.Screen{To: stdout}
	}
	env.stdout = bufio.NewWriterSize(stdout, 64<<10)
	return env
}

// runProgram runs a command, like the function run.
func (env *environment) run(ctx context.Context, args []string) int {
	err := disk.Guarded(func() error { return env.execute(ctx, args) })
	env.teller.End()
	if flushErr := env.stdout.Flush(); err == nil || errors.Is(err, errNothing) {
		err = errors.Join(flushErr, err)
	}
	return env.status(err)
}

// execute runs a command, or prints help.
func (env *environment) execute(ctx context.Context, args []string) error {
	if len(args) > 1 && (args[1] == "--version" || args[1] == "-version") {
		args = slices.Concat(args[:1], []string{"version"}, args[2:])
	}
	if err := kernels.Check(); err != nil && (len(args) < 2 || args[1] != cli.CompleteWord) {
		return err
	}
	only := ""
	if len(args) > 1 && args[1] != cli.CompleteWord && !cli.HasConfig(env.configPath) { // which may say something of all commands
		only = args[1]
	}
	return newProgram(env, only).Run(ctx, args)
}

// status reports an error in one line and returns its exit status.
func (env *environment) status(err error) int {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE): // whose reader needs no more
		return statusDone
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
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ") + cli.Advice(err)
}

// newProgram returns the program, with the command that is called only, or with all of them if none is. Every part of
// it that can fail returns an error. No part prints an error or exits.
func newProgram(env *environment, only string) *cli.Program {
	type named struct {
		name string
		make func(*task) *cli.Command
	}
	of := func(name string, do func(*task) error, flags func(*task) []cli.AnyFlag) named {
		return named{name, func(t *task) *cli.Command { return t.command(name, do, flags(t)) }}
	}
	commands := []named{
		of("dedup", runDedup, (*task).DedupFlags), {"index", indexCommand}, {"near", nearCommand}, {"pairs", pairsCommand},
		{"groups", groupsCommand}, {"compare", compareCommand},
		of("decontaminate", runDecontaminate, (*task).DecontaminateFlags), {"eval", evalCommand}, {"watch", watchCommand},
		of("serve", runServe, (*task).ServeFlags), {"delete", deleteCommand}, of("compact", runCompact, (*task).OfIndex),
		of("info", runInfo, (*task).OfIndex), of("verify", runVerify, (*task).OfIndex),
		{"repair", repairCommand}, {"export", exportCommand}, of("step", runStep, (*task).StepFlags),
		{"completion", completionCommand}, {"man", manCommand}, of("version", runVersion, (*task).CommonFlags),
	}
	if i := slices.IndexFunc(commands, func(c named) bool { return c.name == only }); i >= 0 {
		commands = commands[i : i+1]
	}
	version, _ := built()
	experiments := []string{"all"}
	for _, e := range eval.Experiments() {
		experiments = append(experiments, e.Name)
	}
	p := &cli.Program{
		Name: "simsearch", Version: version, Usage: "near-duplicate search for documents", Description: helpText("simsearch"),
		Groups:       []string{cli.SearchedGroup, cli.ServingGroup, cli.SettingsGroup, cli.InputGroup, cli.OutputGroup},
		Essential:    cli.Essential,
		Topic:        new(task).command("input", nil, new(cli.Flags).CorpusFlags()),
		Values:       map[string][]string{"lang": append([]string{"none", "auto"}, preprocess.Languages()...), "experiment": experiments},
		Hints:        cli.Hints,
		OwnMeaning:   cli.OwnMeaning,
		Unconfigured: []string{"completion", "man", "version"},
		Momentary:    []string{"fingerprint", "help", "id", "text", "deleted", "from", "in", "share", "part", "alone"},
		Config:       env.configPath, Out: env.stdout, Width: env.columns,
	}
	for _, c := range commands {
		p.Commands = append(p.Commands, c.make(&task{environment: env}))
	}
	return p
}

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
func (t *task) command(name string, do func(*task) error, flags ...[]cli.AnyFlag) *cli.Command {
	usage, text, _ := strings.Cut(helpText(name), "\n")
	arguments, description, _ := strings.Cut(text, "\n\n")
	c := &cli.Command{Name: name, Usage: usage, ArgsUsage: arguments, Description: description, Flags: cli.InGroup(cli.SearchedGroup, slices.Concat(flags...))}
	c.Do = func(ctx context.Context, arguments []string) error {
		t.Stdin, t.Decided = t.stdin, t.teller.Decided // before Read, which copies them for what is searched
		if err := t.Read(ctx, c, arguments, t.errIsTerminal); err != nil {
			return err
		}
		return do(t)
	}
	return c
}
