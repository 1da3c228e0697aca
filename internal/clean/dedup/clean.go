package dedup

import (
	"bytes"
	"fmt"

	"simsearch/internal/clean/warnings"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
)

// findBoilerplate finds the sets that add only boilerplate to another one that is near, if that matters for what is
// kept, and near pairs are few. If they are many, those of two sets in crowds are not listed. To find them for this
// alone would take another join, for the groups that all pairs make, and as many pairs as the crowds have. A run that
// has only the sets that are near others finds the same.
func findBoilerplate(d *Decisions) (err error) {
	c := d.c
	if d.sets == nil || c.Ends != nil || !d.grouper.Few() || !c.Options.Keep.Way.isLongest() {
		return nil
	}
	lengths := make([]uint32, len(c.Sizes))
	for doc, set := range c.SetOf {
		if set != NoSet {
			lengths[set] = max(lengths[set], c.Lengths[doc])
		}
	}
	d.boilerplate, err = warnings.AddBoilerplate(d.sets, c.Sizes, lengths, d.grouper.EachPair)
	return err
}

// ownBytes returns how much of a text is its own: neither lines that are quoted by > nor the line that introduces
// them, nor a signature behind two hyphens, nor a mail that is passed on, which begins with a line between hyphens
// and fields.
func ownBytes(text []byte) (n int) {
	blank, introduces := 0, 0 // bytes of the last lines, if they are blank, and of the one before if it ends with a colon
	for line := range bytes.Lines(text) {
		text = text[len(line):]
		said := bytes.TrimSpace(line)
		switch {
		case len(said) == 0:
			blank += len(line)
			continue
		case string(said) == "--" && bytes.Count(text, []byte("\n")) <= mostSigned, passedOn(said, text):
			return n
		case said[0] == '>':
			n, blank, introduces = n-introduces, 0, 0
			continue
		}
		n, blank, introduces = n+blank+len(line), 0, 0
		if said[len(said)-1] == ':' {
			introduces = len(line)
		}
	}
	return n + blank
}

// mostSigned is how many lines a signature has at most.
const mostSigned = 10

// passedOn reports whether a line that rest follows begins a mail that is passed on.
func passedOn(line, rest []byte) bool {
	const hyphens = "----"
	if !bytes.HasPrefix(line, []byte(hyphens)) || !bytes.HasSuffix(line, []byte(hyphens)) || len(bytes.Trim(line, "-")) == 0 {
		return false
	}
	field, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte("\n"))
	name, _, ok := bytes.Cut(field, []byte(":"))
	return ok && len(name) < 16 && !bytes.ContainsAny(name, " .")
}

// adds reports whether a document adds only boilerplate to one that is near.
func adds(d *Decisions, doc uint32) bool {
	set := d.c.SetOf[doc]
	return set != NoSet && d.boilerplate != nil && d.boilerplate[set]
}

// leastTold is how many documents that add only boilerplate are told of.
const leastTold = 3

// boilerplateWarning says how many documents are kept that add only boilerplate to one that is removed for them, or
// returns "".
func boilerplateWarning(d *Decisions) string {
	if d.c.Options.Keep.Way != Longest {
		return ""
	}
	kept := map[uint32]bool{}
	for _, unit := range d.kept {
		if adds(d, unit) {
			kept[unit] = true
		}
	}
	if len(kept) < leastTold {
		return ""
	}
	return fmt.Sprintf("%s that %s kept %s only what many texts have to one that is near, such as a notice at the end: look at some, or give keep cleanest.",
		terminal.Plural(len(kept), "document"), report.Verb(len(kept), "is", "are"), report.Verb(len(kept), "adds", "add"))
}
