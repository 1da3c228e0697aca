package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simsearch/internal/cli"
)

// The manual page is rendered without a complaint, and shows every command and flag, but those of inputs once.
func TestManPage(t *testing.T) {
	program := newProgram(&environment{stderr: io.Discard}, "")
	page := program.ManPage()
	file := filepath.Join(t.TempDir(), "simsearch.1")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	var render *exec.Cmd
	if renderer, err := exec.LookPath("groff"); err == nil {
		render = exec.Command(renderer, "-Kutf8", "-man", "-Tutf8", "-ww", "-P-cbou", file)
	} else if renderer, err := exec.LookPath("mandoc"); err == nil {
		render = exec.Command(renderer, "-Tutf8", file)
	} else {
		t.Skip("neither groff nor mandoc is installed")
	}
	var complaints strings.Builder
	render.Stderr = &complaints
	out, err := render.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	struck := regexp.MustCompile(".\b") // bold and underlined letters are typed twice
	text := struck.ReplaceAllString(string(out), "")
	_, commands, ok := strings.Cut(text, "\nCOMMANDS")
	commands, inputs, found := strings.Cut(commands, "\nINPUT\n")
	if !ok || !found {
		t.Fatalf("no commands, or no inputs:\n%s", text)
	}
	for _, c := range program.Commands {
		_, of, ok := strings.Cut(commands, "\n   "+strings.TrimSpace("simsearch "+c.Name))
		if !ok {
			t.Errorf("%s is not on the page", c.Name)
			continue
		}
		of, _, _ = strings.Cut(of, "\n   simsearch ")
		for _, o := range program.Options(c) {
			if o.Group == cli.InputGroup {
				if named := strings.NewReplacer(";", ",", "\n", " ").Replace(of); !strings.Contains(named, " --"+o.Names[0]+",") || !strings.Contains(inputs, "\n         "+o.Spelled()) {
					t.Errorf("%s does not name --%s, or no inputs describe it", c.Name, o.Names[0])
				}
				continue
			}
			if !strings.Contains(of, "\n         "+o.Spelled()) {
				t.Errorf("%s %s is not on the page", c.Name, o.Spelled())
			}
		}
		for line := range strings.Lines(c.Description) {
			if strings.HasPrefix(line, "   simsearch ") && !strings.Contains(of, strings.TrimSpace(line)) {
				t.Errorf("%s: the example %q has changed on the page", c.Name, line)
			}
		}
	}
}
