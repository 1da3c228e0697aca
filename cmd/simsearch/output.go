package main

import (
	"io"

	"simsearch/internal/terminal"
)

type column = terminal.Column

// col returns a column of a result.
func col(key string, value any) column { return column{Key: key, Value: value} }

// name returns a column with an id.
func name(key, id string) column { return column{Key: key, Value: terminal.ID(id)} }

// newRows returns rows on standard output.
func (env *environment) newRows(asJSON bool) *terminal.Rows {
	return terminal.NewRows(env.stdout, env.outIsTerminal, env.columns, asJSON)
}

// newList returns rows of data on standard output. They are never aligned and have no heading.
func (env *environment) newList(asJSON bool) *terminal.Rows {
	return terminal.NewList(env.stdout, env.outIsTerminal, asJSON)
}

// objects returns the writer for JSON.
func (env *environment) objects() io.Writer { return terminal.Objects(env.stdout, env.outIsTerminal) }

// end ends r and returns errNothing if it printed no rows.
func end(r *terminal.Rows) error {
	if found, err := r.End(); err != nil || found {
		return err
	}
	return errNothing
}
