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
	but := ""
	if absent > 0 {
		but = "; the index does not have " + terminal.Plural(absent, "id")
	}
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
	if t.JSON.Value {
		err = t.rows().Print(col("deleted", deleted), col("absent", absent))
	} else {
		t.say("deleted %s%s", terminal.Plural(deleted, "document"), but)
	}
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
	if len(where) > 0 {
		docs, err := ix.Select(where)
		for i := 0; i < len(docs) && err == nil; i++ {
			var id []byte
			id, err = ix.ID(docs[i])
			ids = append(ids, bytes.Clone(id))
		}
		return ids, 0, err
	}
	seen := map[string]bool{}
	add := func(printed []byte) error { // as an id was printed
		doc, ok, err := results.Find(ix, printed)
		id := printed
		if ok {
			id, err = ix.ID(doc)
		}
		if err != nil || seen[string(id)] {
			return err
		}
		if seen[string(id)] = true; ok {
			ids = append(ids, bytes.Clone(id))
			return nil
		}
		const most = 20
		if absent++; absent <= most {
			t.tell("the index has no document %s", terminal.Plain(string(id)))
		} else if absent == most+1 {
			t.tell("more ids of no document follow; they are only counted")
		}
		return nil
	}
	for _, id := range t.Args {
		if err := add([]byte(id)); err != nil {
			return nil, 0, err
		}
	}
	for _, list := range t.FilesFrom.Value {
		if err := intake.IDs(t.Context, list, t.stdin, add); err != nil {
			return nil, 0, err
		}
	}
	return ids, absent, nil
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
