// Mutants changes one line of the program at a time, and tells whether the tests notice:
//
//	mutants ROOT LIST [PART OF A PATH...]
//
// ROOT is the root of the repository, and LIST a file of mutants as list.txt explains. No file is changed: the go
// command is given another one in its place. A mutant runs against the tests of its own package, and one that these
// do not notice against those of the packages that import it. A line tells of each mutant, and a table of each
// package. The status is 1 if the own package has missed any.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// timeout is how long the tests of a package may take. A mutant that makes them hang is noticed.
const timeout = 5 * time.Minute

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: mutants ROOT LIST [PART OF A PATH...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missed, err := run(ctx, os.Args[1], os.Args[2], os.Args[3:])
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	case missed > 0:
		os.Exit(1)
	}
}

// errBuild is that of a mutant that the compiler refuses.
var errBuild = errors.New("it does not build")

// A tally counts the mutants of a package.
type tally struct{ noticed, byOthers, missed int }

// run tries the mutants of a list whose files have one of some parts in their paths, or all, and returns how many the
// own packages missed.
func run(ctx context.Context, root, list string, parts []string) (missed int, err error) {
	if root, err = filepath.Abs(root); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(list)
	if err != nil {
		return 0, err
	}
	all, err := parse(string(text))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", list, err)
	}
	importers, err := importersOf(ctx, root)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	tallies := map[string]*tally{}
	for _, m := range all {
		if len(parts) > 0 && !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(m.file, part) }) {
			continue
		}
		pkg := path.Dir(m.file)
		of := tallies[pkg]
		if of == nil {
			of = &tally{}
			tallies[pkg] = of
		}
		overlay, err := m.overlay(root, dir)
		if err != nil {
			return 0, err
		}
		began := time.Now()
		verdict := "noticed"
		by, err := noticed(ctx, root, overlay, pkg)
		if err == nil && by == "" {
			if verdict = "MISSED by its own package"; len(importers[pkg]) > 0 {
				by, err = noticed(ctx, root, overlay, importers[pkg]...)
			}
		}
		switch {
		case errors.Is(err, errBuild):
			of.missed++
			verdict = "DOES NOT BUILD"
		case err != nil:
			return 0, fmt.Errorf("%s: %s: %w", m.file, m.what, err)
		case verdict == "noticed":
			of.noticed++
		case by != "":
			of.byOthers++
		default:
			of.missed++
			verdict = "MISSED by all"
		}
		fmt.Printf("%-8s %s: %s (%.0f s) %s\n", verdict, m.file, m.what, time.Since(began).Seconds(), by)
	}
	fmt.Printf("\n%-30s %8s %10s %7s\n", "package", "noticed", "by others", "missed")
	var sum tally
	for _, pkg := range slices.Sorted(maps.Keys(tallies)) {
		of := tallies[pkg]
		fmt.Printf("%-30s %8d %10d %7d\n", pkg, of.noticed, of.byOthers, of.missed)
		sum.noticed, sum.byOthers, sum.missed = sum.noticed+of.noticed, sum.byOthers+of.byOthers, sum.missed+of.missed
	}
	fmt.Printf("%-30s %8d %10d %7d\n", "all", sum.noticed, sum.byOthers, sum.missed)
	return sum.byOthers + sum.missed, nil
}

// noticed runs the tests of packages with an overlay, and returns the first that fails, or "" if all pass.
func noticed(ctx context.Context, root, overlay string, packages ...string) (by string, err error) {
	args := []string{"test", "-vet=off", "-failfast", "-timeout", timeout.String(), "-overlay", overlay}
	for _, p := range packages {
		args = append(args, "./"+p)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOGC=400")
	out, err := cmd.CombinedOutput()
	switch failed := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return "", nil
	case !errors.As(err, &failed):
		return "", err
	case strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "[setup failed]"):
		return "", errBuild
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "--- FAIL: ") || strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimPrefix(line, "--- FAIL: "), nil
		}
	}
	return "the tests fail", nil
}

// importersOf returns, for each package, those that import it, by their directories.
func importersOf(ctx context.Context, root string) (map[string][]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Imports,TestGoFiles,XTestGoFiles,Module", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	importers := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p struct {
			ImportPath                         string
			Imports, TestGoFiles, XTestGoFiles []string
			Module                             struct{ Path string }
		}
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		dir := func(of string) string {
			return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(of, p.Module.Path), "/"), ".")
		}
		for _, imported := range p.Imports {
			importers[dir(imported)] = append(importers[dir(imported)], dir(p.ImportPath))
		}
	}
	return importers, nil
}
