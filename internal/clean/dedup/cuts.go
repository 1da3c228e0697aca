package dedup

import "simsearch/internal/quality/report"

// Cuts say which lines or paragraphs were cut from the texts of a collection. What is said of Report's strings and
// numbers holds here, too.
type Cuts struct {
	V         int           `json:"v"`       // 1
	Command   string        `json:"command"` // that does the same again, as a shell reads it
	Settings  []report.Fact `json:"settings"`
	Mode      string        `json:"mode,omitempty"` // as Report.Mode
	By        string        `json:"by"`             // "line" or "paragraph": what a part is
	Threshold float64       `json:"threshold"`      // similarity in [0, 1] from which parts are near; 1: near ones stay

	Files Files `json:"files"`

	Documents int   `json:"documents"` // changed, removed or neither
	Changed   int   `json:"changed"`   // without some of their parts
	Removed   int   `json:"removed"`   // since nothing of them was left
	Bad       int   `json:"bad"`       // could not be read and stay as they are, none of Documents
	Parts     int   `json:"parts"`     // that have a word
	Short     int   `json:"short"`     // of Parts: too short to be cut
	Exact     int   `json:"exact"`     // cut, with the words of one that stays
	Near      int   `json:"near"`      // cut, with other words
	Bytes     int64 `json:"bytes"`     // of the texts of Documents
	CutBytes  int64 `json:"cut_bytes"` // of Bytes

	Sources    []cutSource `json:"sources"`
	Repeated   []Repeated  `json:"repeated"`   // those cut most often, in descending order
	Borderline []Pair      `json:"borderline"` // parts that are near, the least near first
	Warnings   []string    `json:"warnings"`   // a sentence each

	halved int // of Changed: they lose more than half of their texts
}

// A cutSource is an input, and what was cut from its documents.
type cutSource struct {
	Path      string `json:"path"`
	Documents int    `json:"documents"`
	Changed   int    `json:"changed"`
	Removed   int    `json:"removed"`
	Bad       int    `json:"bad"`
	Parts     int    `json:"parts"`
	Exact     int    `json:"exact"`
	Near      int    `json:"near"`
	CutBytes  int64  `json:"cut_bytes"`
}

// A Repeated is a part that stays, and was cut wherever else it occurred.
type Repeated struct {
	Times int    `json:"times"` // that it was cut
	ID    string `json:"id"`    // of the document in which it stays
	Part  int    `json:"part"`  // its number there, from 1
	Text  string `json:"text"`
	Cut   bool   `json:"cut"` // there is more of the text
}
