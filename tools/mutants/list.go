package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A mutant is a change of a few lines of a file that tests should notice.
type mutant struct {
	file string // relative to the root, with slashes
	what string // what it breaks
	old  []string
	new  []string
}

// parse reads a list of mutants. A mutant is a line with a file, a colon and what breaks, then the lines that go,
// each behind "- ", and those that come, each behind "+ ". White space around a line does not count. A line that
// begins with # is a remark.
func parse(text string) (all []mutant, err error) {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		kind, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		switch last := len(all) - 1; {
		case line == "" || kind == "#":
		case kind == "-" || kind == "+":
			if last < 0 || kind == "-" && len(all[last].new) > 0 {
				return nil, fmt.Errorf("line %d: lines that go stand behind a file, and before those that come", i+1)
			}
			if kind == "-" {
				all[last].old = append(all[last].old, rest)
			} else {
				all[last].new = append(all[last].new, rest)
			}
		default:
			file, what, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("line %d: want a file, a colon and what breaks", i+1)
			}
			all = append(all, mutant{file: file, what: what})
		}
	}
	for _, m := range all {
		if len(m.old) == 0 || len(m.new) == 0 {
			return nil, fmt.Errorf("%s: %s: no lines go, or none come: a line that goes is replaced by an empty one", m.file, m.what)
		}
	}
	return all, nil
}

// apply returns the file with the mutant's lines changed. They must stand in it once.
func (m mutant) apply(source string) (string, error) {
	lines := strings.Split(source, "\n")
	at := -1
	for i := range lines {
		if i+len(m.old) > len(lines) || !slices.EqualFunc(lines[i:i+len(m.old)], m.old, func(line, old string) bool { return strings.TrimSpace(line) == old }) {
			continue
		}
		if at >= 0 {
			return "", fmt.Errorf("%s: %s: lines %d and %d are the same: name one more line", m.file, m.what, at+1, i+1)
		}
		at = i
	}
	if at < 0 {
		return "", fmt.Errorf("%s: %s: the file has no such lines", m.file, m.what)
	}
	return strings.Join(slices.Concat(lines[:at], m.new, lines[at+len(m.old):]), "\n"), nil
}

// overlay writes the changed file, and what tells the go command of it, into a directory.
func (m mutant) overlay(root, dir string) (name string, err error) {
	source := filepath.Join(root, filepath.FromSlash(m.file))
	text, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	changed, err := m.apply(string(text))
	if err != nil {
		return "", err
	}
	to, name := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(to, []byte(changed), 0o666); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: to}})
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, overlay, 0o666)
}
