package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/objects"
)

// Mistakes are what flags may say together and should not.
type Mistakes []struct {
	Made bool
	Told string
}

// First returns an error that tells of the first mistake that is made.
func (m Mistakes) First() error {
	for _, one := range m {
		if one.Made {
			return errors.New(one.Told)
		}
	}
	return nil
}

// What the library says of flags.
const (
	undefinedFlag = "flag provided but not defined: "
	twoForms      = "Cannot use two forms of the same flag: "
)

// usageError turns the library's message about bad flags, of a command or of the program itself, into one line.
func (p *Program) usageError(c *Command, err error) error {
	flag, undefined := strings.CutPrefix(err.Error(), undefinedFlag)
	flag = strings.TrimLeft(flag, "-")
	switch {
	case c == nil && undefined: // flags of commands stand behind these
		return fmt.Errorf("no flag --%s; %s COMMAND --help describes the flags of a command", flag, p.Name)
	case c == nil:
		return fmt.Errorf("%s: %w; see %[1]s --help", p.Name, err)
	}
	for _, f := range c.Flags {
		if failed := f.failure(); failed != nil {
			return p.meant(f, failed, err.Error())
		}
	}
	if undefined {
		return fmt.Errorf("%s: no flag --%s; %s", c.Name, flag, p.hintFor(c, flag))
	}
	var one, other string
	if n, _ := fmt.Sscanf(err.Error(), twoForms+"%s %s", &one, &other); n == 2 {
		return fmt.Errorf("%s: --%s and --%s are one flag: give one of them", c.Name, one, other)
	}
	return fmt.Errorf("%s: %w; see %s %[1]s --help", c.Name, err, p.Name)
}

// meant adds the value to the error of a flag, of which invalid tells with its text, that may have been meant.
func (p *Program) meant(f AnyFlag, failed error, invalid string) error {
	var text string
	_, _ = fmt.Sscanf(invalid, "invalid value %q", &text) // of package flag; values of the environment have none
	values := p.valuesOf(*f.described())
	for i := range values {
		values[i], _, _ = strings.Cut(values[i], ":") // which an example or a name stands behind
	}
	for one := range strings.SplitSeq(text, ",") {
		word, _, _ := strings.Cut(one, ":")
		if near := ints.Closest(word, values); near != "" && near != word {
			return fmt.Errorf("%w; did you mean %s%s?", failed, near, one[len(word):])
		}
	}
	return failed
}

// hintFor returns a hint about the flag of command that may have been meant.
func (p *Program) hintFor(command *Command, flag string) string {
	var names []string
	for _, o := range p.Options(command) {
		names = append(names, o.Names...)
	}
	hint := p.Hints[flag]
	if instead, ok := strings.CutPrefix(hint, "--"); ok && !slices.Contains(names, strings.Fields(instead)[0]) {
		hint = "" // it is for the commands that have the other flag
	}
	if hint = cmp.Or(p.Hints[command.Name+" --"+flag], hint); hint != "" {
		return hint
	}
	if near := ints.Closest(flag, names); near != "" {
		return fmt.Sprintf("did you mean --%s?", near)
	}
	return fmt.Sprintf("%s %s --help describes its flags", p.Name, command.Name)
}

// checkStores returns an error if objects of a store are given where only files of this machine can be.
func (c *Flags) checkStores() error {
	object := func(names []string) string { // the first one
		return append(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !objects.Is(name) }), "")[0]
	}
	name, index, out, from, boilerplate, input := c.Command.Name, c.Index.Value, c.Out.Value, c.From.Value, object(c.Boilerplate.Value), object(c.Args)
	return Mistakes{
		{objects.Is(index), fmt.Sprintf("--index %s: an index is in a directory of this machine; inputs, and results of dedup, may be in a store", index)},
		{objects.Is(out) && name != "dedup", fmt.Sprintf("--out %s: %s writes to a directory of this machine; only dedup writes to a store", out, name)},
		{objects.Is(from), fmt.Sprintf("--from %s: want what is on this machine: fetch it from the store first", from)},
		{boilerplate != "" && name == "dedup", fmt.Sprintf("--boilerplate %s: want a file of this machine: fetch it from the store first", boilerplate)},
		{input != "" && name == "watch", input + ": watch looks at folders of this machine; index adds what has come to a store"},
	}.First()
}
