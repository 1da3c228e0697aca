package options

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/internal/analysis"
	"simsearch/internal/copied"
	"simsearch/internal/corpus"
	"simsearch/internal/dedup"
	"simsearch/internal/index"
	"simsearch/internal/lsh"
)

// advices say what the user of the command can do about a class of errors. FILE is the file that cannot be read. The packages
// below say what is wrong. They know no flags.
var advices = []struct {
	class  error
	advice string
}{
	{dedup.ErrState, ": run dedup on the files again, or put back the file from a copy"},
	{index.ErrUndecided, "; --revive keeps all of them, and --drop none"},
	{index.ErrNoRepair, "; restore the file from a copy, or build the index again from its source"},
	{index.ErrCorrupt, "; restore the file from a copy; or simsearch verify lists all damage, and simsearch repair keeps what can be read"},
	{index.ErrNoIndex, "; name the directory of an index"},
	{index.ErrKind, "; each kind wants an index of its own (--format fingerprints reads lists of fingerprints, and near --k N compares " +
		"them with those of texts)"},
	{index.ErrLocked, "; try again when it has ended"},
	{index.ErrSettings, "; leave the setting out to add to the index, or make a new one elsewhere"},
	{index.ErrNoText, "; an index that is made with --store text, or --store source, can show them"},
	{analysis.ErrNotLearnt, "; name an index that was made with them"},
	{analysis.ErrNoBands, ": choose --sketch super, fast, independent or xor"},
	{lsh.ErrRecall, "; make the index with more --perms, or ask for less --recall"},
	{dedup.ErrText, "; leave such files out by --exclude, such as --exclude '*.html' --exclude '*.docx'"},
	{corpus.ErrPicture, "; --format image makes hashes of pictures, in an index of their own"},
	{copied.ErrMemory, "; simsearch index --passages makes an index of them, which pairs --passages --index DIR reads"},
	{corpus.ErrMemory, "; --memory SIZE sets another limit"},
	{corpus.ErrTooLong, "; --max-document SIZE sets another limit"},
	{corpus.ErrOffice, "; a converter makes a text of it, such as: pandoc -t plain FILE | simsearch … -"},
	{corpus.ErrPDF, ": try pdftotext FILE - | simsearch … -"},
	{corpus.ErrWindow, ": try zstd -dc --long=31 FILE | simsearch … -, or with xz -dc FILE"},
	{corpus.ErrFields, "; JSON, CSV, Parquet and mail have fields, and --format jsonl reads it as JSON Lines"},
	{corpus.ErrNames, "; --files-from - reads these files, and --format text takes the list as a text"},
	{corpus.ErrFingerprints, "; --format fingerprints reads them"},
}

// Advice returns what can be done about err, with the punctuation before it. It returns "" if there
// is no advice.
func Advice(err error) string {
	if field := (*corpus.FieldError)(nil); errors.As(err, &field) {
		advice := ": choose one with " + map[string]string{"TextField": "--text-field", "AgainstField": "--against-field", "IDField": "--id-field"}[field.Option]
		if field.Guessed {
			advice += ", or read it with --format text"
		}
		return advice
	}
	if field := (*dedup.FieldError)(nil); errors.As(err, &field) {
		if field.More {
			return ": name another one, or let --skip-bad read on"
		}
		return ": name another one"
	}
	if absent := (*index.AbsentError)(nil); errors.As(err, &absent) {
		return "; make one with: simsearch index --index " + absent.Dir + " INPUT..."
	}
	for _, a := range advices {
		if !errors.Is(err, a.class) {
			continue
		}
		if file := (*corpus.BadError)(nil); errors.As(err, &file) {
			return strings.ReplaceAll(a.advice, "FILE", file.Path)
		}
		return a.advice
	}
	return ""
}

// Hints are what to do instead of giving a flag that commands do not have, but that other programs have.
func Hints(commands []*cli.Command) map[string]string {
	hints := map[string]string{
		"index --k":       "an index answers every distance, and --plan-k says which it is planned for",
		"near --blocks":   "index --blocks chooses the tables, and queries follow it",
		"pairs --blocks":  "index --blocks chooses the tables, and queries follow it",
		"groups --format": "--output prints a table or a page, and --json objects",
		"pairs --format":  "--json prints objects",

		"dedup --rethreshold": "--from DIR --jaccard T decides again", "dedup --replay": "--from FILE removes what it lists",
		"dedup --reviewed": "--from FILE takes marks", "dedup --min-words": "it is --passage-words now",
		"decontaminate --words": "it is --passage-words now", "decontaminate --min-words": "it is decided by --passage-words",
		"decontaminate --max-places": "it is decided by itself", "decontaminate --test-field": "give --test FILE:FIELD",
		"decontaminate --test-format": "tests are read as their names say; write others as JSON Lines",
	}
	for _, c := range commands {
		has := func(name string) bool {
			return slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		}
		if !has("jaccard") {
			continue
		}
		similarity := "--jaccard is the similarity of sets of words"
		if has("equal-bits") {
			similarity += ", and --equal-bits that of fingerprints"
		}
		for _, name := range []string{"similarity", "min-similarity", "sim"} {
			hints[c.Name+" --"+name] = similarity
		}
		for _, name := range []string{"distance", "max-distance"} {
			hints[c.Name+" --"+name] = "--k is the distance of fingerprints"
		}
	}
	return hints
}

// Essential are the flags that the short help shows, of all commands or of one.
var Essential = []string{
	"index", "k", "jaccard", "contained", "preset", "lang", "passages", "where", "since", "show", "limit", "json", "memory", "threads", "quiet",
	"dedup --by", "dedup --keep", "dedup --against", "dedup --spare", "dedup --out", "dedup --annotate", "dedup --dry-run", "dedup --review",
	"dedup --prefer", "dedup --append", "dedup --from",
	"index --sync", "index --on-conflict", "index --keep-fields", "index --store", "index --mode", "index --features", "index --weights",
	"near --text", "near --id", "near --nearest", "near --new", "near --matched", "near --add", "near --passage-words",
	"pairs --spare", "pairs --by-field", "pairs --base", "pairs --by-folder", "pairs --out", "pairs --passage-words",
	"groups --keep", "groups --spare", "groups --review", "groups --chain", "groups --output", "compare --top", "compare --features", "export --as",
	"decontaminate --test", "decontaminate --purify", "decontaminate --out", "decontaminate --min-share",
	"eval --truth", "eval --recommend", "eval --min-precision", "eval --min-recall", "eval --mode", "eval --features", "eval --out", "watch --every",
	"watch --mode", "serve --data", "serve --mount", "serve --read-only", "serve --write", "serve --listen", "serve --token-file", "serve --stdio",
	"serve --mcp", "delete --ids", "delete --dry-run", "repair --dry-run", "repair --revive", "repair --drop", "step --in", "step --share",
	"step --part", "step --parts", "step --keep", "step --out",
}

// OwnMeaning are the flags that mean something of their own in a command: the part of a configuration file that is for all commands
// gives them no value.
var OwnMeaning = []string{
	"dedup --contained", "dedup --dry-run", "dedup --spare", "pairs --spare", "groups --spare", "dedup --review",
	"groups --review", "index --passages", "dedup --k", "dedup --keep", "dedup --passage-words", "decontaminate --passage-words", "groups --keep", "dedup --out", "repair --dry-run", "eval --bands",
	"eval --index", "serve --index", "serve --token-file", "eval --k", "eval --jaccard", "decontaminate --out", "pairs --out",
	"decontaminate --min-share", "step --k", "step --keep", "step --spare", "step --out",
}
