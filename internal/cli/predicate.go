package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/prints"
	"simsearch/internal/index"
)

// PredicateFlags returns the flags that say which documents are near.
func (c *Flags) PredicateFlags() []AnyFlag {
	return InGroup(SearchedGroup, append(c.KindFlags(), c.recallFlag(), c.bandsFlag()))
}

// KindFlags returns the flags that say by which kind of nearness documents are near, and from which value on.
func (c *Flags) KindFlags() []AnyFlag {
	flags := []AnyFlag{c.K.As("k", "near is a Hamming distance of at most `N` bits").By(ReadBits).Told("3 in an index of fingerprints alone")}
	for _, k := range []*index.Kind{index.Copy, index.Jaccard, index.Contained} {
		flags = append(flags, c.Least(k).As(k.Key, k.Usage).Alias(k.Aliases...).By(Share).Told(k.Told))
	}
	return flags
}

// Least returns the flag that gives the least value of a kind of nearness.
func (c *Flags) Least(k *index.Kind) *Flag[float64] {
	return cmp.Or(map[*index.Kind]*share{index.Contained: &c.Contained, index.Copy: &c.Copy}[k], &c.Jaccard)
}

// recallFlag returns the flag --recall.
func (c *Flags) recallFlag() AnyFlag {
	return c.Recall.As("recall", "find a pair at the threshold with probability `R`, by bands of MinHash signatures; an index remembers it").By(Share).
		Told("that of the index: usually 1, nothing is missed")
}

// Predicate returns what the flags say is near in an index. If they name no kind of nearness, it is what the index is
// made for.
func (c *Flags) Predicate(ix *index.Snapshot) (n results.Nearness, err error) {
	s, in := ix.Settings(), ix.Input()
	kind, err := c.asked()
	if err != nil {
		return n, err
	}
	if c.Text.Given {
		if err := in.Refusal([]byte("--text"), false); err != nil {
			return n, err
		}
	}
	switch {
	case kind == nil && c.Fingerprint.Given:
		kind = index.Distance
	case kind == nil:
		kind = c.configured(s)
	}
	stored := index.Default(s, ix.Search())
	if c.Nearest.Has() || c.Recall.Has() || c.Bands.Has() {
		stored = stored.OfSets()
	}
	if n.Predicate = stored; kind != nil {
		n.Predicate = kind.Predicate(index.DefaultThreshold, cmp.Or(ix.Search().Distance, index.DefaultDistance))
	}
	name := FirstGiven(&c.Limit, &c.Recall, &c.Bands)
	err = Mistakes{
		{c.Nearest.Has() && name != "", "--nearest and --" + name + " exclude each other: the nearest are as many as wanted, and exact"},
		{n.Kind.NoNew != "" && (c.New.Value || c.Matched.Value), "--" + n.Kind.Key + " excludes --new and --matched: " + n.Kind.NoNew},
		{c.Passages.Value && s.Image != 0, "pictures have no passages"},
		{c.Fingerprint.Given && n.BySets(), "--fingerprint and --" + n.Kind.Key + " exclude each other: a fingerprint has no features"},
	}.First()
	if err == nil && c.Fingerprint.Given {
		_, err = prints.ParseHex(c.Fingerprint.Value, s.Bits)
	}
	if err != nil {
		return n, err
	}
	n.WithDistance = n.Kind.Fingerprints || kind == nil && s.Fingerprints()
	banded := FirstGiven(&c.Bands, &c.Recall)
	if banded != "" && !n.Kind.Banded {
		return n, fmt.Errorf("--%s is about --%s: %s", banded, index.Jaccard.Key, n.Kind.Exactly)
	}
	if err := c.values(&n.Predicate, s.Bits); err != nil {
		return n, err
	}
	if n.Kind.Banded {
		return n, c.searchBands(s, stored, &n.Predicate)
	}
	return n, nil
}

// values sets how near documents are to be by p, as the flags say. Fingerprints have the given number of bits.
func (c *Flags) values(p *index.Predicate, bits int) error {
	if p.Kind.Within {
		Put(&c.K, &p.Distance)
	}
	if !p.Kind.Bare {
		Put(c.Least(p.Kind), &p.Threshold)
	}
	tooMany := p.Kind.Within && c.K.Has() && c.K.Value > bits
	return Mistakes{{tooMany, fmt.Sprintf("--k %d: want %s", c.K.Value, bitsUpTo(bits))}}.First()
}

// LimitFlag returns the flag --limit.
func (c *Flags) LimitFlag() AnyFlag {
	return c.Limit.As("limit", "print only the `N` nearest matches of each query, or pairs; of groups, the N largest").By(Count("results")).Told("all").In(OutputGroup)
}

// asked returns the kind of nearness that the command line asks for, or nil if it asks for none. It returns an error
// if flags exclude each other.
func (c *Flags) asked() (kind *index.Kind, err error) {
	other, contained, exclude := FirstGiven(&c.K, &c.Jaccard, &c.Contained), c.Contained.Given, " exclude each other: "
	err = Mistakes{
		{c.Copy.Given && other != "", "--copy and --" + other + exclude + "near is by one or by the other"},
		{c.Copy.Given && c.Nearest.Given, "--copy and --nearest" + exclude + index.Copy.NoNearest},
		{contained && c.K.Given, "--contained and --k" + exclude + index.Contained.NoDistance},
		{contained && c.Jaccard.Given, "--contained and --" + c.Jaccard.name() + exclude + "near is by one or by the other"},
		{contained && c.Nearest.Given && index.Contained.NoNearest != "",
			"--contained and --nearest" + exclude + index.Contained.NoNearest},
	}.First()
	switch {
	case err != nil:
		return nil, err
	case c.Copy.Given:
		return index.Copy, nil
	case contained:
		return index.Contained, nil
	case c.K.Given && c.Jaccard.Given:
		return index.Both, nil
	case c.K.Given:
		return index.Distance, nil
	case c.Jaccard.Given:
		return index.Jaccard, nil
	}
	return nil, nil
}

// configured returns the kind of nearness that the configuration file chooses for an index with settings s: the one
// that it has a flag of, if it has one such flag only. It returns nil if it chooses none.
func (c *Flags) configured(s analysis.Settings) (kind *index.Kind) {
	flags := 0
	for k, f := range map[*index.Kind]AnyFlag{index.Distance: &c.K, index.Jaccard: &c.Jaccard, index.Contained: &c.Contained, index.Copy: &c.Copy} {
		if f.Has() && !f.IsSet() {
			kind = k
			flags++
		}
	}
	if flags != 1 || kind.Predicate(1, 0).Check(s) != nil {
		return nil
	}
	return kind
}

// ByDistance reports whether the command line asks for a distance of fingerprints.
func (c *Flags) ByDistance() bool { return c.K.Given }

// ReadBits reads a distance in bits.
var ReadBits = Whole(bitsUpTo(dedup.MaxDistance+1), 0, dedup.MaxDistance+1)

// bitsUpTo says which distances are wanted of fingerprints of so many bits.
func bitsUpTo(bits int) string { return fmt.Sprintf("a whole number of bits from 0 to %d", bits) }

// Wanted returns how near the flags of compare want two documents to be. Fingerprints have the given number of bits.
// ok is false if they want nothing.
func (c *Flags) Wanted(bits int) (p index.Predicate, ok bool, err error) {
	kind, err := c.asked()
	if err != nil || kind == nil {
		return p, false, err
	}
	p = kind.Predicate(0, 0)
	return p, true, c.values(&p, bits)
}

// CheckQueries returns an error if the flags of near name no query or queries of several kinds, or do not go with
// --new and --matched. If nothing is named and a query can be typed, standard input becomes the query.
func (c *Flags) CheckQueries(typed bool) error {
	if err := c.checkPassages(); err != nil {
		return err
	}
	passes, kinds := c.New.Value || c.Matched.Value, 0
	for _, given := range []bool{c.HasInputs(), c.Text.Given, c.Fingerprint.Given, c.ID.Given} {
		if given {
			kinds++
		}
	}
	if kinds == 0 && typed && !passes {
		c.Args, kinds = []string{"-"}, 1
	}
	beside := FirstGiven(&c.Limit, &c.Nearest, &c.Show, &c.JSON)
	return Mistakes{
		{c.Bits.Given && c.Of == nil, "--bits is for files, and --index names an index, which has a width of its own"},
		{c.Add.Value && c.Of != nil, "--add adds to an index: name it with --index DIR"},
		{c.Of != nil && slices.Contains(c.Args, "-") && slices.Contains(slices.Concat(c.Of.Args, c.Of.FilesFrom.Value), "-"),
			"standard input is the query or among the documents, not both"},
		{c.Add.Value && !passes, "--add adds what --new passes: give --new or --matched, too"},
		{c.New.Value && c.Matched.Value, "--new and --matched exclude each other"},
		{passes && !c.HasInputs(), "--new and --matched pass records of an input through: name files, directories or -"},
		{passes && beside != "", "--" + beside + " has no place beside --new and --matched, which print the records of the input as they are"},
		{kinds == 0, "near what? name query files (- is standard input), or give --text TEXT, --fingerprint HEX or --id ID"},
		{kinds > 1, "query files, --text, --fingerprint and --id exclude each other"},
	}.First()
}

// WhereFlags returns the flags that say which documents can be answers.
func (c *Flags) WhereFlags() []AnyFlag {
	return []AnyFlag{c.Where.As("where", "find only documents whose kept field is as in `FIELD=VALUE`, or FIELD>=VALUE or FIELD<=VALUE, where VALUE is a number, or a date such as 2024-05; given again, all must hold")}
}

// Wheres returns the conditions that the flags give, for an index.
func (c *Flags) Wheres(ix *index.Snapshot) (where []index.Where, err error) {
	for _, s := range c.Where.Value {
		field, is, value := condition(s)
		if field == "" {
			return nil, fmt.Errorf("--where %s: want FIELD=VALUE, FIELD>=VALUE or FIELD<=VALUE", s)
		}
		if field == index.SourceField && ix.KeepsSource() {
			if value, err = filepath.Abs(value); err != nil {
				return nil, err
			}
		}
		w := index.Where{Field: field, Is: is(value)}
		if w.Is == nil {
			return nil, fmt.Errorf("--where %s: %s is neither a number nor a date, such as 2024-05-31 or 2024-05-31T12:00:00Z", s, value)
		}
		where = append(where, w)
	}
	return where, nil
}

// condition returns the parts of a condition of --where. field is "" if it is none.
func condition(s string) (field string, is func(wanted string) func([]byte) bool, value string) {
	field, value, ok := strings.Cut(s, "=")
	switch {
	case !ok:
		return "", nil, ""
	case strings.HasSuffix(field, ">"):
		return field[:len(field)-1], results.AtLeast, value
	case strings.HasSuffix(field, "<"):
		return field[:len(field)-1], results.AtMost, value
	}
	return field, results.Equals, value
}
