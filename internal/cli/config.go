package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
)

// A configLine is a line "flag = value" of a configuration file.
type configLine struct {
	path        string
	number      int    // from 1
	section     string // the command it is for, or "" for all that have the flag
	flag, value string
}

// errorf returns an error that begins with the place of the line.
func (l configLine) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.path, l.number, fmt.Sprintf(format, args...))
}

// ConfigPath returns the name of the configuration file that the user has for a program, or "" if there
// is no home.
func ConfigPath(program string) string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // not given, or to be ignored by the XDG Base Directory Specification
		home, err := os.UserHomeDir()
		if err != nil || home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, program, "config")
}

// HasConfig reports whether there is a configuration file of this name, or whether that cannot be known.
func HasConfig(path string) bool {
	_, err := os.Lstat(path)
	return path != "" && !errors.Is(err, fs.ErrNotExist)
}

// maxConfig is the most bytes of a configuration file that are read.
const maxConfig = 1 << 20

// readConfig returns the lines of a configuration file that give values, none if there is no such
// file, or if it cannot be known: a process that runs for another user often has the home of the first.
func readConfig(path string) ([]configLine, error) {
	if path == "" {
		return nil, nil
	}
	data, err := disk.ReadNamed(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if _, unknown := os.Stat(path); errors.Is(unknown, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	return parseConfig(path, data)
}

// parseConfig reads the text of a configuration file. Lines are "flag = value", "[command]" or
// comments, which begin with #. A comment may follow a value behind a space. ~/ is the home directory
// at the beginning of a value. A value in double quotes is a string of Go.
func parseConfig(path string, data []byte) ([]configLine, error) {
	var out []configLine
	section, number := "", 0
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for text := range strings.Lines(string(data)) {
		number++
		line := configLine{path: path, number: number, section: section}
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(uncommented(text), "["); ok {
			name, ok = strings.CutSuffix(name, "]")
			if section = strings.TrimSpace(name); !ok || section == "" {
				return nil, line.errorf("want [COMMAND]")
			}
			line.section = section
			out = append(out, line) // without a flag, so that its name is checked
			continue
		}
		flag, value, ok := strings.Cut(text, "=")
		if line.flag = strings.TrimLeft(strings.TrimSpace(flag), "-"); !ok || line.flag == "" {
			return nil, line.errorf("want FLAG = VALUE, [COMMAND] or # and a comment")
		}
		if line.value = strings.TrimSpace(value); strings.HasPrefix(line.value, `"`) {
			quoted, err := strconv.QuotedPrefix(line.value)
			if rest := line.value[len(quoted):]; err != nil || uncommented(" "+rest) != "" {
				return nil, line.errorf("want one string in quotes, not %s", line.value)
			}
			line.value, _ = strconv.Unquote(quoted)
		} else {
			line.value = atHome(uncommented(" " + line.value))
		}
		out = append(out, line)
	}
	return out, nil
}

// atHome returns a value with the home directory in the place of a ~ before a slash.
func atHome(value string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return value
}

// uncommented returns text without a comment behind a space, and without spaces around it.
func uncommented(text string) string {
	for i := 1; i < len(text); i++ {
		if text[i] == '#' && (text[i-1] == ' ' || text[i-1] == '\t') {
			text = text[:i]
			break
		}
	}
	return strings.TrimSpace(text)
}

// configure checks all lines of the configuration file and gives the flags of command those defaults
// that are meant for it. It reads nothing if command is nil or one of p.Unconfigured, or if there is no file.
func (p *Program) configure(command *Command) error {
	if command == nil || slices.Contains(p.Unconfigured, command.Name) {
		return nil
	}
	lines, err := readConfig(p.Config)
	if err != nil {
		return err
	}
	// What is said of the command itself replaces what is said of all.
	values := map[AnyFlag][]configLine{}
	for _, line := range lines {
		meant, err := p.commandsOf(line)
		if err != nil {
			return err
		}
		if line.flag == "" || !slices.Contains(meant, command) {
			continue
		}
		f := findFlag(command, line.flag)
		same := values[f]
		if len(same) > 0 && same[0].section != line.section { // which stands above all sections
			same = nil
		}
		if len(same) > 0 && !f.described().Repeated {
			return line.errorf("%s has a value already, in line %d", line.flag, same[0].number)
		}
		values[f] = append(same, line)
	}
	for f, chosen := range values {
		if _, known := f.described().inEnvironment(); known {
			continue
		}
		for _, line := range chosen {
			if err := f.Set(line.value); err != nil {
				return line.errorf("%v", err)
			}
		}
		f.configure()
	}
	return nil
}

// commandsOf returns the commands that a line is meant for. It returns an error if there are none, or if their flag
// does not take the value.
func (p *Program) commandsOf(l configLine) (meant []*Command, err error) {
	all := p.Commands
	if l.section != "" {
		command := p.Command(l.section)
		if command == nil || slices.Contains(p.Unconfigured, l.section) {
			return nil, l.errorf("no command %q takes flags from here", l.section)
		}
		all = []*Command{command}
	}
	if l.flag == "" {
		return nil, nil
	}
	if slices.Contains(p.Momentary, l.flag) {
		return nil, l.errorf("--%s is given with each command, not here", l.flag)
	}
	var names []string
	for _, command := range all {
		for _, f := range command.Flags {
			names = append(names, f.Names()...)
		}
		f := findFlag(command, l.flag)
		if f == nil || l.section == "" && slices.Contains(p.OwnMeaning, command.Name+" --"+l.flag) {
			continue
		}
		if err := f.accepts(l.value); err != nil && len(meant) == 0 {
			return nil, l.errorf("%v", err)
		}
		meant = append(meant, command)
	}
	if len(meant) > 0 {
		return meant, nil
	}
	instead, near := p.Hints[l.flag], ints.Closest(l.flag, names)
	hint := cmp.Or(terminal.If(instead != "", "; %s", instead), terminal.If(near != "", "; did you mean %s?", near))
	if l.section != "" {
		return nil, l.errorf("%s has no flag --%s%s", l.section, l.flag, hint)
	}
	return nil, l.errorf("no command has a flag --%s%s", l.flag, hint)
}
