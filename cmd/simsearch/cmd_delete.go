package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/options"
	"simsearch/internal/stream"
	"simsearch/internal/terminal"
)

func deleteCommand(t *task) *cli.Command {
	return t.command("delete", runDelete, []cli.Flag{
		t.IndexFlag(),
		t.IDs.As("ids", "delete the documents whose ids `FILE` has, too, one a line; - is standard input"),
		t.DryRun.As("dry-run", "delete nothing, and print the ids of the documents that would be deleted"),
	}, t.WhereFlags(), t.CommonFlags())
}

func runDelete(t *task) (err error) {
	d := deletion{task: t, seen: map[string]bool{}}
	err = t.withIndex(func(ix *index.Snapshot) error {
		d.settings, d.how = ix.Settings(), options.ForIndex(d.Common, ix.Search())
		return d.choose(ix)
	})
	if err != nil {
		return err
	}
	if t.DryRun.Value {
		return d.print()
	}
	if len(d.ids) > 0 {
		if err := d.run(); err != nil {
			return err
		}
	}
	return d.report()
}

// A deletion is the documents that a command deletes.
type deletion struct {
	*task
	settings analysis.Settings
	how      index.WriterOptions
	ids      [][]byte // of documents of the index, without repetitions
	absent   int      // ids that the index does not have
	deleted  int
	seen     map[string]bool // ids
}

// choose finds the documents that the command line means.
func (d *deletion) choose(ix *index.Snapshot) error {
	where, err := d.Wheres(ix)
	if err != nil {
		return err
	}
	byID := len(d.Args) > 0 || d.IDs.Given
	switch {
	case byID && len(where) > 0:
		return errors.New("delete takes ids, or conditions such as --where, and not both")
	case len(where) > 0:
		docs, err := ix.Select(where)
		for _, doc := range docs {
			var id []byte
			if err == nil {
				id, err = ix.ID(doc)
			}
			d.ids = append(d.ids, bytes.Clone(id))
		}
		return err
	case !byID:
		return errors.New("which documents? name their ids, a list of them with --ids FILE, or conditions such as --where FIELD=VALUE")
	}
	for _, id := range d.Args {
		if err := d.add(ix, []byte(id)); err != nil {
			return err
		}
	}
	if !d.IDs.Given {
		return nil
	}
	return d.addList(ix)
}

// addList adds the documents of the list that --ids names.
func (d *deletion) addList(ix *index.Snapshot) error {
	name := d.IDs.Value
	from := d.stdin
	if name != "-" {
		f, err := stream.OpenIrregular(d.Context, name)
		if err != nil {
			if pe := (*os.PathError)(nil); errors.As(err, &pe) {
				err = fmt.Errorf("cannot read %s: %w", name, pe.Err)
			}
			return err
		}
		defer func() { _ = f.Close() }() // opened for reading: there is nothing to lose
		from = f
	}
	lines := bufio.NewReader(stream.Interruptibly(d.Context, from))
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		id := bytes.TrimRight(line, "\r\n")
		if n == 1 {
			id = bytes.TrimPrefix(id, []byte("\ufeff"))
		}
		if bytes.IndexByte(id, '\t') >= 0 {
			return fmt.Errorf("%s:%d: a tab: want one id a line, and nothing else", name, n)
		}
		if len(id) > 0 {
			if err := d.add(ix, id); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

// add adds the document with an id, which is as it was printed.
func (d *deletion) add(ix *index.Snapshot, printed []byte) error {
	id := idtext.List.AppendID(nil, printed)
	_, ok, err := ix.Find(id)
	if err == nil && !ok {
		id = bytes.Clone(printed)
		_, ok, err = ix.Find(id)
	}
	if err != nil || d.seen[string(id)] {
		return err
	}
	d.seen[string(id)] = true
	if ok {
		d.ids = append(d.ids, id)
		return nil
	}
	const most = 20
	if d.absent++; d.absent <= most {
		d.tell("the index has no document %s", terminal.Plain(string(id)))
	} else if d.absent == most+1 {
		d.tell("more ids of no document follow; they are only counted")
	}
	return nil
}

// run deletes the documents.
func (d *deletion) run() (err error) {
	w, err := index.OpenWriter(d.Index.Value, d.settings, d.how)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, id := range d.ids {
		if err := w.Delete(id); err != nil {
			return err
		}
	}
	r, err := w.Commit(d.Context)
	d.deleted = r.Deleted
	return err
}

// print prints the ids.
func (d *deletion) print() error {
	out := d.list()
	for _, id := range d.ids {
		if err := out.Print(name("id", string(id))); err != nil {
			return err
		}
	}
	d.say("would delete %s%s", terminal.Plural(len(d.ids), "document"), d.aboutAbsent())
	return end(out)
}

// report says what was deleted.
func (d *deletion) report() error {
	if d.Common.JSON {
		if err := d.rows().Print(col("deleted", d.deleted), col("absent", d.absent)); err != nil {
			return err
		}
	} else {
		d.say("deleted %s%s", terminal.Plural(d.deleted, "document"), d.aboutAbsent())
	}
	if d.deleted == 0 {
		return errNothing
	}
	return nil
}

func (d *deletion) aboutAbsent() string {
	if d.absent == 0 {
		return ""
	}
	return "; the index does not have " + terminal.Plural(d.absent, "id")
}
