package main

import (
	"cmp"
	"errors"

	"simsearch/internal/client"
	"simsearch/internal/corpus"
	"simsearch/internal/intake"
)

// remote does near or index with --server.
func (t *task) remote(do func(*client.Command) (*intake.Intake, error)) error {
	c := &client.Command{Flags: &t.Flags, Inputs: t.inputs(), Rows: t.rows(), Tell: t.tell, Say: t.say}
	c.Open = func(bits int, changes ...func(*corpus.Options)) (*corpus.Reader, error) {
		return t.openCorpus(bits, changes...)
	}
	in, err := do(c)
	if errors.Is(err, client.ErrNothing) {
		err = errNothing
	}
	if in != nil && (err == nil || errors.Is(err, errNothing)) {
		return cmp.Or(t.badDocuments(in), err)
	}
	return err
}
