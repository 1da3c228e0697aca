package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/hamming"
	"simsearch/index"
	"simsearch/internal/options"
)

// version is the version of the next release. The linker may set both variables.
var (
	version = "0.1.0-dev"
	commit  = ""
)

func versionCommand(env *environment) *cli.Command {
	c := new(options.Flags)
	return &cli.Command{
		Name:        "version",
		Usage:       "print the version",
		Description: "Prints the version and commit of the program, the index format it writes, and how it was built.",
		Flags:       slices.Concat(c.CommonFlags()),
		Action:      env.action(c, runVersion),
	}
}

func runVersion(env *environment, c *options.Flags) error {
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
	if c.Common.JSON {
		return env.newRows(true).Print(col("version", version), col("commit", built),
			col("format", index.FormatVersion), col("go", runtime.Version()), col("platform", platform), col("backend", hamming.Backend()))
	}
	_, err := fmt.Fprintf(env.stdout, "simsearch %s (commit %s), index format %d, %s, %s, backend %s\n", version, built, index.FormatVersion, runtime.Version(), platform, hamming.Backend())
	return err
}
