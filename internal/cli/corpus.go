package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simsearch/internal/clean/run"
	"simsearch/internal/cli/results"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// CorpusFlags returns the flags that say how files are read.
func (c *Flags) CorpusFlags() []AnyFlag {
	c.Inputs = InGroup(InputGroup, []AnyFlag{
		c.Format.As("format", "read files as `FORMAT`: "+corpus.FormatUsage()+"; code:N wants functions of N tokens or more").Or(corpus.Auto).
			By(c.readFormat),
		c.FilesFrom.As("files-from", "read the inputs that `FILE` names, too, one a line or, if it has a NUL, with a NUL behind each; - is standard input"),
		c.IDField.As("id-field", "the `FIELD` of a JSON record, the column of a table, or the field of a WARC or mail header, that is the "+
			"id").Told("id, else path#line"),
		c.TextField.As("text-field", "the `FIELD` of a JSON record or of mail, or the column of a table, that is the text or, with "+
			"--format fingerprints, the fingerprint; of title,body those that a record has, a line each").Told("text"),
		c.Without.As("without", "leave out `WHAT`: menus (of pages of HTML, with headers, footers and notices), quotes (of earlier messages), signatures or nothing; menus,quotes,signatures are all").
			By(readWithout).Told("menus"),
		c.MaxDocument.As("max-document", "leave out documents of more than `SIZE`, and report them as bad").By(parseSize).
			Told("64MB, less if --memory requires it"),
		c.Include.As("include", "of directories, read only the files that `GLOB` matches, such as *.md or docs/**/*.txt, or with a ! before it, all but these; names that begin with a dot want a GLOB that has it"),
		c.Skip.As("skip", "leave out `WHAT`, and end with status 0: bad (what cannot be read), binary (files of directories that are no texts) or gitignore (of directories, what .gitignore files name); bad,binary are both").By(readSkipped),
	})
	return c.Inputs
}

// readFormat reads the value of --format.
func (c *Flags) readFormat(s string) (f corpus.Format, err error) {
	if tokens, sized := strings.CutPrefix(s, "code:"); sized {
		c.Tokens, err = Count("tokens")(tokens)
		return corpus.Code, err
	}
	return corpus.ParseFormat(s)
}

// skipped is what may be left out without an error: documents that cannot be read, files of directories that are no
// texts, and files that .gitignore names.
type skipped struct{ Bad, Binary, GitIgnore bool }

// readSkipped reads the value of --skip.
func readSkipped(names string) (s skipped, err error) {
	of := map[string]*bool{"bad": &s.Bad, "binary": &s.Binary, "gitignore": &s.GitIgnore}
	for name := range strings.SplitSeq(names, ",") {
		if of[name] == nil {
			return s, fmt.Errorf("unknown %q: want bad, binary, gitignore, or some of them with commas between", name)
		}
		*of[name] = true
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

// asks reports whether the command asks which documents are near, of an index or of inputs.
func (c *Flags) asks() bool {
	return slices.Contains([]string{"near", "pairs", "groups"}, c.Command.Name)
}

// queries returns how many arguments are to be queries: of near the first one, unless a flag is.
func (c *Flags) queries() int {
	if c.Command.Name == "near" && FirstGiven(&c.Text, &c.Fingerprint, &c.ID) == "" {
		return 1
	}
	return 0
}

// takeCollection sets Of where near, pairs or groups names no index.
func (c *Flags) takeCollection() {
	if !c.asks() || c.Index.Value != "" || c.OfInputs() {
		return
	}
	of, queries := *c, min(c.queries(), len(c.Args))
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

// stored returns what the index of --index says of itself, and whether there is one.
func (c *Flags) stored() (m *index.Manifest, there bool, err error) {
	dir := c.Index.Value
	if _, absent := os.Stat(filepath.Join(dir, index.ManifestName)); dir == "" || errors.Is(absent, fs.ErrNotExist) {
		return new(index.Manifest), false, nil
	}
	m, err = index.ReadManifest(dir)
	return m, err == nil, err
}

// fieldsOf returns the names of fields that the command line gives, or else an index, if it is there, or else the
// configuration file.
func (c *Flags) fieldsOf(stored index.Input, there bool) index.Input {
	without := c.Without.Value
	if there && !c.Without.Given {
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
	if c.namesFingerprints() {
		in.TextField, in.FingerprintField = stored.TextField, c.TextField.Value
	}
	return in
}

// namesFingerprints reports whether --text-field names the field of records that is a fingerprint.
func (c *Flags) namesFingerprints() bool {
	return c.Format.Value == corpus.Fingerprints && c.TextField.Given && c.TextField.Value != ""
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
		Tokens:          c.Tokens,
		FingerprintBits: bits,
		// What the configuration file says of fields is for inputs that have them.
		FieldsOptional: !c.IDField.Given && !c.TextField.Given,
		FilesFrom:      c.FilesFrom.Value,
		GitIgnore:      c.Skip.Value.GitIgnore,
		Lenient:        c.Skip.Value.Bad,
		MaxDocument:    c.MaxDocument.Value,
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
	m, there, err := c.stored()
	if err == nil && there {
		err = c.checkPictures(m.Settings)
	}
	if err != nil {
		return o, err
	}
	fields := c.fieldsOf(m.Input, there)
	o.IDField, o.TextField, o.FingerprintField = fields.IDField, fields.TextField, fields.FingerprintField
	if c.namesFingerprints() { // of records, which say themselves what they are
		o.Format = corpus.Auto
	}
	o.MailWithout, o.HTML = fields.MailWithout, fields.HTML
	o.KeepFields, o.Pairs = fields.Kept(), c.Gathers()
	Put(&c.Memory, &o.Memory)
	return o, cmp.Or(c.setPictures(&o, m.Settings.Image), corpus.CheckPatterns(slices.Concat(o.Include, o.Exclude)))
}
