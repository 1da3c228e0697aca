package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"simsearch/hamming"
	"simsearch/internal/cli"
	"simsearch/internal/index"
)

// built returns the version and the commit of the program: what the go command has written into it.
func built() (version, commit string) {
	version, commit = "devel", "unknown"
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	return version, commit
}

func runVersion(t *task) error {
	version, commit := built()
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if t.JSON.Value {
		return t.rows().Print(col("version", version), col("commit", commit),
			col("format", index.FormatVersion), col("go", runtime.Version()), col("platform", platform), col("backend", hamming.Backend()))
	}
	_, err := fmt.Fprintf(t.stdout, "simsearch %s (commit %s), index format %d, %s, %s, backend %s\n", version, commit, index.FormatVersion, runtime.Version(), platform, hamming.Backend())
	return err
}

func manCommand(t *task) *cli.Command {
	return t.command("man", func(t *task) error {
		_, err := io.WriteString(t.stdout, newProgram(t.environment, "").ManPage())
		return err
	})
}

func completionCommand(t *task) *cli.Command {
	return t.command("completion", func(t *task) error {
		if len(t.Args) != 1 {
			return errors.New("completion for which shell? want one of " + strings.Join(cli.Shells, ", "))
		}
		script, err := newProgram(t.environment, "").Completion(t.Args[0])
		if err != nil {
			return err
		}
		_, err = io.WriteString(t.stdout, script)
		return err
	})
}
