package store

import (
	"errors"
	"fmt"
	"strings"
)

// ErrKind is the class of errors about a document of a kind that an index does not hold.
var ErrKind = errors.New("texts and fingerprints do not mix")

// What an index can hold.
const (
	Texts        = "texts" // or sets
	Fingerprints = "fingerprints"
	Both         = "both" // records with a text or else a fingerprint
)

// An Input says what the documents of an index are, and how they are read unless a command says otherwise.
type Input struct {
	Holds            string `json:"holds,omitempty"` // Texts, Fingerprints or Both; "" is unknown
	IDField          string `json:"id_field,omitempty"`
	TextField        string `json:"text_field,omitempty"` // several have commas between them
	FingerprintField string `json:"fingerprint_field,omitempty"`
	MailWithout      string `json:"mail_without,omitempty"` // what is left out of messages
	HTML             string `json:"html,omitempty"`         // what is read of HTML, if not its main text
	KeepFields       string `json:"keep_fields,omitempty"`  // the fields that are kept, with commas between them
	Pairs            bool   `json:"pairs,omitempty"`        // records were read as pairs of an id and an item
	Transposed       bool   `json:"transposed,omitempty"`   // ids are items, and sets what has them
}

// Kept returns the names of the fields that are kept.
func (in *Input) Kept() []string {
	if in.KeepFields == "" {
		return nil
	}
	return strings.Split(in.KeepFields, ",")
}

// Add takes note of a document that is a fingerprint, or else a text. The first documents of an index
// decide what it holds. The error is ErrKind, unless records with either were asked for.
func (in *Input) Add(id []byte, isFingerprint, first bool) error {
	kind := Texts
	if isFingerprint {
		kind = Fingerprints
	}
	switch {
	case in.Holds == "" && first:
		in.Holds = kind
	case in.Holds == "", in.Holds == kind, in.Holds == Both:
	case in.FingerprintField != "":
		in.Holds = Both
	default:
		return in.Refusal(id, isFingerprint)
	}
	return nil
}

// Refusal returns the ErrKind of a document or query that is a fingerprint, or else a text, if the index
// holds the other kind. Otherwise it returns nil.
func (in *Input) Refusal(id []byte, isFingerprint bool) error {
	switch {
	case isFingerprint && in.Holds == Texts:
		return fmt.Errorf("%w: %s is a fingerprint, and the index holds texts", ErrKind, id)
	case !isFingerprint && in.Holds == Fingerprints:
		return fmt.Errorf("%w: %s is a text, and the index holds fingerprints", ErrKind, id)
	}
	return nil
}
