package corpus

import (
	"encoding/json"
	"strings"
)

var notebookKind = kind{
	name: "notebook", extensions: []string{".ipynb"}, charsets: oneCharset, open: openWhole((*textSource).codeOfCells),
}

// codeOfCells returns the code of a notebook of Jupyter: that of its cells, without what they have printed. A file that
// is none is a text.
func (t *textSource) codeOfCells(content []byte) (code []byte, err error) {
	var notebook struct {
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage // a string, or a list of strings
		}
	}
	if json.Unmarshal(content, &notebook) != nil || notebook.Cells == nil {
		return content, nil
	}
	var texts jsonSource
	for _, cell := range notebook.Cells {
		if cell.Type == "code" && len(cell.Source) > 0 {
			code = append(append(code, strings.Join(texts.appendTexts(nil, cell.Source, 0), "")...), '\n')
		}
	}
	return code, nil
}
