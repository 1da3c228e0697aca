package service

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/files/prints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/index/segment"
	"simsearch/internal/serve/gate"
	"simsearch/preprocess"
)

// Limits of requests, whatever door they come by.
const (
	mostText     = 16 << 20 // bytes of a text, and of a document in all
	mostItems    = 1 << 20  // items of a set
	mostInBatch  = 10_000   // requests of a batch
	mostBatch    = 64 << 20 // bytes of the contents of a batch
	mostMatches  = 1000     // of an answer
	defaultLimit = 20       // of matches, of groups and of members of groups
)

// checkBatch returns an error if a batch is larger than a client may send.
func checkBatch[T any](batch []T, size func(*T) int) error {
	if len(batch) > mostInBatch {
		return Errorf(TooLarge, "", "%d requests in a batch: want %d at most", len(batch), mostInBatch)
	}
	sum := 0
	for i := range batch {
		if sum += size(&batch[i]); sum > mostBatch {
			return Errorf(TooLarge, inBatch(batch, i), "a batch of more than %d bytes", mostBatch)
		}
	}
	return nil
}

// count returns how many of some statements are true.
func count(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

// inBatch names a request of a batch: by its line, from 1 on. A batch of one has no lines.
func inBatch[T any](batch []T, i int) string {
	return terminal.If(len(batch) != 1, "line %d", i+1)
}

// at says of an error that it is about a part of the request.
func at(where string, err error) error {
	e := errorOf(err)
	if where == "" {
		return e
	}
	if e.Where != "" {
		where += ": " + e.Where
	}
	return &Error{Code: e.Code, Message: e.Message, Where: where, Cause: e.Cause}
}

func (c *Content) size() (n int) {
	if c.Text != nil {
		n = len(*c.Text)
	}
	for _, item := range c.Set {
		n += len(item) + 1
	}
	return n
}

// document returns what is compared, as the settings of an index want it. The error says which part of it is wrong.
func (c *Content) document(s analysis.Settings) (d document.Document, err error) {
	given := count(c.Text != nil, c.Fingerprint != "", c.Set != nil)
	items := s.Sets() && s.SetFeatures.Kind == preprocess.Items
	switch {
	case given != 1:
		return d, Errorf(BadRequest, "text", "want one of text, fingerprint and set")
	case c.size() > mostText:
		return d, Errorf(TooLarge, "text", "%d bytes: want %d at most", c.size(), mostText)
	case c.Text != nil:
		d.Text = []byte(*c.Text)
	case c.Fingerprint != "":
		if !s.Fingerprints() {
			return d, Errorf(BadRequest, "fingerprint", "the collection has sets, and no fingerprints")
		}
		fp, err := prints.ParseHex(c.Fingerprint, s.Bits)
		if err != nil {
			return d, Errorf(BadRequest, "fingerprint", "%v", err)
		}
		d.Fingerprint, d.More = fp.Parts()
		d.HasFingerprint, d.Turned = true, c.Turned
	case !items:
		return d, Errorf(BadRequest, "set", "the collection has texts, and no sets of items")
	case len(c.Set) > mostItems:
		return d, Errorf(TooLarge, "set", "%d items: want %d at most", len(c.Set), mostItems)
	default:
		for _, item := range c.Set {
			words := strings.Fields(item)
			if len(words) == 0 {
				return d, Errorf(BadRequest, "set", "an item is empty")
			}
			d.Text = append(append(d.Text, strings.Join(words, "_")...), '\n') // as sets of files: white space separates items
		}
	}
	return d, nil
}

// idOf returns the id of a document without one, which is made of its content alone: the first half of its SHA-256.
// So equal documents have one id, and sending one again is harmless.
func idOf(d *document.Document) []byte {
	content := d.Text
	if d.HasFingerprint {
		if content = fmt.Appendf(nil, "fingerprint %x", d.Fingerprint); d.More != [3]uint64{} {
			content = fmt.Appendf(content, "%016x", d.More)
		}
	}
	sum := sha256.Sum256(content)
	return hex.AppendEncode(nil, sum[:16])
}

// candidate returns a document as the gate of a collection takes it.
func (d *Document) candidate(v *gate.View) (c gate.Candidate, err error) {
	settings, in := v.Settings(), v.Input()
	doc, err := d.document(settings)
	if err != nil {
		return c, err
	}
	if doc.HasFingerprint && settings.Sets() {
		return c, Errorf(BadRequest, "fingerprint", "the collection holds texts or sets, and a fingerprint has no features")
	}
	if doc.ID = []byte(d.ID); d.ID == "" {
		doc.ID, c.OfContent = idOf(&doc), true
	} else if why := segment.BadID(doc.ID); why != "" {
		return c, Errorf(BadRequest, "id", "%s", why)
	}
	if err := in.Refusal(doc.ID, doc.HasFingerprint); err != nil {
		return c, Errorf(BadRequest, "text", "%v", err)
	}
	fields, err := d.kept(in.Kept())
	if err != nil {
		return c, err
	}
	if len(fields) > 0 {
		doc.Fields = gate.AppendFields(nil, in.Kept(), fields)
	}
	c.Result, err = v.Analysis().Analyse(&doc)
	return c, err
}

// kept returns the values of the fields that are kept, as an index keeps them.
func (d *Document) kept(names []string) (map[string]string, error) {
	kept, size := map[string]string{}, 0
	for name, value := range d.Fields {
		if !slices.Contains(names, name) || value == nil {
			continue
		}
		text, ok := value.(string)
		if !ok { // a number is as it is written
			raw, err := json.Marshal(value)
			if err != nil {
				return nil, Errorf(BadRequest, "fields", "%.80q: %v", name, err)
			}
			text = string(raw)
		}
		if size += len(text); size > mostText {
			return nil, Errorf(TooLarge, "fields", "more than %d bytes", mostText)
		}
		kept[name] = text
	}
	return kept, nil
}

// predicate returns what a request says is near. ofFingerprint says that the query is a ready-made one.
func (n *Nearness) predicate(s *index.Snapshot, ofFingerprint bool) (p index.Predicate, err error) {
	given := count(n.Jaccard != 0, n.K != nil, n.Contained != 0, n.Copy != 0, n.Passages)
	settings, search := s.Settings(), s.Search()
	where := ""
	switch {
	case given > 1:
		return p, Errorf(BadRequest, "jaccard", "want one of jaccard, copy, k, contained and passages")
	case n.K != nil:
		where = "k"
		if p = index.Within(*n.K); *n.K < 0 || *n.K > settings.Bits {
			return p, Errorf(BadRequest, where, "%d bits: want 0 to %d", *n.K, settings.Bits)
		}
	case n.Jaccard != 0:
		p, where = index.Similar(n.Jaccard), "jaccard"
	case n.Copy != 0:
		p, where = index.Copy.Predicate(n.Copy, 0), "copy"
	case n.Contained != 0:
		p, where = index.Contained.Predicate(n.Contained, 0), "contained"
	case ofFingerprint && settings.Sets():
		p, where = index.Within(index.DefaultDistance), "fingerprint"
	default:
		p = index.Default(settings, search)
	}
	if ofFingerprint && p.BySets() {
		return p, Errorf(BadRequest, "fingerprint", "a fingerprint has no features: want k")
	}
	if err := s.Asks(p); err != nil {
		return p, Errorf(BadRequest, where, "%v", err)
	}
	return p, nil
}
