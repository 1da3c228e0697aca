package copied

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
	"simsearch/internal/quality/report"
)

// A Report says which submissions share passages. Its JSON form is the file report.json, without the pairs, which
// are lines of pairs.jsonl. All strings may have any bytes.
type Report struct {
	V         int           `json:"v"`       // 1
	Command   string        `json:"command"` // that does the same again, as a shell reads it
	Settings  []report.Fact `json:"settings"`
	Documents int           `json:"documents"` // of all submissions
	Bytes     int64         `json:"bytes"`     // of their texts
	run.Missed
	Shared int `json:"pairs"`                 // of submissions that share passages
	Given  int `json:"given_pairs,omitempty"` // of these, those that share hardly more than what several submissions have

	Common      []Common     `json:"common,omitempty"` // what is left out, since many have it
	Groups      []Group      `json:"groups"`           // whatever pairs connect, the largest first
	Submissions []Submission `json:"submissions"`      // that of which others have the largest share first
	Warnings    run.Warnings `json:"warnings"`

	// Pairs are those that are shown, then those that are listed besides: that first which independent submissions
	// are least likely to be.
	Pairs []Pair `json:"-"`
}

// A Group is the names of submissions, in their order.
type Group []string

// A Submission is a document, or all documents of a folder.
type Submission struct {
	Name      string  `json:"name"`
	Documents int     `json:"documents"`
	Words     int     `json:"words"`
	Base      int     `json:"base_words"` // of Words, those that the base has
	Share     float64 `json:"share"`      // of the other words, those that lie in passages that others have
	Others    int     `json:"others"`     // submissions that have some of them
	Most      string  `json:"most"`       // the one that has most of them; "" if there is none

	most float64
}

// A Pair is two submissions that share passages.
type Pair struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	AShare float64 `json:"a_share"` // of the words of A, without those that the base has, those that lie in passages
	BShare float64 `json:"b_share"`
	evidence
	Shown    bool      `json:"shown"`           // it counts, and is not one that is listed to be looked at
	Given    bool      `json:"given,omitempty"` // hardly more than what several submissions have, as a task or a source
	Words    int       `json:"words"`           // those of A or of B, whichever are more
	Passages []Passage `json:"passages"`

	a, b     int // submissions
	texts    [][2]int
	inA, inB cover
}

// Largest returns the larger one of the two shares.
func (p *Pair) Largest() float64 { return max(p.AShare, p.BShare) }

// A Passage is where two documents have it, in bytes, the last one exclusive; the words of the longer side, and how
// many of these were replaced, added or left out.
type Passage struct {
	ADocument string `json:"a_document"`
	BDocument string `json:"b_document"`
	A         [2]int `json:"a"`
	B         [2]int `json:"b"`
	Words     int    `json:"words"`
	Edits     int    `json:"edits"`
}

// Columns are the columns of the pair as a row of a list, or its keys in JSON.
func (p *Pair) Columns(inJSON bool) []terminal.Column {
	columns := terminal.Keyed("a", terminal.ID(p.A), "b", terminal.ID(p.B), "a_share", p.AShare, "b_share", p.BShare, "once_in", p.OnceIn)
	if p.Structure > 0 && inJSON {
		columns = append(columns, terminal.Keyed("structure", p.Structure, "literals", p.Literals)...)
	}
	if !inJSON {
		return append(columns, terminal.Keyed("passages", len(p.Passages))...)
	}
	if p.Given {
		columns = append(columns, terminal.Keyed("given", true)...)
	}
	all := make([]terminal.Object, len(p.Passages))
	for i, x := range p.Passages {
		all[i] = terminal.Keyed("a_document", terminal.ID(x.ADocument), "b_document", terminal.ID(x.BDocument),
			"a", x.A, "b", x.B, "words", x.Words, "edits", x.Edits)
	}
	return append(columns, terminal.Keyed("words", p.Words, "passages", all)...)
}

// summarize makes the report of the matches.
func (j *job) summarize() {
	r := &j.report
	r.V, r.Command, r.Documents = 1, j.Command, len(j.texts)
	r.Missed = j.Missed
	r.Common = j.left
	boilerplate := terminal.Plural(len(j.o.Base), "text") +
		terminal.If(j.many > 0, " and %s that %d submissions have", terminal.Plural(len(j.left), "passage"), j.many)
	r.Settings = report.Facts("by-field folder", j.o.ByFolder, "boilerplate", boilerplate)
	r.Submissions = make([]Submission, len(j.units))
	for i, u := range j.units {
		r.Submissions[i] = Submission{Name: u.name, Documents: len(u.texts), Words: u.words, Base: u.base}
	}
	sets := ints.NewDisjointSets(len(j.units))
	r.Pairs = j.ranked()
	for i := range r.Pairs {
		p := &r.Pairs[i]
		if !p.Shown {
			break
		}
		if r.Shared++; p.Given {
			r.Given++
		}
		p.inA.tell()
		p.inB.tell()
		sets.Union(uint32(p.a), uint32(p.b))
		r.Submissions[p.a].meet(p, p.B, p.AShare)
		r.Submissions[p.b].meet(p, p.A, p.BShare)
	}
	j.groups(sets)
	for i, u := range j.units {
		n := 0
		for _, at := range u.texts {
			for _, others := range j.texts[at].in {
				n += int(min(1, others))
			}
		}
		r.Submissions[i].Share = u.share(n)
	}
	slices.SortStableFunc(r.Submissions, func(x, y Submission) int { return cmp.Compare(y.Share, x.Share) })
	j.warn()
}

// meet counts a submission that has a share of s.
func (s *Submission) meet(p *Pair, other string, share float64) {
	s.Others++
	if s.Most == "" || share > s.most || share == s.most && p.Words > 0 && other < s.Most {
		s.Most, s.most = other, share
	}
}

// pair returns the pair of two submissions, in their order.
func (e *engine) pair(a, b int) *Pair {
	p := e.pairs[[2]int{a, b}]
	if p == nil {
		p = &Pair{a: a, b: b, A: e.units[a].name, B: e.units[b].name, inA: cover{}, inB: cover{}}
		e.pairs[[2]int{a, b}] = p
	}
	return p
}

// share adds a passage of two texts to a pair.
func (e *engine) share(p *Pair, inA, inB int, x sequences.Passage) {
	a, b := e.texts[inA], e.texts[inB]
	p.inA.add(a, x.Query)
	p.inB.add(b, x.Document)
	is := x.Bytes(a.Text, b.Text)
	if bytes.Equal(a.Raw[is.Query[0]:is.Query[1]], b.Raw[is.Document[0]:is.Document[1]]) {
		is.Edits = 0 // words that are no seeds count as edits
	}
	p.Passages = append(p.Passages, Passage{a.id, b.id, is.Query, is.Document, is.Words, is.Edits})
	p.texts = append(p.texts, [2]int{inA, inB})
}

// wholeShare is the share of both submissions from which on one is a copy of the other as a whole.
const wholeShare = .95

// place orders pairs: those that are shown first, and of these whole copies, and those last that share what they may
// have been given.
func (p *Pair) place() int {
	switch {
	case !p.Shown:
		return 3
	case p.Given:
		return 2
	case min(p.AShare, p.BShare) < wholeShare:
		return 1
	}
	return 0
}

// ranked returns the pairs by their places, and in each the least likely first.
func (e *engine) ranked() (all []Pair) {
	for _, p := range e.pairs {
		a, ownA := p.inA.count()
		b, ownB := p.inB.count()
		p.Words, p.AShare, p.BShare = max(a, b), e.units[p.a].share(a), e.units[p.b].share(b)
		p.Given = max(ownA, ownB) < min(leastCommon, p.Words)
		all = append(all, *p)
	}
	slices.SortFunc(all, func(x, y Pair) int {
		return cmp.Or(x.place()-y.place(), cmp.Compare(y.rank, x.rank), cmp.Compare(y.Largest(), x.Largest()), cmp.Compare(y.Words, x.Words),
			cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return all
}

// groups makes groups of what pairs connect.
func (j *job) groups(sets ints.DisjointSets) {
	of := map[uint32]int{}
	for u := range uint32(len(j.units)) {
		root := sets.Find(u)
		if _, known := of[root]; !known {
			of[root] = len(j.report.Groups)
			j.report.Groups = append(j.report.Groups, nil)
		}
		g := &j.report.Groups[of[root]]
		*g = append(*g, j.units[u].name)
	}
	j.report.Groups = slices.DeleteFunc(j.report.Groups, func(g Group) bool { return len(g) < 2 })
	slices.SortStableFunc(j.report.Groups, func(x, y Group) int { return len(y) - len(x) })
}

const (
	commonGram, commonCode = 6, 40   // words or tokens of a sequence by which it is found what many have
	leastCommon, leastCode = 12, 100 // words or tokens of a passage that many have
	mostTold               = 5       // such passages that are told of
)

// warn says what should make one look at the result before trusting it.
func (j *job) warn() {
	r := &j.report
	add := r.Warnings.Add
	if r.Documents < 2 {
		add("The input has %s: there is nothing to compare.", terminal.Plural(r.Documents, "document"))
	}
	short := slices.DeleteFunc(slices.Clone(j.units), func(u *unit) bool { return u.long })
	if n := len(short); n > 0 {
		add("%s too short to tell, such as %s, with fewer than %d words of its own, or a source with fewer than %d "+
			"different sequences of %d tokens and nothing quoted: what others share with them is in pairs.jsonl alone.",
			terminal.Plural(n, "submission")+report.Verb(n, " is", " are"), short[0].name, fewWords, fewGrams, codeGram)
	}
	if n := j.again; n > 0 {
		add("%s %s the id and the text of an earlier one, and %s not counted again.", terminal.Plural(n, "document"),
			report.Verb(n, "has", "have"), report.Is(n))
	}
	if n := len(j.renamed); n > 0 {
		first := j.renamed[0]
		add("%s %s an id that stands for another text already, and %s called by file and line, such as %s for %s.",
			terminal.Plural(n, "document"), report.Verb(n, "has", "have"), report.Is(n), first[1], first[0])
	}
	if r.Bad > 0 {
		add("%s could not be read.", terminal.Plural(r.Bad, "document"))
	}
	if left := j.Left; len(left) > 0 {
		advice := ""
		if errors.Is(left[0].Why, corpus.ErrPDF) || errors.Is(left[0].Why, corpus.ErrOffice) {
			advice = ". Save such files as .txt or .docx, or let pdftotext or pandoc make texts of them"
		}
		files := terminal.Plural(len(left), "file") + report.Verb(len(left), " is", " are")
		add("%s not compared, such as %s: %v%s.", files, left[0].Path, left[0].Why, advice)
	}
	if in := j.inFolders(); in > 0 {
		add("%s of files in one folder. If each person has a folder, --by-field folder compares persons, and not the drafts of one.",
			terminal.Plural(in, "pair")+report.Verb(in, " is", " are"))
	}
	if u := j.ofFolders(); u != nil {
		add("%s counts as one submission, though it has several folders. If each of them is one person's, name the directories that "+
			"have them, such as %s.", u.name, j.texts[u.texts[0]].folder)
	}
	same := func(all []Common, and string) {
		for i, c := range all {
			if i == mostTold {
				n := len(all) - i
				add("%s more of these, of %d submissions at most.", terminal.Plural(n, "passage")+report.Verb(n, " is", " are"), c.Submissions)
				break
			}
			add("%d of %s have the same %s, which begin “%s” in %s. %s", c.Submissions, terminal.Plural(len(j.units), "submission"),
				terminal.Plural(c.Words, "word"), c.begins, c.In, and)
		}
	}
	all := len(j.units)
	rare := slices.ContainsFunc(r.Common, func(c Common) bool { return 5*c.Submissions < 4*all })
	// What nearly all have weighs nothing.
	same(r.Common, "They do not count"+terminal.If(rare, "; --boilerplate none counts them")+".")
	same(j.more, "If they were given them, such as a task or a source, leave them out with --boilerplate FILE, "+
		"or what a tenth has with --boilerplate 0.1.")
	if j.whole > 0 {
		add("%s for the most part of words that %d submissions or more have, as copies of one text do: look at them yourself.",
			terminal.Plural(j.whole, "submission")+report.Verb(j.whole, " consists", " consist"), j.many)
	}
}

// firstPairs is how many pairs are looked at first.
const firstPairs = 20

// inFolders returns how many pairs are of documents in the same folder, if half of the first ones are and there are
// several folders.
func (j *job) inFolders() (in int) {
	if j.o.ByFolder {
		return 0
	}
	known := map[string]bool{}
	for _, t := range j.texts {
		known[t.folder] = true
	}
	of := func(unit int) string { return j.texts[j.units[unit].texts[0]].folder }
	first := 0
	for i, p := range j.report.Pairs {
		if of(p.a) == "" || of(p.a) != of(p.b) {
			continue
		}
		if in++; i < firstPairs {
			first++
		}
	}
	if len(known) < 2 || 2*first < min(firstPairs, len(j.report.Pairs)) {
		return 0
	}
	return in
}

// ofFolders returns the first submission that has several folders, if most have, as classes do; or nil.
func (j *job) ofFolders() (first *unit) {
	n := 0
	for _, u := range j.units {
		names := map[string]bool{}
		for _, at := range u.texts {
			if inner := j.texts[at].inner; inner != "" {
				names[inner] = true
			}
		}
		if len(names) < 2 {
			continue
		}
		if n++; first == nil {
			first = u
		}
	}
	if !j.o.ByFolder || 2*n <= len(j.units) {
		return nil
	}
	return first
}

// ofMany says how many pairs share hardly more than what several submissions have, if there are any.
func (r *Report) ofMany() string {
	return terminal.If(r.Given > 0, ", %s of them hardly more than what many have", terminal.Thousands(r.Given))
}

// Summary returns what is found, on one line, and where the page is if a directory has one.
func (r *Report) Summary(dir string) string {
	s := fmt.Sprintf("%s of %s", terminal.Plural(r.Shared, "pair"), terminal.Plural(len(r.Submissions), "submission"))
	if len(r.Submissions) != r.Documents {
		s += fmt.Sprintf(" (%s)", terminal.Plural(r.Documents, "document"))
	}
	s += report.Verb(r.Shared, " shares", " share") + " passages" + r.ofMany()
	if n := len(r.Groups); n > 0 {
		s += ", in " + terminal.Plural(n, "group")
	}
	if dir != "" {
		s += "; " + filepath.Join(dir, run.PageName) + " shows them"
	}
	return s
}
