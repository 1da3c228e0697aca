package commandline

import (
	"encoding"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"
)

// A Flag is a flag of a command, declared by As, and its value, which is checked when the command line is read. The zero
// value is a flag that the command does not have: its value is the zero value, and it is not given.
//
// Without By, a T is a string, a bool, an int, a uint64, a []string for a flag that may be repeated, or a type whose pointer
// is an encoding.TextUnmarshaler.
type Flag[T any] struct {
	Value T    // the default, until the flag is given or configured
	Given bool // on the command line or in the environment

	names      []string // without dashes; the first is the one that documents use
	usage      string   // with the word for the value in backquotes
	group      string
	standard   T
	told       string // of the default, "" if the default itself says enough
	variable   string // of the environment that gives the value, or ""
	parse      func(name, text string) (T, error)
	text       string // of Value
	configured bool
	failed     error // of the value given last
}

// As declares the flag by its name, without dashes, and its usage, which has the word for the value in backquotes.
func (f *Flag[T]) As(name, usage string) *Flag[T] {
	*f = Flag[T]{names: []string{name}, usage: usage}
	return f
}

// Or sets the default.
func (f *Flag[T]) Or(standard T) *Flag[T] {
	f.Value, f.standard = standard, standard
	return f
}

// Told sets what help says of the default.
func (f *Flag[T]) Told(told string) *Flag[T] {
	f.told = told
	return f
}

// In puts the flag into a group of help.
func (f *Flag[T]) In(group string) *Flag[T] {
	f.group = group
	return f
}

// Alias adds a name.
func (f *Flag[T]) Alias(name string) *Flag[T] {
	f.names = append(f.names, name)
	return f
}

// Env gives the value by a variable of the environment, too.
func (f *Flag[T]) Env(variable string) *Flag[T] {
	f.variable = variable
	return f
}

// By sets how a value is read from a text. The error is all that the user is told; it names the flag.
func (f *Flag[T]) By(parse func(name, text string) (T, error)) *Flag[T] {
	f.parse = parse
	return f
}

// Has reports whether the value is not the program's own default: it is from the command line, the environment or the
// configuration file. Where flags exclude each other, or are compared with what an index has, Given counts instead: what
// the configuration file says is no more than a default there.
func (f *Flag[T]) Has() bool { return f.Given || f.configured }

// Configured reports whether the value is from the configuration file.
func (f *Flag[T]) Configured() bool { return f.configured && !f.Given }

// ignore forgets a value from the configuration file.
func (f *Flag[T]) ignore() {
	if f.Configured() {
		f.Value, f.text = f.standard, ""
	}
	f.configured = false
}

// configure sets the values that a configuration file has.
func (f *Flag[T]) configure(texts []string) error {
	for _, text := range texts {
		if err := f.Set(text); err != nil {
			return err
		}
	}
	f.Given, f.configured = false, true
	return nil
}

// Set sets the value. It is a method of flag.Value.
func (f *Flag[T]) Set(text string) (err error) {
	if !f.Given {
		f.Value, f.text = f.standard, ""
	}
	f.Given = true
	value, err := f.read(text)
	if err != nil {
		return err
	}
	if one, ok := any(value).([]string); ok {
		value, _ = any(slices.Concat(any(f.Value).([]string), one)).(T)
	}
	f.Value, f.text = value, text
	return nil
}

// read returns the value that a text stands for. Errors of what is no number, or neither true nor false, are those of
// package flag, which names the flag.
func (f *Flag[T]) read(text string) (value T, err error) {
	if f.failed = nil; f.parse != nil {
		value, err = f.parse(f.names[0], text)
		if bad := (*strconv.NumError)(nil); !errors.As(err, &bad) {
			f.failed = err
			return value, err
		}
	}
	switch v := any(&value).(type) {
	case *string:
		*v = text
	case *[]string:
		*v = []string{text}
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *int:
		var n int64
		n, err = strconv.ParseInt(text, 0, strconv.IntSize)
		*v = int(n)
	case *uint64:
		*v, err = strconv.ParseUint(text, 0, 64)
	case encoding.TextUnmarshaler:
		if f.failed = v.UnmarshalText([]byte(text)); f.failed != nil {
			f.failed = fmt.Errorf("--%s: %w", f.names[0], f.failed)
		}
		return value, f.failed
	}
	if errors.Is(err, strconv.ErrRange) {
		return value, errors.New("value out of range")
	}
	if err != nil {
		return value, errors.New("parse error")
	}
	return value, nil
}

// String returns the text of a value that is given. It is a method of flag.Value.
func (f *Flag[T]) String() string { return f.text }

// IsBoolFlag reports whether the flag takes no value. It is a method that package flag looks for.
func (f *Flag[T]) IsBoolFlag() bool {
	_, is := any(&f.Value).(*bool)
	return is
}

// Names returns the names. It is a method of cli.Flag.
func (f *Flag[T]) Names() []string { return f.names }

// IsSet is a method of cli.Flag.
func (f *Flag[T]) IsSet() bool { return f.Given }

// Apply adds the flag to set. It is a method of cli.Flag.
func (f *Flag[T]) Apply(set *flag.FlagSet) error {
	if f.inEnvironment() {
		if err := f.Set(os.Getenv(f.variable)); err != nil {
			return err
		}
	}
	for _, name := range f.names {
		set.Var(f, name, f.usage)
	}
	return nil
}

// described returns what help, completion and the manual page say of the flag.
func (f *Flag[T]) described() Option {
	o := Option{Names: f.names, Usage: f.usage, Group: f.group}
	if f.variable != "" {
		o.Env = []string{f.variable}
	}
	switch standard := any(f.standard).(type) {
	case bool:
		return o
	case []string:
		o.Repeated = true
	case int:
		if standard != 0 {
			o.Default = strconv.Itoa(standard)
		}
	case string:
		o.Default = standard
	case fmt.Stringer:
		o.Default = standard.String()
	}
	if o.Value = "VALUE"; f.told != "" {
		o.Default = f.told
	}
	return o
}

func (f *Flag[T]) failure() error { return f.failed }

// inEnvironment reports whether a variable gives the value.
func (f *Flag[T]) inEnvironment() bool {
	_, ok := os.LookupEnv(f.variable)
	return ok && f.variable != ""
}

// accepts returns an error if the flag does not take a value.
func (f *Flag[T]) accepts(text string) error {
	_, err := f.read(text)
	return err
}

// join puts the flag into a group if it has none.
func (f *Flag[T]) join(group string) {
	if f.group == "" {
		f.group = group
	}
}

// again returns the arguments that give the flag as it is given.
func (f *Flag[T]) again() (words []string) {
	if !f.Given {
		return nil
	}
	switch v := any(f.Value).(type) {
	case bool:
		if v {
			words = []string{"--" + f.names[0]}
		}
	case []string:
		for _, text := range v {
			words = append(words, "--"+f.names[0], text)
		}
	default:
		words = []string{"--" + f.names[0], f.text}
	}
	return words
}

// An AnyFlag is a Flag of any type of values.
type AnyFlag interface {
	cli.Flag
	Has() bool
	described() Option
	configure([]string) error
	ignore()
	failure() error
	accepts(text string) error
	inEnvironment() bool
	join(group string)
	again() []string
}

// Put stores the value of a flag that has one which is not the program's own default.
func Put[T any](f *Flag[T], into *T) {
	if f.Has() {
		*into = f.Value
	}
}

// Ignore lets flags have the default of the program if only the configuration file gives them.
func Ignore(flags ...cli.Flag) {
	for _, f := range flags {
		f.(AnyFlag).ignore()
	}
}

// FirstGiven returns the name of the first flag that is given, or "".
func FirstGiven(flags ...cli.Flag) string {
	if i := slices.IndexFunc(flags, cli.Flag.IsSet); i >= 0 {
		return flags[i].Names()[0]
	}
	return ""
}
