// Package service is what an index can do for clients: a table of operations on named collections, on plain types
// that are the bodies of requests and answers, and how these are read and written. HTTP, standard input, agents and
// pages are doors to it; what an operation means, and what is refused, stands here alone.
package service

import (
	"encoding/json"
	"fmt"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/explain"
)

// An Error is an answer that is no result. Code is a word that stays, for programs; Message is for people; Where
// names the part of the request or of a batch that is wrong, such as "text" or "line 3".
type Error struct {
	Code    string `json:"code" doc:"a word that says what kind of error it is, and stays"`
	Message string `json:"message" doc:"what is wrong, and what to do"`
	Where   string `json:"where,omitempty" doc:"the part of the request that is wrong"`
	Cause   error  `json:"-"` // what happened below, which may name files of the server; nil if Message says all
}

// Error says all, and Cause too: it is for whoever runs the server, and not for who sent the request.
func (e *Error) Error() string {
	said := terminal.If(e.Where != "", "%s: ", e.Where) + e.Message
	if e.Cause != nil {
		said += ": " + e.Cause.Error()
	}
	return said
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Codes of errors, with the status of HTTP that each has.
const (
	BadRequest   = "bad_request"  // 400: the request is not understood, or asks for what the collection does not offer
	Unauthorized = "unauthorized" // 401: no token, or an unknown one
	Forbidden    = "forbidden"    // 403: the token, the host or the origin may not do this
	NotFound     = "not_found"    // 404: no such collection, document or route
	Conflict     = "conflict"     // 409: a collection of other settings is there, or an idempotency key was used for another request
	TooLarge     = "too_large"    // 413: a body, a document or a batch is larger than the limits
	TooMany      = "too_many"     // 429: this client has too many requests under way
	ReadOnly     = "read_only"    // 403: the collection, or the server, takes no changes
	Unavailable  = "unavailable"  // 503: the server is full, is stopping, or its disk is
	Deadline     = "deadline"     // 504: the request took longer than it may
	Internal     = "internal"     // 500: an error of ours, or a damaged index
)

// Errorf returns an Error.
func Errorf(code, where, format string, args ...any) *Error {
	return &Error{Code: code, Where: where, Message: fmt.Sprintf(format, args...)}
}

// A Content is what is compared: exactly one of Text, Fingerprint and Set, or the ID of a document of the collection
// where the operation allows it.
type Content struct {
	Text        *string  `json:"text,omitempty" doc:"the text, as UTF-8"`
	Fingerprint string   `json:"fingerprint,omitempty" doc:"a ready-made fingerprint, as hexadecimal digits"`
	Set         []string `json:"set,omitempty" doc:"a ready-made set of items"`
	Turned      []uint64 `json:"-"` // that of the document.Document of a picture that Fingerprint is the hash of
}

// A Document is a document as clients send and get it. Fields are values that are kept with it, if the collection
// keeps fields of these names. Numbers and truth values are kept as they are written.
type Document struct {
	ID string `json:"id,omitempty" doc:"the id that names the document in its collection; if there is none, one is made of the content"`
	Content
	Fields map[string]any `json:"fields,omitempty" doc:"values that are kept with the document"`
}

// A Match is a document near a query.
type Match struct {
	ID        string            `json:"id"`
	Jaccard   *float64          `json:"jaccard,omitempty" doc:"the Jaccard similarity of the sets of features"`
	Distance  *int              `json:"distance,omitempty" doc:"the number of bits in which the fingerprints differ"`
	Turned    bool              `json:"turned,omitempty" doc:"the pictures are so near only when one is turned, mirrored or without a border"`
	Copy      *float64          `json:"copy,omitempty" doc:"how likely it is that one text was made from the other"`
	Contained *float64          `json:"contained,omitempty" doc:"the share of the features of the shorter text that the longer one has"`
	Fields    map[string]string `json:"fields,omitempty"`
	Text      string            `json:"text,omitempty" doc:"the text, if the request asks for texts and the collection keeps them"`

	QueryShare    *float64  `json:"query_share,omitempty" doc:"the share of the words of the query that lie in passages"`
	DocumentShare *float64  `json:"document_share,omitempty" doc:"the share of the words of the document that lie in passages"`
	Passages      []Passage `json:"passages,omitempty" doc:"what both texts have, in the order of the query"`
}

// A Passage is where two texts have it, in bytes of the texts as given, the end exclusive.
type Passage struct {
	Query    [2]int `json:"query"`
	Document [2]int `json:"document"`
	Words    int    `json:"words" doc:"words of the longer side"`
	Edits    int    `json:"edits" doc:"words that are replaced, added or left out"`
}

// A Nearness says what is near: one of its fields at most. If none is given, it is what the collection was made for.
type Nearness struct {
	Jaccard   float64 `json:"jaccard,omitempty" minimum:"0" maximum:"1" doc:"near is a Jaccard similarity of at least this"`
	K         *int    `json:"k,omitempty" minimum:"0" doc:"near are fingerprints that differ in at most this many bits"`
	Copy      float64 `json:"copy,omitempty" minimum:"0" maximum:"1" doc:"near is a probability of at least this that one text was made from the other"`
	Contained float64 `json:"contained,omitempty" minimum:"0" maximum:"1" doc:"near is a text that has this share of the features of the other"`
	Passages  bool    `json:"passages,omitempty" doc:"near is a text that shares a passage"`
}

// A NearRequest asks what is near a text, a fingerprint, a set or a document of the collection.
type NearRequest struct {
	ID string `json:"id,omitempty" doc:"the query is this document of the collection, which is not in the answer"`
	Content
	Nearness
	Nearest   int      `json:"nearest,omitempty" minimum:"0" maximum:"1000" doc:"the nearest so many documents, however far"`
	Limit     int      `json:"limit,omitempty" minimum:"0" maximum:"1000" doc:"the most matches of the answer; 0 is 20"`
	Where     []string `json:"where,omitempty" doc:"conditions on kept fields, such as lang=en"`
	WithTexts bool     `json:"with_texts,omitempty" doc:"matches have their texts"`

	PassageWords int `json:"passage_words,omitempty" minimum:"0" doc:"the fewest words of a passage; 0 is 50"`
}

// A NearAnswer is what is near: the nearest first, Total of them beyond the limit, too. Nearest is the nearest
// document where nothing is near.
type NearAnswer struct {
	Matches []Match `json:"matches"`
	Total   int     `json:"total" doc:"all that are near, beyond the limit, too"`
	Nearest *Match  `json:"nearest,omitempty" doc:"the nearest document, if nothing is near"`
	Empty   bool    `json:"empty,omitempty" doc:"the query is a picture of one colour, which is near nothing"`
}

// A CheckRequest is a document that is added unless something with the same facts is near it. IfNear says what else
// becomes of one that is near another.
type CheckRequest struct {
	Document
	Nearness
	IfNear string `json:"if_near,omitempty" enum:"reject,link,replace" doc:"what becomes of a document that is near another: without this, it is added if its text has other numbers, negations, symbols or names than those of the nearest; it is rejected in any case; it is added, and linked to the other by the field near; or it takes the place of all documents near it"`
}

// A CheckAnswer says whether a document is new. Match is the nearest document otherwise. With Differs, it is added
// all the same.
type CheckAnswer struct {
	ID    string `json:"id"`
	New   bool   `json:"new"`
	Match *Match `json:"match,omitempty"`
	// Differs is empty if IfNear is given.
	Differs []string        `json:"differs,omitempty" doc:"facts in which the text differs from that of the match: numbers, negations, symbols, names, words; the document is added for these"`
	Verdict explain.Verdict `json:"verdict,omitempty" enum:"same,part,form,copy" doc:"what the text is to that of the match"`
	Error   *Error          `json:"error,omitempty" doc:"why the document of this line of a batch was not taken"`
}

// An Outcome says what became of a document that was sent or named: "added", "replaced", "unchanged", "deleted" or
// "absent".
type Outcome struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome,omitempty" enum:"added,replaced,unchanged,deleted,absent"`
	Error   *Error `json:"error,omitempty"`
}

// A Side is one of two texts that are compared: a text, or the id of a document whose text the collection keeps.
type Side struct {
	ID   string  `json:"id,omitempty"`
	Text *string `json:"text,omitempty"`
}

// A CompareRequest asks how near two texts are.
type CompareRequest struct {
	A Side `json:"a" doc:"a text, or the id of a document of the collection"`
	B Side `json:"b" doc:"a text, or the id of a document of the collection"`
}

// A CompareAnswer says how near two texts are, and why: the object that the command compare prints with --json.
type CompareAnswer = json.RawMessage

// A Group is near documents. Each is near the first, which represents the others.
type Group struct {
	Members  []Match  `json:"members"`
	Size     int      `json:"size"`
	Jaccard  *float64 `json:"jaccard,omitempty" doc:"the smallest similarity of two of them"`
	Copy     *float64 `json:"copy,omitempty" doc:"the smallest probability of a copy of two of them"`
	Distance *int     `json:"distance,omitempty" doc:"the largest distance of two of them"`
}

// A GroupsRequest asks for groups, the largest first, from a cursor on.
type GroupsRequest struct {
	Nearness
	Cursor  string   `json:"cursor,omitempty" doc:"where the last page ended"`
	Limit   int      `json:"limit,omitempty" minimum:"0" maximum:"1000" doc:"the most groups of a page; 0 is 20"`
	Members int      `json:"members,omitempty" minimum:"0" maximum:"10000" doc:"the most members of a group that are listed; 0 is 20"`
	Where   []string `json:"where,omitempty" doc:"conditions on kept fields, such as lang=en"`
	Prefix  string   `json:"prefix,omitempty" doc:"only groups that have a document whose id begins with this"`
	Of      string   `json:"of,omitempty" doc:"begin with the group that has the document with this id"`

	Histogram bool `json:"histogram,omitempty" doc:"the answer says how many documents are how near to the first of their group"`

	OfPage bool `json:"-"` // the groups with a document that is nearest their first one come first, then those whose farthest documents are nearer, then the largest; and so do the documents of a group; Prefix may stand anywhere in an id
}

// A GroupsPage is some groups, and the cursor of the next, which is "" behind the last one. A cursor stays valid
// while documents come and go: it tells of the groups as they were when the first page was asked for, for as long as
// the server remembers them.
type GroupsPage struct {
	Groups    []Group `json:"groups"`
	Total     int     `json:"total"`
	Cursor    string  `json:"cursor,omitempty"`
	Histogram []int   `json:"histogram,omitempty" doc:"how many documents have which similarity to the first of their group, in hundredths from 0 to 100, or which distance in bits"`
}

// Settings are those of a collection. Zero values are the defaults of the command index.
type Settings struct {
	Holds    string   `json:"holds,omitempty" enum:"texts,fingerprints,sets"`
	Features string   `json:"features,omitempty" doc:"as --features of the command index, such as word:3"`
	Jaccard  float64  `json:"jaccard,omitempty" minimum:"0" maximum:"1" doc:"the similarity that the collection is made for"`
	Copy     float64  `json:"copy,omitempty" minimum:"0" maximum:"1" doc:"in place of jaccard: the probability that one text was made from the other that the collection is made for"`
	K        int      `json:"k,omitempty" minimum:"0" doc:"the distance that the collection is made for, if fingerprints are compared"`
	Bits     int      `json:"bits,omitempty" doc:"of fingerprints"`
	Keep     string   `json:"keep,omitempty" enum:"text,nothing"`
	Fields   []string `json:"fields,omitempty" doc:"names of the fields that are kept with documents"`
	Passages bool     `json:"passages,omitempty" doc:"the collection finds passages"`
}

// An Info says what a collection holds.
type Info struct {
	Name      string   `json:"name"`
	Documents int      `json:"documents"`
	Bytes     uint64   `json:"bytes"`
	ReadOnly  bool     `json:"read_only,omitempty"`
	Settings  Settings `json:"settings"`

	Pictures imagehash.Kind `json:"-"` // how pictures are hashed that the collection holds; 0 if it holds none
}
