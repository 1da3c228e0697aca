package cli

import (
	"cmp"
	"encoding"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"
)

// A Flag is a flag of a command, declared by As, and its value, which is checked when the command line is read. The
// zero value is a flag that the command does not have: its value is the zero value, and it is not given.
//
// Without By, a T is a string, a bool, an int, a uint64, a []string for a flag that may be repeated, or a type whose
// pointer is an encoding.TextUnmarshaler.
type Flag[T any] struct {
	Value T    // the default, until the flag is given or configured
	Given bool // on the command line or in the environment

	about      Option // its usage has the word for the value in backquotes
	standard   T
	parse      func(text string) (T, error)
	text       string // of Value
	once       bool
	typed      bool   // on the command line
	spelling   string // the name by which it is typed; "" for the first one
	configured bool
	failed     error // of the value given last
}

// As declares the flag by its name, without dashes, and its usage, which has the word for the value in backquotes.
func (f *Flag[T]) As(name, usage string) *Flag[T] {
	*f = Flag[T]{about: Option{Names: []string{name}, Usage: usage, Value: "VALUE"}}
	switch any(f.Value).(type) {
	case bool:
		f.about.Value = ""
	case []string:
		f.about.Repeated = true
	}
	return f
}

// Or sets the default, which help tells if it is a word or a number.
func (f *Flag[T]) Or(standard T) *Flag[T] {
	f.Value, f.standard = standard, standard
	switch any(standard).(type) {
	case string, int, float64, fmt.Stringer:
		f.about.Default = fmt.Sprint(standard)
	}
	return f
}

// Told sets what help says of the default.
func (f *Flag[T]) Told(told string) *Flag[T] {
	f.about.Default = told
	return f
}

// In puts the flag into a group of help.
func (f *Flag[T]) In(group string) *Flag[T] {
	f.about.Group = group
	return f
}

// Alias adds names.
func (f *Flag[T]) Alias(names ...string) *Flag[T] {
	f.about.Names = append(f.about.Names, names...)
	return f
}

// Env gives the value by a variable of the environment, too.
func (f *Flag[T]) Env(variable string) *Flag[T] {
	f.about.Env = variable
	return f
}

// Once makes it an error to give the flag twice, with different values. Of other flags the last one counts.
func (f *Flag[T]) Once() *Flag[T] {
	f.once = true
	return f
}

// By sets how a value is read from a text. What the error says stands behind the name of the flag.
func (f *Flag[T]) By(parse func(text string) (T, error)) *Flag[T] {
	f.parse = parse
	return f
}

// Has reports whether the value is not the program's own default: it is from the command line, the environment or the
// configuration file. Where flags exclude each other, or are compared with what an index has, Given counts instead:
// what the configuration file says is no more than a default there.
func (f *Flag[T]) Has() bool { return f.Given || f.configured }

// isConfigured reports whether the value is from the configuration file.
func (f *Flag[T]) isConfigured() bool { return f.configured && !f.Given }

// ignore forgets a value from the configuration file.
func (f *Flag[T]) ignore() {
	if f.isConfigured() {
		f.Value, f.text = f.standard, ""
	}
	f.configured = false
}

// configure makes the values that are set those of the configuration file.
func (f *Flag[T]) configure() { f.Given, f.typed, f.configured = false, false, true }

// Set sets the value. It is a method of flag.Value.
func (f *Flag[T]) Set(text string) error {
	value, err := f.read(text)
	if err == nil && f.once && f.typed && text != f.text {
		err = fmt.Errorf("--%s is given twice, with %s and with %s: want one", f.name(), f.text, text)
	}
	if f.failed = err; err != nil {
		return err
	}
	if one, ok := any(value).([]string); ok && f.Given {
		value, _ = any(slices.Concat(any(f.Value).([]string), one)).(T)
	}
	f.Value, f.text, f.Given, f.typed = value, text, true, true
	return nil
}

// accepts returns an error if the flag does not take a value.
func (f *Flag[T]) accepts(text string) error {
	_, err := f.read(text)
	return err
}

// An unfit is the error of a text that stands for no value of a flag. It stands behind the flag with that text.
type unfit string

func (u unfit) Error() string { return string(u) }

// read returns the value that a text stands for.
func (f *Flag[T]) read(text string) (value T, err error) {
	value, err = f.parsed(text)
	switch {
	case errors.As(err, new(unfit)):
		err = fmt.Errorf("--%s %s: %w", f.name(), text, err)
	case err != nil:
		err = fmt.Errorf("--%s: %w", f.name(), err)
	}
	return value, err
}

func (f *Flag[T]) parsed(text string) (value T, err error) {
	if f.parse != nil {
		return f.parse(text)
	}
	wanted := "a whole number"
	switch v := any(&value).(type) {
	case *string:
		*v = text
	case *[]string:
		*v = []string{text}
	case *bool:
		*v, err = strconv.ParseBool(text)
		wanted = "true or false"
	case *int:
		*v, err = strconv.Atoi(text)
	case *uint64:
		*v, err = strconv.ParseUint(text, 0, 64)
		wanted = "a whole number, 0 or more"
	case encoding.TextUnmarshaler:
		return value, v.UnmarshalText([]byte(text))
	}
	if err != nil {
		err = unfit("want " + wanted)
	}
	return value, err
}

// String returns the text of a value that is given. It is a method of flag.Value.
func (f *Flag[T]) String() string { return f.text }

// IsBoolFlag reports whether the flag takes no value. It is a method that package flag looks for.
func (f *Flag[T]) IsBoolFlag() bool { return f.about.Value == "" }

// Names returns the names. It is a method of urfave.Flag.
func (f *Flag[T]) Names() []string { return f.about.Names }

// IsSet is a method of urfave.Flag.
func (f *Flag[T]) IsSet() bool { return f.Given }

// Apply adds the flag to set. It is a method of urfave.Flag.
func (f *Flag[T]) Apply(set *flag.FlagSet) error {
	if value, ok := f.about.inEnvironment(); ok {
		if err := f.Set(value); err != nil {
			return err
		}
		f.typed = false
	}
	for _, name := range f.about.Names {
		set.Var(spelled[T]{f, name}, name, f.about.Usage)
	}
	return nil
}

// spelled is a flag by one of its names.
type spelled[T any] struct {
	*Flag[T]
	as string
}

// Set is a method of flag.Value.
func (s spelled[T]) Set(text string) error {
	s.spelling = cmp.Or(s.spelling, s.as)
	return s.Flag.Set(text)
}

// name returns the name that the user knows the flag by, for messages.
func (f *Flag[T]) name() string { return cmp.Or(f.spelling, f.about.Names[0]) }

func (f *Flag[T]) described() *Option { return &f.about }

func (f *Flag[T]) failure() error { return f.failed }

// inEnvironment returns the value that the variable gives, if it does.
func (o *Option) inEnvironment() (value string, ok bool) { return os.LookupEnv(o.Env) }

// again returns the arguments that give the flag as it is given.
func (f *Flag[T]) again() (words []string) {
	if !f.Given {
		return nil
	}
	switch v := any(f.Value).(type) {
	case bool:
		if v {
			words = []string{"--" + f.about.Names[0]}
		}
	case []string:
		for _, text := range v {
			words = append(words, "--"+f.about.Names[0], text)
		}
	default:
		words = []string{"--" + f.about.Names[0], f.text}
	}
	return words
}

// An AnyFlag is a Flag of any type of values.
type AnyFlag interface {
	urfave.Flag
	Has() bool
	described() *Option // what help, completion and the manual page say of the flag
	Set(text string) error
	configure()
	ignore()
	name() string
	failure() error
	accepts(text string) error
	again() []string
}

// Put stores the value of a flag that has one which is not the program's own default.
func Put[T any](f *Flag[T], into *T) {
	if f.Has() {
		*into = f.Value
	}
}

// Ignore lets flags have the default of the program if only the configuration file gives them.
func Ignore(flags ...AnyFlag) {
	for _, f := range flags {
		f.ignore()
	}
}

// FirstGiven returns the name of the first flag that is given, or "".
func FirstGiven(flags ...AnyFlag) string {
	if i := slices.IndexFunc(flags, AnyFlag.IsSet); i >= 0 {
		return flags[i].name()
	}
	return ""
}

// Number returns a function for Flag.By that reads numbers for which ok is true. wanted tells the user which these are.
func Number(wanted string, ok func(float64) bool) func(text string) (float64, error) {
	return only(wanted, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }, ok)
}

// only returns a function for Flag.By that reads values for which ok is true. wanted tells the user which these are.
func only[T any](wanted string, parse func(string) (T, error), ok func(T) bool) func(text string) (T, error) {
	return func(text string) (value T, err error) {
		if value, err = parse(text); err != nil || !ok(value) {
			err = unfit("want " + wanted)
		}
		return value, err
	}
}

// Share reads a number in (0, 1], for Flag.By.
var Share = Number("a number more than 0 and at most 1", isShare)

func isShare(x float64) bool { return x > 0 && x <= 1 }

// Count returns a function for Flag.By that reads a number of things, 1 or more.
func Count(things string) func(text string) (int, error) {
	return Whole("a whole number of "+things+", 1 or more", 1, math.MaxInt)
}

// Whole returns a function for Flag.By that reads whole numbers from least to most. wanted tells the user which these
// are.
func Whole(wanted string, least, most int) func(text string) (int, error) {
	return only(wanted, strconv.Atoi, func(n int) bool { return least <= n && n <= most })
}

// AtLeast returns a function for Flag.By that reads whole numbers of least or more. wanted tells the user which these
// are.
func AtLeast(least int, wanted string) func(text string) (int, error) {
	return Whole(wanted, least, math.MaxInt)
}

// OneOf returns a function for Flag.By that reads one of some words.
func OneOf(wanted string, words ...string) func(text string) (string, error) {
	same := func(text string) (string, error) { return text, nil }
	return only(wanted, same, func(text string) bool { return slices.Contains(words, text) })
}

// parseSize returns the number of bytes that a flag gives as s, such as 800MB, 2GiB or 1000000.
func parseSize(s string) (int64, error) {
	number := strings.TrimRight(s, "BbKkMmGgTtIi ")
	unit := strings.ToLower(strings.TrimSpace(s[len(number):]))
	factors := map[string]float64{
		"": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1 << 10, "m": 1e6, "mb": 1e6, "mib": 1 << 20,
		"g": 1e9, "gb": 1e9, "gib": 1 << 30, "t": 1e12, "tb": 1e12, "tib": 1 << 40,
	}
	x, err := strconv.ParseFloat(number, 64)
	factor, ok := factors[unit]
	if err != nil || !ok || !(x*factor >= 1) || x*factor >= math.MaxInt64 {
		return 0, unfit("want a number of bytes with a unit, such as 800MB or 2GiB")
	}
	return int64(x * factor), nil
}
