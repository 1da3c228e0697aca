package dedup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"simsearch/internal/analysis"
	"simsearch/internal/collected"
	"simsearch/internal/terminal"
)

// Glue is the features that hold a suspicious group together: those that many of its documents have, and few others.
// Such a group is giant, or a chain: near documents connect it, and some have hardly anything of the one that is kept.
//
// Sets are lists of hashes. So the texts of a few documents that have these features are analysed again, when they are
// read for being written, to find what the features are called.
type glue struct {
	c      *output
	groups []*gluedGroup
	more   int                // groups that are suspicious, too
	names  map[uint64]string  // of the features of all groups, and of examples of what is left out; "" until a text has it
	texts  map[uint32]bool    // documents that have them
	a      *analysis.Analysis // of these
	memory analysis.Scratch
}

// A gluedGroup is a suspicious group.
type gluedGroup struct {
	cluster
	least    float64            // the smallest similarity of a document to the one that is kept
	sets     int                // distinct ones
	counted  map[uint64]*common // features of some of these, and then those that are looked for in others
	samples  int                // sets of which the features are counted
	used     int                // these features
	others   int                // sets of no or of another group in which they are looked for
	features []uint64           // at most mostGlue
}

const (
	mostGlued  = 10      // groups whose glue is looked for
	mostGlue   = 10      // features of one of them
	toldGlued  = 3       // groups that warnings name
	giant      = 1000    // documents of a suspicious group
	chained    = 0.5     // of the threshold: the smallest similarity of a chain is below it
	glueSets   = 1000    // of a group that are counted, as long as
	glueMost   = 1 << 18 // features are not exceeded
	otherSets  = 10_000  // of all that are counted
	candidates = 200     // features of a group that are looked for in others
	gluedText  = 1 << 20 // bytes of a text that are analysed
)

// newGlue finds the glue of the suspicious groups among clusters. It reads some of the sets if there are such groups.
func newGlue(ctx context.Context, d *Decisions, clusters []cluster) (*glue, error) {
	c := d.c
	g := &glue{c: c, names: map[uint64]string{}, texts: map[uint32]bool{}}
	for _, of := range suspicious(d, clusters) {
		if len(g.groups) == mostGlued {
			g.more++
		} else {
			g.groups = append(g.groups, of)
		}
	}
	for _, e := range c.Boilerplate.Examples {
		g.names[e.Feature] = ""
		g.texts[e.Document] = true
	}
	if c.Options.ByDistance() {
		return nil, nil // fingerprints do not tell what documents share
	}
	if g.a = c.Analysis; g.a == nil { // of an earlier run, nothing has been read
		var err error
		if g.a, err = analysis.New(c.Options.Settings); err != nil {
			return nil, err
		}
		if g.a.Learns() { // what is rare is not known any more
			clear(g.texts)
		}
	}
	if len(g.groups) == 0 {
		return g, nil
	}
	return g, g.find(ctx)
}

// suspicious returns the suspicious groups among clusters.
func suspicious(d *Decisions, clusters []cluster) (groups []*gluedGroup) {
	if d.c.Options.ByDistance() {
		return nil
	}
	for _, cluster := range clusters {
		least := 1.0
		if d.c.Options.Chain {
			for _, doc := range cluster.documents {
				least = min(least, d.similarity(doc))
			}
		}
		if len(cluster.documents) >= giant || least < chained*d.c.Options.Threshold {
			groups = append(groups, &gluedGroup{cluster: cluster, least: least})
		} else if !d.c.Options.Chain {
			break // the others are smaller
		}
	}
	return groups
}

// A common is a feature of a group.
type common struct {
	feature        uint64
	inside, others int    // sets that have it
	first          uint32 // the document of the first one
}

// find chooses the features of each group, and documents that have them.
func (g *glue) find(ctx context.Context) error {
	c := g.c
	c.Phase(collected.Sharing)
	group := make([]*gluedGroup, len(c.Sizes))
	samples := map[uint32]uint32{} // the document of each set that is counted
	for _, of := range g.groups {
		var sets, documents []uint32
		for _, doc := range of.documents {
			if set := c.SetOf[doc]; group[set] == nil {
				group[set] = of
				sets, documents = append(sets, set), append(documents, doc)
			}
		}
		of.sets, of.counted = len(sets), map[uint64]*common{}
		for i := 0; i < len(sets); i += (len(sets) + glueSets - 1) / glueSets {
			samples[sets[i]] = documents[i]
		}
	}
	sampled := func(set uint32) bool { _, ok := samples[set]; return ok && group[set].used < glueMost }
	err := c.EachOf(ctx, sampled, func(set uint32, features []uint64) error {
		of, doc := group[set], samples[set]
		of.samples, of.used = of.samples+1, of.used+len(features)
		for _, f := range features[:min(len(features), glueMost)] {
			if of.counted[f] == nil {
				of.counted[f] = &common{feature: f, first: doc}
			}
			of.counted[f].inside++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, of := range g.groups {
		of.counted = mostCommon(of.counted)
	}
	step := uint32(len(c.Sizes)/otherSets + 1)
	err = c.EachOf(ctx, func(set uint32) bool { return set%step == 0 }, func(set uint32, features []uint64) error {
		for _, of := range g.groups {
			if group[set] == of {
				continue
			}
			of.others++
			for _, f := range features {
				if is := of.counted[f]; is != nil {
					is.others++
				}
			}
		}
		return nil
	})
	for _, of := range g.groups {
		if of.sets < 2 {
			continue // all have the same features
		}
		for _, is := range of.holding() {
			of.features = append(of.features, is.feature)
			g.names[is.feature] = ""
			g.texts[is.first] = true
		}
	}
	return err
}

// mostCommon returns the features that most sets have, up to as many as are looked for in others.
func mostCommon(all map[uint64]*common) map[uint64]*common {
	most := slices.SortedFunc(maps.Values(all), func(a, b *common) int {
		return cmp.Or(cmp.Compare(b.inside, a.inside), cmp.Compare(a.feature, b.feature))
	})
	some := map[uint64]*common{}
	for _, is := range most[:min(len(most), candidates)] {
		if is.inside > 1 {
			some[is.feature] = is
		}
	}
	return some
}

// holding returns the features whose share in the sets of the group exceeds that in others most.
func (of *gluedGroup) holding() []*common {
	excess := func(is *common) float64 {
		return float64(is.inside)/float64(of.samples) - float64(is.others)/float64(max(1, of.others))
	}
	all := slices.SortedFunc(maps.Values(of.counted), func(a, b *common) int {
		return cmp.Or(cmp.Compare(excess(b), excess(a)), cmp.Compare(b.inside, a.inside), cmp.Compare(a.feature, b.feature))
	})
	n := 0
	for n < min(len(all), mostGlue) && excess(all[n]) > 0 {
		n++
	}
	return all[:n]
}

// see finds names in the text of a document.
func (g *glue) see(doc uint32, text []byte) {
	if g == nil || !g.texts[doc] {
		return
	}
	g.a.EachFeature(&g.memory, text[:min(len(text), gluedText)], func(hash uint64, feature []byte) {
		if name, ok := g.names[hash]; ok && name == "" {
			g.names[hash] = string(feature)
		}
	})
}

// words returns the names of features, as far as texts have been seen.
func (g *glue) words(features []uint64) (words []string) {
	for _, f := range features {
		if name := g.names[f]; name != "" {
			words = append(words, name)
		}
	}
	return words
}

// of returns the names of the features that hold the group of a kept document together.
func (g *glue) of(kept uint32) []string {
	if g != nil {
		for _, of := range g.groups {
			if of.kept == kept {
				return g.words(of.features)
			}
		}
	}
	return nil
}

// leftOut returns the names of frequent features that are left out of what is compared.
func (g *glue) leftOut() []string {
	var features []uint64
	for _, e := range g.c.Boilerplate.Examples {
		features = append(features, e.Feature)
	}
	return g.words(features)
}

// warnings names suspicious groups, a sentence or two each.
func (g *glue) warnings() (warnings []string) {
	if g == nil {
		return nil
	}
	for i, of := range g.groups {
		if i == toldGlued {
			break
		}
		what := fmt.Sprintf("One group has %s documents, of which %s is kept", terminal.Thousands(len(of.documents)), g.c.ID(of.kept))
		advice := "leave it out with max-df or ignore"
		if of.least < chained*g.c.Options.Threshold {
			advice += "; group star makes no chains"
			what = fmt.Sprintf("One group of %s documents is a chain: %s is kept for one with a similarity of %.2f to it",
				terminal.Thousands(len(of.documents)), g.c.ID(of.kept), of.least)
		}
		switch words := g.words(of.features); {
		case of.sets == 1:
			what += "; all have the same features: look at the text, which may be a template or an empty page."
		case len(words) == 0:
			what += ": look at some of their texts."
		default:
			what += fmt.Sprintf(". What they share: %s. If that is boilerplate, %s.", quoted(words), advice)
		}
		warnings = append(warnings, what)
	}
	if more := len(g.groups) - len(warnings) + g.more; more > 0 {
		warnings = append(warnings, fmt.Sprintf("%s more groups are as large, or chains.", terminal.Thousands(more)))
	}
	return warnings
}

// quoted returns words with commas between them, in quotes if they have spaces or signs.
func quoted(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteString(", ")
		}
		if strings.ContainsAny(word, " ,;\"") {
			word = fmt.Sprintf("%q", word)
		}
		b.WriteString(word)
	}
	return b.String()
}
