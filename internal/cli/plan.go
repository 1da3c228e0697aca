package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/lsh"
	"simsearch/preprocess"
)

// PlanFlags returns the flags that say for which searches an index is planned.
func (c *Flags) PlanFlags() []AnyFlag {
	c.plans = true
	return []AnyFlag{
		c.Sync.As("sync", "make the index what the inputs are; delete what is gone or not among the inputs, and read only files that have changed"),
		c.K.As("k", "plan the tables for queries within `N` bits; others are answered exactly, too").Told("3"),
		c.Blocks.As("blocks", "divide fingerprints into `G` blocks, with a table for each choice of --header-blocks of them").Told("what --k plans"),
		c.HeaderBlocks.As("header-blocks", "put each choice of `N` of the --blocks first, as the header of a table").Told("none"),
		c.Jaccard.As("jaccard", "plan for queries of a Jaccard similarity of `T` or more; others compare all sets").Alias("threshold").By(Share).Told("0.8"),
		c.recallFlag(), c.bandsFlag(),
		c.Gather.As("gather", "make sets of records that have an id and an item, by `WHAT`: users (what each id has) or items (the ids that have it); --id-field and --text-field name the columns").
			By(OneOf("users or items", "users", "items")),
		c.KeepFields.As("keep-fields", "keep the values of `FIELD[,FIELD...]`, for --where"),
		c.Passages.As("passages", "make near --passages fast; the index grows by half of the texts"),
		c.Store.As("store", "keep `WHAT` for --show and compare: text, source (where each text was read) or nothing").By(index.ParseKeep).Told("text, or nothing in an index of fingerprints alone"),
	}
}

// PlannedIndex returns the settings of the index that the flags name or describe, and how it is made. Flags that
// contradict the index are an error.
func (c *Flags) PlannedIndex() (s analysis.Settings, o index.WriterOptions, err error) {
	m, there, err := c.stored()
	if err == nil {
		s, err = c.wantedSettings(m.Settings, there)
	}
	if err = cmp.Or(err, s.Validate()); err != nil {
		return s, o, err
	}
	if !there && s.Image != 0 && !strings.Contains(c.KeepFields.Value, imagehash.Unbordered) {
		c.KeepFields.Value = strings.TrimPrefix(c.KeepFields.Value+","+imagehash.Unbordered, ",")
	}
	if o, err = c.planOptions(s); err != nil {
		return s, o, err
	}
	if c.Sync.Value && c.Gathers() {
		return s, o, errors.New("--sync looks at each file by itself, and --gather puts sets together from all of them")
	}
	if there {
		err = c.checkStored(m.Input)
	} else if !c.plans || !c.K.Has() {
		o.ByDefault(s)
	}
	o.Base, _ = os.Getwd() // or none
	o.Memory = c.Memory.Value
	o.TableBytes = float64(c.Memory.Value) // tables that stay in memory are searched fast
	return s, o, err
}

// planOptions returns the options that the tables and bands are planned for.
func (c *Flags) planOptions(s analysis.Settings) (o index.WriterOptions, err error) {
	Put(&c.Store, &o.Keep)
	o.Passages = c.Passages.Value
	if o.Passages && (s.Image != 0 || o.Keep == index.KeepNothing) {
		return o, errors.New("--passages are verified in the texts: it wants an index that keeps them, or their sources")
	}
	o.Input = c.fieldsOf(index.Input{}, false)
	if c.KeepFields.Given && slices.Contains(o.Input.Kept(), "") {
		return o, fmt.Errorf("--keep-fields %q: want names with a comma between two of them", o.Input.KeepFields)
	}
	if err := c.checkGathered(s); err != nil {
		return o, err
	}
	o.Input.Pairs, o.Input.Transposed = c.Gathers(), c.transposes()
	o.Distance = index.DefaultDistance
	if p := c.Preset.Value; p.Name != "" {
		o.Search = p.Search()
		o.Distance = cmp.Or(p.K, index.DefaultDistance)
	}
	if c.Format.Value == corpus.Code && s.Sets() && s.SetFeatures.Kind == preprocess.CodeN {
		o.Search.Jaccard = cmp.Or(o.Search.Jaccard, codeJaccard)
	}
	if s.Image != 0 || s.Wide() {
		if o.Distance = imageDistances[s.Image]; s.Wide() {
			o.Distance = wideDistance(s.Bits)
		}
		o.Search = analysis.Search{Distance: o.Distance}
	}
	if c.plans {
		Put(&c.K, &o.Distance)
	}
	if o.Distance < 1 || o.Distance >= s.Bits {
		return o, fmt.Errorf("--k %d: want a number of bits from 1 to %d", o.Distance, s.Bits-1)
	}
	if err := cmp.Or(c.setBlocks(s, &o), c.planBands(s, &o)); err != nil {
		return o, err
	}
	if s.Sets() && c.Format.Value == corpus.Fingerprints {
		return o, fmt.Errorf("fingerprints have no features, which mode %s wants: make an index of them alone, with --preset classic", s.Mode)
	}
	if o.Search.Planned = o.Search.Jaccard; c.plans {
		Put(&c.Jaccard, &o.Search.Planned)
	}
	return o, nil
}

// setBlocks sets the blocks of tables that are chosen by hand, as the flags say. o.Distance is the distance
// that the tables are planned for.
func (c *Flags) setBlocks(s analysis.Settings, o *index.WriterOptions) error {
	configured := !c.Blocks.Given && !c.HeaderBlocks.Given // which speaks of indexes with fingerprints
	if configured && !s.Fingerprints() || !c.Blocks.Has() && !c.HeaderBlocks.Has() {
		return nil
	}
	// If nobody has asked for a distance, the tables find what they can by equal headers, and other distances by more.
	blocks, headers, k := c.Blocks.Value, c.HeaderBlocks.Value, 1
	if c.plans {
		Put(&c.K, &k)
	}
	planned := terminal.If(c.plans && c.K.Has(), " with --k %d", k)
	o.Search.Blocks, o.Search.HeaderBlocks, o.Distance = blocks, headers, min(o.Distance, blocks-headers)
	return Mistakes{
		{c.Blocks.Has() != c.HeaderBlocks.Has(), "--blocks and --header-blocks go together: tables for each choice of 3 of 6 blocks are " +
			"--blocks 6 --header-blocks 3"},
		{!s.Fingerprints(), fmt.Sprintf("--blocks and --header-blocks are about tables of fingerprints: they want --mode simhash or both, not %s", s.Mode)},
		{blocks <= k || blocks > s.Bits, fmt.Sprintf("--blocks %d: want %d to %d%s", blocks, k+1, s.Bits, planned)},
		{headers < 1 || headers > blocks-k, fmt.Sprintf("--header-blocks %d: want 1 to %d of --blocks %d%s", headers, blocks-k, blocks, planned)},
	}.First()
}

// bandsFlag returns the flag --bands.
func (c *Flags) bandsFlag() AnyFlag {
	return c.Bands.As("bands", "search by `BxR`, B bands of R rows of MinHash signatures, such as 20x5; an index remembers them").By(lsh.ParseBands).Told("those that fit the threshold and --recall")
}

// checkBands returns an error if signatures of the given number of positions are too short for bands.
func checkBands(b lsh.Bands, positions int) error {
	err := b.Fits(positions)
	if err == nil {
		return nil
	}
	need := "more than any signature has"
	if b.Bands <= math.MaxInt32/b.Rows {
		need = strconv.Itoa(b.Bands * b.Rows)
	}
	return fmt.Errorf("--bands %dx%d: %v need %s positions, and the signatures have %d: want fewer bands or rows, or an index of more "+
		"--perms", b.Bands, b.Rows, b, need, positions)
}

// planBands sets what o says of the bands of signatures.
func (c *Flags) planBands(s analysis.Settings, o *index.WriterOptions) error {
	name := FirstGiven(&c.Recall, &c.Bands)
	if c.plans {
		name = cmp.Or(name, FirstGiven(&c.Jaccard))
	}
	if name != "" && !s.Sets() {
		return fmt.Errorf("--%s is about sets of features: it wants --mode minhash or both", name)
	}
	if err := s.CheckBands(); err != nil {
		return err
	}
	if !s.Signatures() {
		return nil
	}
	if c.Recall.Value != 1 { // otherwise searches miss nothing, and need no bands
		o.Search.Recall = c.Recall.Value
	}
	if !c.Bands.Has() || c.Recall.Given && !c.Bands.Given {
		return nil
	}
	if c.Recall.Given {
		return errors.New("--bands decides what is found: it excludes --recall, which chooses bands")
	}
	bands := c.Bands.Value
	o.Search.Recall, o.Search.Bands, o.Search.Rows = 0, bands.Bands, bands.Rows
	if err := checkBands(bands, s.Positions); err != nil {
		return err
	}
	if err := bands.Storable(); err != nil {
		return fmt.Errorf("--bands %v: an index has room for up to %d bands of up to %d rows; "+
			"pairs --bands cuts others", &c.Bands, lsh.MaxBands, lsh.MaxRows)
	}
	return nil
}

// searchBands sets how n searches by bands: as --bands or --recall says, or else as the index does.
func (c *Flags) searchBands(s analysis.Settings, stored index.Predicate, n *index.Predicate) error {
	n.Recall, n.Bands = stored.Recall, stored.Bands
	open := n.Recall == 1 && n.Bands == (lsh.Bands{}) // to what the configuration file says
	switch {
	case c.Bands.Given && c.Recall.Given:
		return errors.New("--bands and --recall exclude each other: the bands decide the recall")
	case c.Bands.Given && !s.Signatures():
		return errors.New("--bands cuts MinHash signatures, and this index has none: make one with --bands, or with --perms 128")
	case c.Bands.Given, open && s.Signatures() && c.Bands.isConfigured() && !c.Recall.Given:
		n.Recall, n.Bands = 1, c.Bands.Value
		return checkBands(n.Bands, s.Positions)
	case c.Recall.Given, open:
		n.Recall, n.Bands = 1, lsh.Bands{}
		Put(&c.Recall, &n.Recall)
	}
	return nil
}

// ReadBandsTried reads bands with commas between.
func ReadBandsTried(text string) (out []lsh.Bands, err error) {
	for one := range strings.SplitSeq(text, ",") {
		b, bad := lsh.ParseBands(one)
		out, err = append(out, b), cmp.Or(err, bad)
	}
	return out, err
}

// Gathers reports whether the flags ask for sets that are made of several records.
func (c *Flags) Gathers() bool { return c.Gather.Given }

// transposes reports whether the sets are those of items.
func (c *Flags) transposes() bool { return c.Gather.Value == "items" }

// CheckGatherable returns an error if the records of a format are no pairs of an id and an item.
func CheckGatherable(f corpus.Format) error {
	if f != corpus.Auto && f != corpus.Sets && !f.Layout().HasFields() {
		return fmt.Errorf("--gather reads tables, JSON records and --format sets, and not %v: a table begins with a line "+
			"of names such as user,item", f)
	}
	return nil
}

// checkGathered returns an error if what is said of records that make sets contradicts other flags.
func (c *Flags) checkGathered(s analysis.Settings) error {
	if !c.Gathers() {
		return nil
	}
	return cmp.Or(Mistakes{
		{c.KeepFields.Given, "--keep-fields excludes --gather: a set is made of many records, whose fields differ"},
		{s.SetFeatures.Kind != preprocess.Items && s.Sets(),
			fmt.Sprintf("--gather is about sets of items, and these settings have features %s", s.SetFeatures)},
	}.First(), CheckGatherable(c.Format.Value))
}

// checkStored returns an error if an index that has documents, whose input is stored, has users in place of items, or
// the reverse, or if its sets are made of records, and each record would be a set by itself.
func (c *Flags) checkStored(stored index.Input) error {
	with, add := "this index was made with", "add with --gather items, or make another index"
	if c.transposes() {
		with, add = "this index was made without", "add without --gather items, or make another index"
	}
	return Mistakes{
		{stored.Transposed != c.transposes(), with + " --gather items: items, as sets of the ids that have them, do not mix with sets of items; " + add},
		{stored.Pairs && !c.Gathers() && c.Format.Value != corpus.Sets,
			"this index was made with --gather: its documents are sets that are made of several records; add with --gather, or whole sets " +
				"with --format sets, or make another index"},
	}.First()
}

// ForIndex returns the options for changing an index that exists. They leave everything as the index has it.
func (c *Flags) ForIndex(search analysis.Search) index.WriterOptions {
	return index.WriterOptions{Distance: search.Distance, Threads: c.Threads.Value, Memory: c.Memory.Value, TableBytes: float64(c.Memory.Value)}
}
