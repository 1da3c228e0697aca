package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every flag that may stand in a configuration file works there, in each command that has it.
func TestEveryFlagIsConfigurable(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	values := map[string]string{
		"bands": "20x5", "by": "line", "by-field": "folder", "every": "1s", "features": "words", "keep": "longest", "where": "a=b", "want": "recall=0.9", "without": "nothing", "memory": "1GB", "passage-words": "50", "test-format": "lines", "preset": "classic", "spare": "numbers",
	}
	described := newProgram(testEnvironment(nil), "")
	for _, c := range described.Commands {
		if slices.Contains(described.Unconfigured, c.Name) {
			continue
		}
		for _, o := range described.Options(c) {
			if slices.Contains(described.Momentary, o.Names[0]) {
				continue
			}
			value := "1"
			switch {
			case o.Value == "":
				value = "true"
			case len(o.Values) > 0:
				value = o.Values[0]
			case values[o.Names[0]] != "":
				value = values[o.Names[0]]
			}
			if err := os.WriteFile(config, []byte("["+c.Name+"]\n"+o.Names[0]+" = "+value+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			program := newProgram(testEnvironment(nil), "")
			program.Config = config
			command := program.Command(c.Name)
			command.Do = func(context.Context, []string) error { return nil }
			if err := program.Run(t.Context(), []string{"simsearch", c.Name}); err != nil {
				t.Error(err)
				continue
			}
			for _, f := range command.Flags {
				if f.Names()[0] == o.Names[0] && !f.Has() {
					t.Errorf("%s: --%s is not configured", c.Name, o.Names[0])
				}
			}
		}
	}
	if err := os.WriteFile(config, []byte(strings.Repeat("quiet = true\n", 2)), 0o666); err != nil {
		t.Fatal(err)
	}
	program := newProgram(testEnvironment(nil), "")
	program.Config = config
	if err := program.Run(t.Context(), []string{"simsearch", "info"}); err == nil || err.Error() != config+":2: quiet has a value already, in line 1" {
		t.Error(err)
	}
}
