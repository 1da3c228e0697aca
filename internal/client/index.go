package client

import (
	"errors"
	"fmt"
	"strings"

	"simsearch/internal/document"
	"simsearch/internal/intake"
	"simsearch/internal/results"
	"simsearch/internal/service"
	"simsearch/internal/terminal"
)

// An indexing sends the documents of inputs to a collection.
type indexing struct {
	*Command
	in    *intake.Intake
	total results.Indexed

	batch []service.Document
	bytes int
	under *sending[service.Outcome] // the batch before, nil if its answer has come
}

// Index sends the documents of inputs to the collection, which is made if there is none. It returns what was read of them.
func Index(c *Command) (*intake.Intake, error) {
	if err := c.connect(); err != nil {
		if err = c.create(err); err != nil {
			return nil, err
		}
	}
	r, err := c.Open(c.bits(), c.keep)
	if err != nil {
		return nil, err
	}
	x := &indexing{Command: c, in: c.Inputs.Start(r, c.Progress, "sending")}
	err = x.in.End(x.send())
	x.total.Bad, x.total.Passed, x.total.Indexing = x.in.Bad, results.PassedOf(r, false), x.in.Meter.Elapsed()
	x.total.Bytes, _ = r.Progress()
	if err != nil {
		if n := x.total.Added + x.total.Replaced; n > 0 {
			c.Tell("the collection has taken %s of this run; the same command goes on from there", terminal.Plural(n, "document"))
		}
		return x.in, err
	}
	if c.JSON.Value {
		t := &x.total
		return x.in, c.Rows.Print([]terminal.Column{
			{Key: "added", Value: t.Added}, {Key: "replaced", Value: t.Replaced}, {Key: "unchanged", Value: t.Unchanged}, {Key: "bad", Value: t.Bad},
			{Key: "binary_files", Value: t.Passed.Files}, {Key: "bytes", Value: int(t.Bytes)},
		}...)
	}
	c.Say("%v", x.total)
	return x.in, nil
}

// create makes the collection, if err says that there is none.
func (c *Command) create(err error) error {
	var why *service.Error
	if !errors.As(err, &why) || why.Code != service.NotFound {
		return err
	}
	settings := &service.Settings{}
	if c.KeepFields.Given {
		settings.Fields = strings.Split(c.KeepFields.Value, ",")
	}
	if c.info, err = c.client.Create(c.Context, settings); err == nil {
		c.Tell("made the collection %s, of texts", terminal.Plain(c.info.Name))
	}
	return err
}

// send sends all documents. A batch is read while the server works on the one before.
func (x *indexing) send() error {
	for doc, err := range x.in.Documents() {
		if err == nil {
			err = x.add(doc)
		}
		if err != nil {
			return errors.Join(err, x.wait())
		}
	}
	if err := x.flush(); err != nil {
		return err
	}
	return x.wait()
}

// add adds a document to the batch.
func (x *indexing) add(doc *document.Document) error {
	content, err := x.content(doc)
	if err != nil {
		x.in.Report(fmt.Sprintf("%s: %v", terminal.Plain(string(doc.ID)), err))
		return nil
	}
	to := service.Document{ID: string(doc.ID), Content: content}
	if doc.Source == "-" && (to.ID == "-" || strings.HasPrefix(to.ID, "-#")) {
		to.ID = "" // the number of a line would stand for another document the next time
	}
	for i, name := range x.info.Settings.Fields {
		if value, ok := document.Field(doc.Fields, i); ok {
			if to.Fields == nil {
				to.Fields = map[string]any{}
			}
			to.Fields[name] = string(value)
		}
	}
	x.batch = append(x.batch, to)
	if x.bytes += len(doc.Text) + len(doc.Fields); len(x.batch) < batchDocuments && x.bytes < batchBytes {
		return nil
	}
	return x.flush()
}

// flush sends the batch, when the one before has been taken.
func (x *indexing) flush() error {
	if err := x.wait(); err != nil || len(x.batch) == 0 {
		return err
	}
	x.under = start(x.Context, x.client.Put, x.batch)
	x.batch, x.bytes = nil, 0
	return nil
}

// wait waits for the answer to the batch that was sent, and counts it.
func (x *indexing) wait() error {
	if x.under == nil {
		return nil
	}
	outcomes, err := x.under.wait()
	x.under = nil
	for _, o := range outcomes {
		switch {
		case o.Error != nil:
			x.in.Report(fmt.Sprintf("%s: %v", terminal.Plain(o.ID), o.Error))
		case o.Outcome == "added":
			x.total.Added++
		case o.Outcome == "replaced":
			x.total.Replaced++
		case o.Outcome == "unchanged":
			x.total.Unchanged++
		}
	}
	return err
}
