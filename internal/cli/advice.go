package cli

import (
	"errors"
	"strings"

	"simsearch/internal/clean/copied"
	"simsearch/internal/clean/dedup"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/match/lsh"
)

// advices say what the user of the command can do about a class of errors. FILE is the file that cannot be read. The
// packages below say what is wrong. They know no flags.
var advices = []struct {
	class  error
	advice string
}{
	{dedup.ErrState, ": run dedup on the files again, or put back the file from a copy"},
	{index.ErrUndecided, "; --deleted keep keeps all of them, and --deleted drop none"},
	{index.ErrNoRepair, "; restore the file from a copy, or build the index again from its source"},
	{index.ErrCorrupt, "; restore the file from a copy; or simsearch verify lists all damage, and simsearch repair keeps what can be read"},
	{index.ErrNoIndex, "; name the directory of an index"},
	{index.ErrKind, "; each kind wants an index of its own (--format fingerprints reads lists of fingerprints, and near --k N compares " +
		"them with those of texts)"},
	{index.ErrLocked, "; try again when it has ended"},
	{index.ErrSettings, "; leave the setting out to add to the index, or make a new one elsewhere"},
	{index.ErrNoText, "; an index that is made with --store text, or --store source, can show them"},
	{analysis.ErrNotLearnt, "; name an index that was made with them"},
	{lsh.ErrRecall, "; make the index with more --perms, or ask for less --recall"},
	{dedup.ErrText, "; leave such files out, such as by --include '!*.html' --include '!*.docx'"},
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
		return ": choose one with " + map[string]string{"TextField": "--text-field", "AgainstField": "--against FILE:FIELD",
			"IDField": "--id-field"}[field.Option] + terminal.If(field.Guessed, ", or read it with --format text")
	}
	if record := (*corpus.LackError)(nil); errors.As(err, &record) && len(record.Fields) > 0 {
		return "; the record has " + strings.Join(record.Fields, ", ")
	}
	if field := (*dedup.FieldError)(nil); errors.As(err, &field) {
		return ": name another one" + terminal.If(field.More, ", or let --skip bad read on")
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

// Essential are the flags that the short help shows, of all commands or of one.
var Essential = []string{
	"index", "k", "jaccard", "copy", "preset", "lang", "passages", "where", "show", "limit", "json", "memory", "threads", "quiet",
	"dedup --by", "dedup --keep", "dedup --against", "dedup --spare", "dedup --out", "dedup --annotate", "dedup --dry-run", "dedup --review",
	"dedup --append", "dedup --lossless", "dedup --from", "index --sync", "index --keep-fields", "index --store", "index --mode", "index --features", "index --weights",
	"near --text", "near --id", "near --nearest", "near --new", "near --matched", "near --add", "near --passage-words",
	"pairs --spare", "pairs --by-field", "pairs --boilerplate", "pairs --out", "pairs --passage-words",
	"groups --spare", "groups --group", "groups --out", "groups --against", "compare --limit", "compare --features", "export --as",
	"decontaminate --test", "decontaminate --purify", "decontaminate --out",
	"eval --truth", "eval --recommend", "eval --want", "eval --mode", "eval --features", "eval --out",
	"watch --mode", "serve --data", "serve --mount", "serve --read-only", "serve --write", "serve --listen", "serve --token-file", "serve --stdio",
	"serve --mcp", "delete --files-from", "delete --dry-run", "repair --dry-run", "repair --deleted", "step --in", "step --share",
	"step --part", "step --parts", "step --keep", "step --out",
}

// OwnMeaning are the flags that mean something of their own in a command: the part of a configuration file that is
// for all commands gives them no value.
var OwnMeaning = []string{
	"dedup --contained", "dedup --dry-run", "dedup --spare", "pairs --spare", "groups --spare", "dedup --review",
	"index --passages", "index --k", "index --jaccard", "dedup --k", "dedup --keep", "dedup --passage-words", "dedup --out", "repair --dry-run", "eval --bands",
	"eval --index", "serve --index", "serve --token-file", "eval --k", "eval --jaccard", "decontaminate --out", "pairs --out", "decontaminate --passage-words", "dedup --boilerplate", "compare --limit", "export --as",
	"groups --group", "groups --out", "groups --against", "delete --files-from", "step --k", "step --keep", "step --spare", "step --out",
}
