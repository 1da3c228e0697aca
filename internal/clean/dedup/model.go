package dedup

import (
	"simsearch/internal/clean/review"
	"simsearch/internal/clean/run"
	"simsearch/internal/clean/warnings"
	"simsearch/internal/files/corpus"
	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/report"
)

// A Report says what was removed from a collection. Its JSON form is the file report.json. All strings may
// have any bytes. All numbers are finite, and no count is negative.
type Report struct {
	V         int           `json:"v"`       // 1
	Command   string        `json:"command"` // that does the same again, as a shell reads it
	Settings  []report.Fact `json:"settings"`
	Threshold float64       `json:"threshold"`      // similarity in [0, 1] from which documents are near
	Copy      float64       `json:"copy,omitempty"` // probability of a copy from which on documents are near; 0 if none is asked for
	// Mode is "dry-run" if nothing was written of documents, "annotate" if all of them stay and are marked, and else
	// "".
	Mode string `json:"mode,omitempty"`
	// K is the largest distance of the fingerprints of near documents in bits, in [0, 64], or nil if near goes by
	// another similarity.
	K *int `json:"k,omitempty"`
	// Pictures says that the documents are pictures.
	Pictures bool `json:"pictures,omitempty"`

	Files Files `json:"files"`

	Documents int                `json:"documents"` // kept or removed
	Kept      int                `json:"kept"`
	Removed   int                `json:"removed"`              // Exact + Words + Near
	Exact     int                `json:"exact"`                // removed with the same text as the one kept
	Words     int                `json:"words"`                // removed with another, of equal words or fingerprints
	Near      int                `json:"near"`                 // removed with others
	WouldLose int                `json:"would_lose,omitempty"` // of Kept: near, and with something of their own
	Contained int                `json:"contained,omitempty"`  // of Near: not as similar as Threshold, but nearly all inside the one kept
	Differs   explain.FactCounts `json:"differs"`              // of Words and Near: have other facts than the one kept
	Bad       int                `json:"bad"`                  // could not be read and stay as they are, none of Documents
	Empty     int                `json:"empty"`                // of Kept: pictures of one colour
	Bytes     int64              `json:"bytes"`                // of Documents
	KeptBytes int64              `json:"kept_bytes"`
	Seconds   float64            `json:"seconds"` // that it took

	Sources      []warnings.Source `json:"sources"`
	Groups       int               `json:"groups"`        // of documents that are near one another, of each of which one is kept
	LargestGroup int               `json:"largest_group"` // documents; 0: there is no group
	Sizes        []report.Size     `json:"sizes"`
	Histogram    []report.Bin      `json:"histogram"`
	Distances    []Distance        `json:"distances,omitempty"` // with K, in ascending order
	Largest      []Group           `json:"largest"`             // the largest groups, in descending order of size
	Borderline   []Pair            `json:"borderline"`
	Review       *review.Result    `json:"review,omitempty"` // what a person has said of some removals
	Warnings     []string          `json:"warnings"`         // a sentence each

	withContained bool // Options.Contained was given
}

// Files count the files of the input, without those of the reference: Kept, Removed and LeftOut are all of them.
type Files struct {
	Input   int `json:"input"`
	Kept    int `json:"kept"`              // something of them stays, or they have no document
	Removed int `json:"removed"`           // nothing of them stays
	LeftOut int `json:"left_out"`          // are not read, and not written either
	Damaged int `json:"damaged,omitempty"` // of Kept or Removed: something of them is lost, or they are copied as they are
	Copied  int `json:"copied,omitempty"`  // of Kept: nothing of them could be read, and they are copied as they are
	// Reference counts the files of the reference of which nothing could be read. They are not among Input.
	Reference int           `json:"reference_unread,omitempty"`
	Named     []run.LeftOut `json:"named,omitempty"` // some of all that are counted here, beside Input, Kept and Removed

	AllLeftOut []corpus.LeftOut `json:"-"`
	AllDamaged []corpus.LeftOut `json:"-"`
	Unread     []corpus.LeftOut `json:"-"` // those that Copied counts, then those that Reference counts
	Lost       int              `json:"-"` // documents, or files that could not be opened, that are told of as bad and are in AllLeftOut or Unread
}

// A Distance says how many removed documents have a distance to the one kept for them.
type Distance struct {
	Distance  int `json:"distance"` // bits, in [0, 64]
	Documents int `json:"documents"`
}

// A Group is one of documents of which one was kept.
type Group struct {
	Kept       string   `json:"kept"`               // id
	Size       int      `json:"size"`               // documents, with the one kept
	Similarity float64  `json:"similarity"`         // the smallest of a removed document to the one kept
	Distance   *int     `json:"distance,omitempty"` // the largest one, with Report.K
	IDs        []string `json:"ids"`                // the first of those removed
	More       int      `json:"more"`               // removed, and not in IDs
	// Pictures are small copies of some of the documents as JPEGs, the one kept first. They are on the page alone.
	Pictures [][]byte `json:"-"`
}

// A Pair is a removed document that is barely near enough to the one kept for it. Its texts may be cut.
type Pair struct {
	ID         string  `json:"id"`
	Kept       string  `json:"kept"` // id
	Similarity float64 `json:"similarity"`
	Distance   *int    `json:"distance,omitempty"` // with Report.K
	A          string  `json:"a"`                  // text of ID
	B          string  `json:"b"`                  // text of Kept
	Cut        bool    `json:"cut"`                // there is more of one of the texts at least
	// PictureA and PictureB are small copies of pictures as JPEGs, or nil. They are on the page alone.
	PictureA []byte `json:"-"`
	PictureB []byte `json:"-"`
}
