package main

import (
	"bytes"
	"errors"

	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/cli/results"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

func deleteCommand(t *task) *cli.Command {
	return t.command("delete", runDelete, []cli.AnyFlag{
		t.IndexFlag(),
		t.FilesFrom.As("files-from", "delete the documents whose ids `FILE` has, too, one a line; - is standard input").In(cli.SearchedGroup),
		t.DryRun.As("dry-run", "delete nothing, and print the ids of the documents that would be deleted"),
	}, t.WhereFlags(), t.CommonFlags())
}

func runDelete(t *task) error {
	var ids [][]byte
	var settings analysis.Settings
	var how index.WriterOptions
	absent := 0
	err := t.withIndex(func(ix *index.Snapshot) (err error) {
		settings, how = ix.Settings(), t.ForIndex(ix.Search())
		ids, absent, err = t.meant(ix)
		return err
	})
	if err != nil {
		return err
	}
	but := terminal.If(absent > 0, "; the index does not have %s", terminal.Plural(absent, "id"))
	if t.DryRun.Value {
		out := t.list()
		for _, id := range ids {
			if err := out.Print(name("id", string(id))); err != nil {
				return err
			}
		}
		t.say("would delete %s%s", terminal.Plural(len(ids), "document"), but)
		return end(out)
	}
	deleted := 0
	if len(ids) > 0 {
		if deleted, err = t.remove(ids, settings, how); err != nil {
			return err
		}
	}
	err = t.sum("deleted "+terminal.Plural(deleted, "document")+but, col("deleted", deleted), col("absent", absent))
	if err == nil && deleted == 0 {
		err = errNothing
	}
	return err
}

// meant returns the ids of the documents of an index that the command line means, each once, and the number of ids that
// it does not have.
func (t *task) meant(ix *index.Snapshot) (ids [][]byte, absent int, err error) {
	where, err := t.Wheres(ix)
	if err := errors.Join(err, cli.Mistakes{
		{t.HasInputs() && len(where) > 0, "delete takes ids, or conditions such as --where, and not both"},
		{!t.HasInputs() && len(t.Where.Value) == 0, "which documents? name their ids, a list of them with --files-from FILE, or conditions such as --where FIELD=VALUE"},
	}.First()); err != nil {
		return nil, 0, err
	}
	var docs []uint32
	seen := map[string]bool{}
	add := func(printed []byte) error { // as an id was printed
		const most = 20
		switch doc, ok, err := results.Find(ix, printed); {
		case err != nil:
			return err
		case ok:
			docs = append(docs, doc)
		case !seen[string(printed)]:
			seen[string(printed)] = true
			if absent++; absent <= most {
				t.tell("the index has no document %s%s", terminal.Plain(string(printed)),
					terminal.If(string(printed) == "-", "; --files-from - reads ids from standard input"))
			} else if absent == most+1 {
				t.tell("more ids of no document follow; they are only counted")
			}
		}
		return nil
	}
	if len(where) > 0 {
		docs, err = ix.Select(where)
	}
	for i := 0; i < len(t.Args) && err == nil; i++ {
		err = add([]byte(t.Args[i]))
	}
	for i := 0; i < len(t.FilesFrom.Value) && err == nil; i++ {
		err = intake.IDs(t.Context, t.FilesFrom.Value[i], t.stdin, add)
	}
	for i := 0; i < len(docs) && err == nil; i++ {
		var id []byte
		if id, err = ix.ID(docs[i]); !seen[string(id)] {
			seen[string(id)] = true
			ids = append(ids, bytes.Clone(id))
		}
	}
	return ids, absent, err
}

// remove deletes documents, and returns how many.
func (t *task) remove(ids [][]byte, settings analysis.Settings, how index.WriterOptions) (deleted int, err error) {
	w, err := index.OpenWriter(t.Index.Value, settings, how)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, id := range ids {
		if err := w.Delete(id); err != nil {
			return 0, err
		}
	}
	r, err := w.Commit(t.Context)
	return r.Deleted, err
}
