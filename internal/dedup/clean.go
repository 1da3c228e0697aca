package dedup

import (
	"fmt"

	"simsearch/internal/collected"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// judge finds the sets that add only boilerplate to another one that is near, if that matters for what is kept, and near pairs are
// few. If they are many, those of two sets in crowds are not listed. To find them for this alone would take another join, for the groups
// that all pairs make, and as many pairs as the crowds have. A run that has only the sets that are near others finds the same.
func judge(d *Decisions) (err error) {
	similar, ofSets := d.coded.(*similarSets)
	if ofSets && d.c.Ends == nil && d.grouper.Few() && d.c.Options.Keep.Way.IsLongest() {
		d.boilerplate, err = collected.AddBoilerplate(d.c.Collection, similar.Sets.Sets, d.set, d.grouper.EachPair)
	}
	return err
}

// adds reports whether a document adds only boilerplate to one that is near.
func adds(d *Decisions, doc uint32) bool {
	set := d.c.SetOf[doc]
	return set != collected.NoSet && d.boilerplate != nil && d.boilerplate[set]
}

// leastTold is how many documents that add only boilerplate are told of.
const leastTold = 3

// boilerplateWarning says how many documents are kept that add only boilerplate to one that is removed for them, or returns "".
func boilerplateWarning(d *Decisions) string {
	if d.c.Options.Keep.Way != collected.Longest {
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
