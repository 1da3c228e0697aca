package steps

import (
	"context"
	"fmt"
	"strconv"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
)

// Names are the names of the steps, in their order.
var Names = []string{"sketch", "plan", "scatter", "join", "components", "keep"}

// ReadsTexts reports whether a step reads the files of the collection.
func ReadsTexts(name string) bool { return name == "sketch" || name == "keep" }

// A Command is a step with its files.
type Command struct {
	Name   string
	In     []string // files of other steps
	Out    string
	Inputs []string // the collection
	// How says how files are read and what is near, where a step reads the collection. Of other steps, only Threads, Memory, FS
	// and Temp count.
	How         dedup.Options
	Part, Parts int
	// Bad, if not nil, is told of each file that keep cannot write as it should.
	Bad func(corpus.LeftOut)
}

// Run runs the step. It returns what there is to say of what it has done, or "": of a plan, the number of parts.
func (c *Command) Run(ctx context.Context) (told string, err error) {
	o := &c.How
	switch c.Name {
	case "sketch":
		return "", Sketch(ctx, c.Inputs, c.Out, *o)
	case "plan":
		parts, err := Plan(ctx, c.In, c.Out, PlanOptions{Parts: c.Parts, Memory: o.Memory, Threads: o.Threads, FS: o.FS})
		return strconv.Itoa(parts), err
	case "scatter":
		return "", Scatter(ctx, c.In, c.Out, ScatterOptions{Memory: o.Memory, Temp: o.Temp, FS: o.FS})
	case "join":
		return "", Join(ctx, c.In, c.Out, JoinOptions{Part: c.Part, Memory: o.Memory, Threads: o.Threads, Temp: o.Temp, FS: o.FS})
	case "components":
		how := ComponentsOptions{Threads: o.Threads, Memory: o.Memory, Temp: o.Temp, FS: o.FS, Progress: o.Progress, Phase: o.Phase}
		done, err := Components(ctx, c.In, c.Out, how)
		return fmt.Sprintf("%s of %s are removed", terminal.Thousands(done.Removed), terminal.Plural(done.Documents, "document")), err
	case "keep":
		_, err := Keep(ctx, c.In[0], c.Inputs, c.Out, *o, c.Bad)
		return "", err
	}
	return "", fmt.Errorf("no step is called %q", c.Name)
}
