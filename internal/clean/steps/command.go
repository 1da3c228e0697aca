package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
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
	// How says how files are read and what is near, where a step reads the collection. Of other steps, only Threads,
	// Memory, FS and Temp count, and of components Phase and Progress.
	How dedup.Options
	// Part is what join joins, from 1. Parts is into how many plan divides the sets at least, and more if the memory
	// asks for it; 0 is none if components can compare all, or one for each sketch.
	Part, Parts int
	// Bad, if not nil, is told of each file that keep cannot write as it should.
	Bad func(corpus.LeftOut)

	heavy, hold int // for tests: in place of leastHeavy; and the pairs of join in memory
}

// Run runs the step. It returns what there is to say of what it has done, or "": of a plan, the number of parts.
func (c *Command) Run(ctx context.Context) (told string, err error) {
	o := &c.How
	o.FS, o.Threads = cmp.Or(o.FS, disk.OS), max(1, o.Threads)
	if !ReadsTexts(c.Name) {
		o.Memory = spill.MemoryOr(o.Memory)
	} else if o.Share.Of == 0 {
		o.Share = corpus.Share{Number: 1, Of: 1}
	}
	switch c.Name {
	case "sketch":
		return "", c.sketch(ctx)
	case "plan":
		parts, err := c.plan(ctx)
		return strconv.Itoa(parts), err
	case "scatter":
		return "", c.scatter(ctx)
	case "join":
		return "", c.join(ctx)
	case "components":
		documents, removed, err := c.components(ctx)
		return fmt.Sprintf("%s of %s are removed", terminal.Thousands(removed), terminal.Plural(documents, "document")), err
	case "keep":
		return "", c.keep(ctx)
	}
	return "", fmt.Errorf("no step is called %q", c.Name)
}

// components reads the sketches of all shares and the pairs of all parts, decides as dedup does which documents are
// removed, and writes the lists removed.jsonl and clusters.jsonl to a directory, which it makes. Without pairs, or if
// they are too many to be listed, it compares all sets. Then it takes the memory of dedup. With pairs, it takes a few
// bits for a document that is kept in any case, and for the others some hundred bytes and what dedup takes for their
// sets.
func (c *Command) components(ctx context.Context) (documents, removed int, err error) {
	o := &c.How
	err = c.reading([]string{sketchKind, pairsKind}, func(all inputs) (err error) {
		list, err := all.sketches(readSketch)
		if err != nil {
			return err
		}
		how, parts := all[0].how(), all.of(pairsKind)
		how.Threads, how.Memory, how.Temp, how.FS, how.Phase, how.Progress = o.Threads, o.Memory, o.Temp, o.FS, o.Phase, o.Progress
		if err := parts.checkPairs(list); err != nil {
			return err
		}
		r := gatherNear(list, parts, &how)
		restored, err := dedup.Restore(r.Restored, how)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, restored.Close()) }()
		d, err := dedup.Decide(ctx, restored)
		if err != nil {
			return err
		}
		for doc := range r.Lengths {
			if d.KeptFor(doc).Document != doc {
				removed++
			}
		}
		for _, s := range list {
			documents += len(s.SetOf)
		}
		if _, err := disk.MkdirAll(o.FS, c.Out); err != nil {
			return err
		}
		to, err := o.FS.Root(c.Out, run.Readers(c.In))
		if err != nil {
			return err
		}
		return errors.Join(d.WriteLists(ctx, to), to.Close())
	})
	return documents, removed, err
}

// keep writes a share of the files of the inputs again without the documents of a list that components has written:
// to the directory kept of a directory, which it makes. The error is that of dedup.ReplayShare.
func (c *Command) keep(ctx context.Context) error {
	if err := run.Apart(c.Out, c.Inputs); err != nil {
		return err
	}
	if _, err := disk.MkdirAll(c.How.FS, c.Out); err != nil {
		return err
	}
	_, err := dedup.ReplayShare(ctx, c.In[0], c.Inputs, c.Out, c.How, c.Bad)
	return err
}
