package main

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/eval"
	"simsearch/preprocess"
)

// Groups of flags, in the order in which help shows them.
const (
	searchedGroup = "What is searched"
	settingsGroup = "Settings"
	inputGroup    = "Input"
	outputGroup   = "Output and resources"
)

var groups = []string{searchedGroup, settingsGroup, inputGroup, outputGroup}

// inGroup puts the flags that have no group yet into group, and returns them.
func inGroup(group string, flags []cli.Flag) []cli.Flag {
	for _, f := range flags {
		if c, ok := f.(cli.CategorizableFlag); ok && c.GetCategory() == "" {
			reflect.ValueOf(f).Elem().FieldByName("Category").SetString(group)
		}
	}
	return flags
}

// essential are the flags that the short help shows. A name means the same in all commands.
var essential = []string{
	"index", "text", "id", "k", "jaccard", "nearest", "containment", "limit", "groups", "new", "matched",
	"preset", "mode", "lang",
	"format", "text-field", "id-field", "files-from", "sync",
	"json", "memory", "threads", "quiet",
	"as", "top", "truth", "recommend", "out",
}

// An option is what help, completions and the manual page say of a flag.
type option struct {
	names    []string // without dashes; the first is the one that documents use
	value    string   // a word for the value, "" if there is none
	usage    string
	standard string // the default, "" if there is none
	env      []string
	group    string
	values   []string // all values, if there are few
	repeated bool     // may be given several times
}

// options returns the options of a command in the order of groups, --help last.
func options(c *cli.Command) []option {
	var out []option
	for _, f := range c.Flags {
		d, ok := f.(cli.DocGenerationFlag)
		if v, visible := f.(cli.VisibleFlag); !ok || visible && !v.IsVisible() {
			continue
		}
		o := option{names: f.Names(), usage: d.GetUsage(), env: d.GetEnvVars(), group: searchedGroup}
		if g, ok := f.(cli.CategorizableFlag); ok && g.GetCategory() != "" {
			o.group = g.GetCategory()
		}
		if s, ok := f.(cli.DocGenerationSliceFlag); ok {
			o.repeated = s.IsSliceFlag()
		}
		if d.TakesValue() {
			o.value = "VALUE"
			if word := placeholder.FindStringSubmatch(o.usage); word != nil {
				o.value = word[1]
			}
			o.standard = strings.Trim(d.GetDefaultText(), `"`)
			o.values = valuesOf(o)
		}
		o.usage = strings.ReplaceAll(o.usage, "`", "")
		out = append(out, o)
	}
	slices.SortStableFunc(out, func(a, b option) int { return slices.Index(groups, a.group) - slices.Index(groups, b.group) })
	return append(out, option{names: []string{"help", "h"}, usage: "show all of this; -h shows the flags needed most", group: outputGroup})
}

// placeholder finds the word for the value in the usage of a flag.
var placeholder = regexp.MustCompile("`([^`]+)`")

// valuesOf returns the values of an option with few of them. Its usage lists them behind a colon, as in
// "MODE of progress: auto (as it suits), bar or none".
func valuesOf(o option) []string {
	switch o.names[0] {
	case "lang":
		return append([]string{"none", "auto"}, preprocess.Languages()...)
	case "experiment":
		names := []string{"all"}
		for _, e := range eval.Experiments() {
			names = append(names, e.Name)
		}
		return names
	}
	_, list, ok := strings.Cut(asides.ReplaceAllString(o.usage, ""), ": ")
	if !ok {
		return nil
	}
	list, _, _ = strings.Cut(list, ";")
	items := separators.Split(list, -1)
	for i, item := range items {
		if !oneWord.MatchString(item) {
			return nil
		}
		items[i] = strings.Replace(item, ":N", ":3", 1) // an example of a number
	}
	if len(items) < 2 {
		return nil
	}
	return items
}

var (
	asides     = regexp.MustCompile(` *\([^)]*\)`)
	separators = regexp.MustCompile(`, or |, | or `)
	oneWord    = regexp.MustCompile(`^[a-z0-9-]+(:N)?$`)
)

// spelled returns the names of an option with dashes and the word for its value. A letter is spelled
// in both ways that are accepted.
func (o option) spelled() string {
	var forms []string
	for _, name := range o.names {
		if len(name) == 1 {
			forms = append(forms, "-"+name)
		}
	}
	for _, name := range o.names {
		if len(name) > 1 || o.value != "" {
			forms = append(forms, "--"+name)
		}
	}
	s := strings.Join(forms, ", ")
	if o.value != "" {
		s += " " + o.value
	}
	return s
}

// about returns the usage with the default and the variable of the environment.
func (o option) about() string {
	s := o.usage
	if o.standard != "" {
		s += " (default: " + o.standard + ")"
	}
	for _, name := range o.env {
		s += " [$" + name + "]"
	}
	return s
}
