package results

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"simsearch/index"
	"simsearch/internal/idtext"
	"simsearch/internal/terminal"
)

// Named returns the id and the text of the document of an index that a user names: by its id, as it stands or as a list or a
// terminal prints it, or by the end of its id, behind a slash or from a number sign on, if that is the end
// of one id only. Looking for ends reads all ids.
func Named(ix *index.Snapshot, texts Texts, name string) (id, text string, err error) {
	doc, err := named(ix, name)
	if err != nil {
		return "", "", err
	}
	whole, err := ix.ID(doc)
	if err != nil {
		return "", "", err
	}
	if text, err = texts.Text(doc); err != nil {
		return "", "", fmt.Errorf("%s: %w", terminal.Plain(string(whole)), err)
	}
	return string(whole), text, nil
}

// named returns the number of the document that a user names.
func named(ix *index.Snapshot, name string) (doc uint32, err error) {
	given := []byte(name)
	for _, id := range [][]byte{given, idtext.List.AppendID(nil, given), idtext.Terminal.AppendID(nil, given)} {
		if doc, ok, err := ix.Find(id); ok || err != nil {
			return doc, err
		}
	}
	var found []string // ids
	for d := range uint32(ix.Len()) {
		id, err := ix.ID(d)
		if err != nil {
			return 0, err
		}
		if before, ok := bytes.CutSuffix(id, given); ok && (bytes.HasSuffix(before, []byte("/")) || strings.HasPrefix(name, "#")) {
			found = append(found, terminal.Plain(string(id)))
			doc = d
		}
	}
	switch len(found) {
	case 0:
		return 0, errors.New(terminal.Plain(name) + " is neither a file nor a document of the index")
	case 1:
		return doc, nil
	}
	return 0, fmt.Errorf("the ids of %s of the index end in %s, such as %s and %s: give more of the id",
		terminal.Plural(len(found), "document"), terminal.Plain(name), found[0], found[1])
}
