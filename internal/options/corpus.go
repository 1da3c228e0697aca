package options

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"simsearch/corpus"
	"simsearch/index"
	"simsearch/internal/commandline"
)

// CorpusFlags returns the flags that say how files are read.
func CorpusFlags() []cli.Flag {
	return commandline.InGroup(InputGroup, []cli.Flag{
		&cli.StringFlag{Name: "format", Value: corpus.Auto.String(), Usage: "read files as `FORMAT`: " + corpus.FormatUsage()},
		&cli.StringSliceFlag{Name: "files-from", Usage: "read the inputs that `FILE` names, too, one a line or, if it has a NUL, with a NUL behind each; - is standard input"},
		&cli.StringFlag{Name: "id-field", Usage: "the `FIELD` of a JSON record, the column of a table, or the field of a WARC or mail header, that is the id", DefaultText: "id, else path#line"},
		&cli.StringFlag{Name: "text-field", Usage: "the `FIELD` of a JSON record or of mail, or the column of a table, that is the text; of title,body those that a record has, a line each", DefaultText: "text"},
		&cli.StringFlag{Name: "fingerprint-field", Usage: "the `FIELD` of a JSON record, or the column of a table, that is the fingerprint, if there is no text"},
		&cli.StringFlag{Name: "mail-without", Usage: "of messages, leave out `WHAT`: quotes (of earlier messages), signatures, quotes,signatures or nothing", DefaultText: "nothing"},
		&cli.StringFlag{Name: "max-document", Usage: "leave out documents of more than `SIZE`, and report them as bad", DefaultText: "64MB, less if --memory requires it"},
		&cli.StringSliceFlag{Name: "include", Usage: "of directories, read only the files that `GLOB` matches, such as *.md or docs/**/*.txt"},
		&cli.StringSliceFlag{Name: "exclude", Usage: "of directories, leave out the files and directories that `GLOB` matches"},
		&cli.BoolFlag{Name: "gitignore", DisableDefaultText: true, Usage: "of directories, leave out what .gitignore files name"},
		&cli.BoolFlag{Name: "hidden", DisableDefaultText: true, Usage: "read files and directories whose name begins with a dot, too"},
		&cli.BoolFlag{Name: "skip-bad", DisableDefaultText: true, Usage: "end with status 0 though documents could not be read"},
	})
}

// HasInputs reports whether arguments or --files-from name inputs.
func HasInputs(c *cli.Context) bool { return c.Args().Present() || c.IsSet("files-from") }

// fieldsOf returns the names of fields that the command line gives, or else the index, or else the
// configuration file.
func fieldsOf(c *cli.Context) (index.Input, error) {
	var stored index.Input
	if dir := c.String("index"); dir != "" {
		var err error
		if stored, err = index.ReadInput(dir); err != nil && !errors.Is(err, index.ErrNoIndex) {
			return stored, err
		}
	}
	of := func(flag, stored string) string {
		if c.IsSet(flag) || stored == "" {
			return c.String(flag)
		}
		return stored
	}
	return index.Input{
		IDField: of("id-field", stored.IDField), TextField: of("text-field", stored.TextField),
		FingerprintField: of("fingerprint-field", stored.FingerprintField), MailWithout: of("mail-without", stored.MailWithout),
		KeepFields: of("keep-fields", stored.KeepFields),
	}, nil
}

// CorpusOptions returns the options for reading inputs that the flags give. Fingerprints have the
// given number of bits. Standard input and what is told of decisions are the caller's.
func CorpusOptions(c *cli.Context, bits int) (o corpus.Options, err error) {
	format, err := corpus.ParseFormat(c.String("format"))
	if err != nil {
		return o, err
	}
	o = corpus.Options{
		Format:          format,
		FingerprintBits: bits,
		// What the configuration file says of fields is for inputs that have them.
		FieldsOptional: !c.IsSet("id-field") && !c.IsSet("text-field") && !c.IsSet("fingerprint-field"),
		FilesFrom:      c.StringSlice("files-from"),
		Include:        c.StringSlice("include"),
		Exclude:        c.StringSlice("exclude"),
		GitIgnore:      c.Bool("gitignore"),
		Hidden:         c.Bool("hidden"),
		Lenient:        c.Bool("skip-bad"),
		Context:        c.Context,
	}
	fields, err := fieldsOf(c)
	if err != nil {
		return o, err
	}
	o.IDField, o.TextField, o.FingerprintField = fields.IDField, fields.TextField, fields.FingerprintField
	if err := setPictures(c, &o); err != nil {
		return o, err
	}
	if o.MailWithout, err = corpus.MailWithout(fields.MailWithout); err != nil {
		return o, fmt.Errorf("--mail-without %w", err)
	}
	o.KeepFields, o.Pairs = fields.Kept(), Gathers(c)
	if err := corpus.CheckPatterns(slices.Concat(o.Include, o.Exclude)); err != nil {
		return o, err
	}
	for _, size := range []struct {
		flag string
		into *int64
	}{{"max-document", &o.MaxDocument}, {"memory", &o.Memory}} {
		if s := c.String(size.flag); s != "" {
			if *size.into, err = commandline.ParseSize(size.flag, s); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}
