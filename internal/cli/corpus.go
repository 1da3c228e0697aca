package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/clean/run"
	"simsearch/internal/cli/results"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// corpusFlags say how files are read.
type corpusFlags struct {
	Format             Flag[corpus.Format]
	FilesFrom, Include list
	IDField, TextField text
	Without            Flag[Without]
	HTML               text
	MaxDocument        Flag[int64]
	Skip               Flag[skipped]

	Inputs []AnyFlag // all of these, if they are declared
}

// CorpusFlags returns the flags that say how files are read.
func (c *corpusFlags) CorpusFlags() []AnyFlag {
	c.Inputs = InGroup(InputGroup, []AnyFlag{
		c.Format.As("format", "read files as `FORMAT`: "+corpus.FormatUsage()).Or(corpus.Auto).
			By(Named(corpus.ParseFormat)),
		c.FilesFrom.As("files-from", "read the inputs that `FILE` names, too, one a line or, if it has a NUL, with a NUL behind each; - is standard input"),
		c.IDField.As("id-field", "the `FIELD` of a JSON record, the column of a table, or the field of a WARC or mail header, that is the "+
			"id").Told("id, else path#line"),
		c.TextField.As("text-field", "the `FIELD` of a JSON record or of mail, or the column of a table, that is the text or, with "+
			"--format fingerprints, the fingerprint; of title,body those that a record has, a line each").Told("text"),
		c.Without.As("without", "leave out `WHAT`: menus (of pages of HTML, with headers, footers and notices), quotes (of earlier messages), signatures or nothing; menus,quotes,signatures are all").
			By(Named(readWithout)).Told("menus"),
		c.MaxDocument.As("max-document", "leave out documents of more than `SIZE`, and report them as bad").By(parseSize).
			Told("64MB, less if --memory requires it"),
		c.Include.As("include", "of directories, read only the files that `GLOB` matches, such as *.md or docs/**/*.txt, or with a ! before it, all but these; names that begin with a dot want a GLOB that has it"),
		c.Skip.As("skip", "leave out `WHAT`, and end with status 0: bad (what cannot be read), binary (files of directories that are no texts) or gitignore (of directories, what .gitignore files name); bad,binary are both").By(Named(readSkipped)),
	})
	return c.Inputs
}

// skipped is what may be left out without an error.
type skipped struct {
	Bad    bool // documents that cannot be read
	Binary bool // files of directories that are no texts

	GitIgnore bool // files that .gitignore names
}

// readSkipped reads the value of --skip.
func readSkipped(names string) (s skipped, err error) {
	for name := range strings.SplitSeq(names, ",") {
		switch name {
		case "bad":
			s.Bad = true
		case "binary":
			s.Binary = true
		case "gitignore":
			s.GitIgnore = true
		default:
			return s, fmt.Errorf("unknown %q: want bad, binary, gitignore, or some of them with commas between", name)
		}
	}
	return s, nil
}

// Without is what is left out of documents, as package corpus names it.
type Without struct{ Mail, HTML string }

// readWithout reads the value of --without.
func readWithout(names string) (w Without, err error) {
	var mail []string
	w.HTML = "all"
	for name := range strings.SplitSeq(names, ",") {
		switch {
		case name == "menus":
			w.HTML = ""
		case name == "quotes", name == "signatures":
			mail = append(mail, name)
		case names != "nothing":
			return w, fmt.Errorf("%s: want menus, quotes, signatures, some of them with commas between, or nothing", names)
		}
	}
	w.Mail, err = corpus.MailWithout(strings.Join(mail, ","))
	return w, err
}

// HasInputs reports whether arguments or --files-from name inputs.
func (c *Flags) HasInputs() bool { return len(c.Args) > 0 || c.FilesFrom.Given }

// InputName returns what the user calls the inputs.
func (c *Flags) InputName() string {
	named := slices.Concat(c.Args, c.FilesFrom.Value)
	switch {
	case len(named) == 1 && named[0] == "-":
		return "standard input"
	case len(named) == 1:
		return named[0]
	}
	return terminal.Plural(len(named), "input")
}

// takeCollection sets Of where near, pairs or groups names no index. Of near, the first argument is the query, unless
// a flag is.
func (c *Flags) takeCollection() {
	queries := 0
	switch name := c.Command.Name; {
	case name == "near" && c.Index.Value == "":
		if FirstGiven(&c.Text, &c.Fingerprint, &c.ID) == "" {
			queries = min(1, len(c.Args))
		}
	case name != "groups" && name != "pairs", c.Index.Value != "", c.OfInputs():
		return
	}
	of := *c
	c.Of, of.Args, c.Args = &of, c.Args[queries:], c.Args[:queries]
	c.FilesFrom.Value, c.FilesFrom.Given = nil, false
	fields := slices.Clone(c.Where.Value)
	for i, where := range fields {
		fields[i], _, _ = condition(where)
	}
	if field := c.ByField.Value; field != "" && field != results.HostField {
		fields = append(fields, field)
	}
	slices.Sort(fields)
	of.KeepFields.Value = strings.Join(slices.Compact(fields), ",")
}

// fieldsOf returns the names of fields that the command line gives, or else the index, or else the
// configuration file.
func (c *Flags) fieldsOf() (index.Input, error) {
	var stored index.Input
	exists := false
	if dir := c.Index.Value; dir != "" {
		var err error
		if stored, err = index.ReadInput(dir); err != nil && !errors.Is(err, index.ErrNoIndex) {
			return stored, err
		}
		exists = err == nil
	}
	without := c.Without.Value
	if exists && !c.Without.Given {
		without = Without{stored.MailWithout, stored.HTML}
	}
	of := func(flag *text, stored string) string {
		if flag.Given || stored == "" {
			return flag.Value
		}
		return stored
	}
	in := index.Input{
		IDField: of(&c.IDField, stored.IDField), TextField: of(&c.TextField, stored.TextField),
		MailWithout: without.Mail, HTML: without.HTML,
		KeepFields: of(&c.KeepFields, stored.KeepFields), FingerprintField: stored.FingerprintField,
	}
	if field := c.fingerprintField(); field != "" {
		in.TextField, in.FingerprintField = stored.TextField, field
	}
	return in, nil
}

// fingerprintField returns the field of records that is a fingerprint, or "" if the flags name none.
func (c *corpusFlags) fingerprintField() string {
	if c.Format.Value != corpus.Fingerprints || !c.TextField.Given {
		return ""
	}
	return c.TextField.Value
}

// runOptions returns how a run over texts is made.
func (c *Flags) runOptions() (run.Options, error) {
	o, err := c.CorpusOptions(64)
	return run.Options{Corpus: o, Threads: c.Threads.Value, Command: c.Repeating()}, err
}

// Repeating returns the command that makes the same result again. Flags that change nothing of what is written are left
// out, so that the same is made with others of them.
func (c *Flags) Repeating(but ...AnyFlag) string {
	flags := slices.DeleteFunc(slices.Clone(c.Command.Flags), func(f AnyFlag) bool {
		return slices.Contains(append(but, &c.Threads, &c.Memory, &c.Quiet, &c.JSON, &c.Review), f)
	})
	return "simsearch " + c.Command.Name + " " + Arguments(c.Args, flags)
}

// CorpusOptions returns the options for reading inputs that the flags give. Fingerprints have the
// given number of bits.
func (c *Flags) CorpusOptions(bits int) (o corpus.Options, err error) {
	o = corpus.Options{
		Format:          c.Format.Value,
		FingerprintBits: bits,
		// What the configuration file says of fields is for inputs that have them.
		FieldsOptional: !c.IDField.Given && !c.TextField.Given,
		FilesFrom:      c.FilesFrom.Value,
		GitIgnore:      c.Skip.Value.GitIgnore,
		Lenient:        c.Skip.Value.Bad,
		Context:        c.Context,
		Stdin:          c.Stdin,
	}
	if !c.Quiet.Value {
		o.Decided = c.Decided
	}
	for _, glob := range c.Include.Value {
		if but, ok := strings.CutPrefix(glob, "!"); ok {
			o.Exclude = append(o.Exclude, but)
			continue
		}
		o.Include = append(o.Include, glob)
		o.Hidden = o.Hidden || strings.HasPrefix(glob, ".") || strings.Contains(glob, "/.")
	}
	fields, err := c.fieldsOf()
	if err != nil {
		return o, err
	}
	o.IDField, o.TextField, o.FingerprintField = fields.IDField, fields.TextField, fields.FingerprintField
	if c.fingerprintField() != "" { // of records, which say themselves what they are
		o.Format = corpus.Auto
	}
	if err := c.setPictures(&o); err != nil {
		return o, err
	}
	o.MailWithout, o.HTML = fields.MailWithout, fields.HTML
	o.KeepFields, o.Pairs = fields.Kept(), c.Gathers()
	if err := corpus.CheckPatterns(slices.Concat(o.Include, o.Exclude)); err != nil {
		return o, err
	}
	o.MaxDocument = c.MaxDocument.Value
	Put(&c.Memory, &o.Memory)
	return o, nil
}
