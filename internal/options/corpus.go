package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/internal/commandline"
	"simsearch/internal/corpus"
	"simsearch/internal/index"
)

// corpusFlags say how files are read.
type corpusFlags struct {
	Format                                            commandline.Flag[corpus.Format]
	FilesFrom, Include, Exclude                       list
	IDField, TextField, FingerprintField, MailWithout text
	HTML                                              text
	MaxDocument                                       commandline.Flag[int64]
	GitIgnore, Hidden                                 yes
	Skip                                              commandline.Flag[Skipped]

	Inputs []cli.Flag // all of these, if they are declared
}

// CorpusFlags returns the flags that say how files are read.
func (c *corpusFlags) CorpusFlags() []cli.Flag {
	c.Inputs = commandline.InGroup(InputGroup, []cli.Flag{
		c.Format.As("format", "read files as `FORMAT`: "+corpus.FormatUsage()).Or(corpus.Auto).
			By(func(_, s string) (corpus.Format, error) { return corpus.ParseFormat(s) }),
		c.FilesFrom.As("files-from", "read the inputs that `FILE` names, too, one a line or, if it has a NUL, with a NUL behind each; - is standard input"),
		c.IDField.As("id-field", "the `FIELD` of a JSON record, the column of a table, or the field of a WARC or mail header, that is the "+
			"id").Told("id, else path#line"),
		c.TextField.As("text-field", "the `FIELD` of a JSON record or of mail, or the column of a table, that is the text; of title,body "+
			"those that a record has, a line each").Told("text"),
		c.FingerprintField.As("fingerprint-field", "the `FIELD` of a JSON record, or the column of a table, that is the fingerprint, if there is no text"),
		c.MailWithout.As("mail-without", "of messages, leave out `WHAT`: quotes (of earlier messages), signatures, quotes,signatures or "+
			"nothing").By(withoutOf).Told("nothing"),
		c.HTML.As("html", "of pages of HTML, read `WHAT`: main (the main text, without menus, headers, footers and notices) or all").By(htmlOf).Told("main"),
		c.MaxDocument.As("max-document", "leave out documents of more than `SIZE`, and report them as bad").By(commandline.ParseSize).
			Told("64MB, less if --memory requires it"),
		c.Include.As("include", "of directories, read only the files that `GLOB` matches, such as *.md or docs/**/*.txt"),
		c.Exclude.As("exclude", "of directories, leave out the files and directories that `GLOB` matches"),
		c.GitIgnore.As("gitignore", "of directories, leave out what .gitignore files name"),
		c.Hidden.As("hidden", "read files and directories whose name begins with a dot, too"),
		c.Skip.As("skip", "end with status 0 though `WHAT` is left out: bad (what cannot be read) or binary (files of directories that are no texts); bad,binary are both").By(commandline.Named(readSkipped)),
	})
	return c.Inputs
}

// Skipped is what may be left out without an error.
type Skipped struct {
	Bad    bool // documents that cannot be read
	Binary bool // files of directories that are no texts
}

// readSkipped reads the value of --skip.
func readSkipped(names string) (s Skipped, err error) {
	for name := range strings.SplitSeq(names, ",") {
		switch name {
		case "bad":
			s.Bad = true
		case "binary":
			s.Binary = true
		default:
			return s, fmt.Errorf("unknown %q: want bad, binary or bad,binary", name)
		}
	}
	return s, nil
}

// withoutOf reads the value of --mail-without.
func withoutOf(_, names string) (string, error) {
	names, err := corpus.MailWithout(names)
	if err != nil {
		err = fmt.Errorf("--mail-without %w", err)
	}
	return names, err
}

// htmlOf reads the value of --html.
func htmlOf(_, name string) (string, error) {
	name, err := corpus.HTMLText(name)
	if err != nil {
		err = fmt.Errorf("--html %w", err)
	}
	return name, err
}

// HasInputs reports whether arguments or --files-from name inputs.
func (c *Flags) HasInputs() bool { return len(c.Args) > 0 || c.FilesFrom.Given }

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
	html := c.HTML.Value
	if exists && !c.HTML.Given {
		html = stored.HTML
	}
	of := func(flag *text, stored string) string {
		if flag.Given || stored == "" {
			return flag.Value
		}
		return stored
	}
	return index.Input{
		IDField: of(&c.IDField, stored.IDField), TextField: of(&c.TextField, stored.TextField),
		FingerprintField: of(&c.FingerprintField, stored.FingerprintField), MailWithout: of(&c.MailWithout, stored.MailWithout), HTML: html,
		KeepFields: of(&c.KeepFields, stored.KeepFields),
	}, nil
}

// CorpusOptions returns the options for reading inputs that the flags give. Fingerprints have the
// given number of bits. Standard input and what is told of decisions are the caller's.
func (c *Flags) CorpusOptions(bits int) (o corpus.Options, err error) {
	o = corpus.Options{
		Format:          c.Format.Value,
		FingerprintBits: bits,
		// What the configuration file says of fields is for inputs that have them.
		FieldsOptional: !c.IDField.Given && !c.TextField.Given && !c.FingerprintField.Given,
		FilesFrom:      c.FilesFrom.Value,
		Include:        c.Include.Value,
		Exclude:        c.Exclude.Value,
		GitIgnore:      c.GitIgnore.Value,
		Hidden:         c.Hidden.Value,
		Lenient:        c.Skip.Value.Bad,
		Context:        c.Context,
	}
	fields, err := c.fieldsOf()
	if err != nil {
		return o, err
	}
	o.IDField, o.TextField, o.FingerprintField = fields.IDField, fields.TextField, fields.FingerprintField
	if err := c.setPictures(&o); err != nil {
		return o, err
	}
	if o.MailWithout, err = corpus.MailWithout(fields.MailWithout); err != nil {
		return o, fmt.Errorf("--mail-without %w", err)
	}
	o.HTML = fields.HTML
	o.KeepFields, o.Pairs = fields.Kept(), c.Gathers()
	if err := corpus.CheckPatterns(slices.Concat(o.Include, o.Exclude)); err != nil {
		return o, err
	}
	o.MaxDocument = c.MaxDocument.Value
	commandline.Put(&c.Memory, &o.Memory)
	return o, nil
}
