package dedup

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/clean/run"
	"simsearch/internal/clean/warnings"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/spill"
	"simsearch/internal/match/join"
	"simsearch/internal/quality/explain"
)

// Options say what is near, and which document of several is kept.
type Options struct {
	run.Options
	// AgainstField names the text fields of the reference. "" stands for Corpus.TextField.
	AgainstField string
	// Settings are those of the features of sets, of which signatures are not made, or in mode simhash those of
	// fingerprints of 64 bits.
	Settings analysis.Settings
	// Threshold is the least Jaccard similarity of near documents, in (0, 1]. In mode simhash, Distance takes its
	// place: the largest distance of the fingerprints of near documents, in bits, in [0, MaxDistance].
	Threshold float64
	Distance  int
	// Contained, if it is not 0, removes documents that have at least this share of their features, in (0, 1], in a
	// document of no fewer features, too. Of several documents, the one with the most features is kept then; Keep
	// decides between equal ones.
	Contained float64
	// Copy, if it is not 0, is the least probability, in (0, 1], with which one of two near documents was made from
	// the other, as package judge says. Threshold is then that from which on two are judged.
	Copy float64
	// Lossless removes a document only if the one that is kept for it has each sequence of three words of it, each
	// number and each name. Chain, Append, By, fingerprints and pictures do not go with it.
	Lossless bool
	// By says what is removed: documents or, if it is Paragraphs or Lines, parts of their texts, which Write cuts. No
	// part of the reference is cut. Keep, Chain and Annotate have no effect then, and there must be one text field.
	//
	// A part occurs again if it has the same words in the same order; case, punctuation and white space do not count.
	// Its first occurrence in the order of the input stays, and the others are cut. Of these first occurrences, one
	// with 20 features or more is cut, too, if its Jaccard similarity with one before it that stays is Threshold or
	// more, unless that is 1. A part of fewer than MinWords words stays, except in a document of which nothing else
	// would be left but parts that occur before: such a document is removed, since a text that is empty or has a
	// heading alone is of no use to what comes after.
	By       Level
	MinWords int
	// MaxDF leaves features out of the sets that more documents have: this share of them if it is below 1, and
	// otherwise this number, from 2 on. Documents with equal sets count as one. 0 leaves none out.
	MaxDF float64
	// Ignore is a file of texts, one a line, whose features are left out of the sets, or "".
	Ignore string
	// Chain makes groups of whatever near pairs connect. By default, each document that is removed is near the
	// one that is kept for it, and no two kept documents are near.
	Chain bool
	// Append keeps what the result that is in State keeps, and removes what that has removed as long as something
	// near it is kept. It goes by the id and the text of documents, in files with the same path. The same command
	// must have made the result. Of what is new, what is near something that is kept is removed. Without it, all is
	// decided as if all were new. Chain and Contained do not go with it, nor what makes a run read all again.
	Append bool
	// Spare are facts in which documents that are near do not differ: a document is kept if it differs in these from
	// the one that it would be removed for. Chain, By and pictures do not go with it.
	Spare explain.FactKinds
	Keep  Keep
	// Annotate keeps all documents and adds fields that say what would be removed. All files must have a format
	// with fields.
	Annotate bool
	// DryRun writes the lists and the report, and no documents.
	DryRun bool
	// Memory is about how many bytes are used; 0 is half of what the machine has.
	Memory int64
	// State, if not "", is the directory that Write is going to write to, where there must be space. What has been
	// read and decided is kept there, so that the same run goes on after it was interrupted, and so that From can
	// decide anew. With By, what has been read is kept until the run ends. Two runs cannot have it at the same time.
	State string
	// From, if not "", is the directory of an earlier result with the same inputs and options but for Threshold,
	// Distance, Annotate and DryRun: From has set them. What it has read is not read again, as that of a result in
	// State is not.
	From string
	// Share, if its Of is not 0, is the share of the files that is read. Facts are taken of the texts then.
	Share corpus.Share
	// Tell, if not nil, is told what becomes of an interrupted run.
	Tell func(string)
	// Expect, if not nil, is told what a run with a State is going to take, when some of much has been read. A dry
	// run of less says it, too.
	Expect func(warnings.Estimate)

	// For tests: the size of the sets of a part of a log, the number of rows of fingerprints that are very many, when
	// the run begins, and what stands for disk.Free.
	PartBytes int
	crowded   bool // near pairs are too many to be judged
	LeastRows int
	Began     int64
	Free      func(path string) (bytes int64, ok bool)
}

// The phases beside those of package run.
const (
	sorting    = "sorting fingerprints" // if there are very many
	leavingOut = "leaving out features" // if Options.MaxDF or Options.Ignore says so
	counting   = "counting features"
	sparing    = "comparing facts"                // with Options.Spare
	judging    = "judging texts"                  // with Options.Copy
	losing     = "looking for what would be lost" // with Options.Lossless
	grouping   = "looking at groups"
	reporting  = "reporting"
)

// DefaultSettings returns the settings of sets as an index has them by default.
func DefaultSettings() analysis.Settings {
	s := analysis.Default()
	s.Mode = analysis.MinHash
	return s
}

// DefaultFingerprints returns the settings of fingerprints as an index has them by default.
func DefaultFingerprints() analysis.Settings { return analysis.Classic() }

// MaxDistance is the largest Options.Distance of the widest fingerprints: at the next one, all would be near.
const MaxDistance = join.MaxBits - 1

// prepare checks the options, and sets what they leave open.
func (o *Options) prepare() (*analysis.Analysis, error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	o.Memory = spill.MemoryOr(o.Memory)
	if err := o.checkDistance(); err != nil {
		return nil, err
	}
	if !(o.Threshold > 0 && o.Threshold <= 1) {
		return nil, fmt.Errorf("a similarity of %v: want more than 0 and at most 1", o.Threshold)
	}
	if o.Spare != 0 && (o.Chain || o.By != Documents || o.Settings.Image != 0) {
		return nil, errors.New("facts are those of whole texts, and of each document and the one that is kept for it: leave out Spare, or " +
			"Chain, By and pictures")
	}
	if o.Append && (o.Chain || o.Contained > 0 || o.MaxDF > 0 || o.Ignore != "" || o.By != Documents || o.Settings.Image != 0) {
		return nil, errors.New("what is decided cannot stay: leave out Append, or Chain, Contained, MaxDF, Ignore, By and pictures")
	}
	if o.Copy != 0 && (!(o.Copy > 0 && o.Copy <= 1) || o.ByDistance() || o.Append || o.Contained > 0 || o.MaxDF > 0 || o.Ignore != "" ||
		o.By != Documents || o.Share.Of > 0) {
		return nil, fmt.Errorf("a probability of a copy of %v: want up to 1, of whole texts whose sets are compared as they are, all of them "+
			"anew: leave out Append, Contained, MaxDF, Ignore, By and Share", o.Copy)
	}
	if o.Lossless && (o.Chain || o.Append || o.By != Documents || o.ByDistance() || o.Share.Of > 0) {
		return nil, errors.New("texts are compared as a whole with those that are kept for them: leave out Lossless, " +
			"or Chain, Append, By, Share, fingerprints and pictures")
	}
	if err := checkMaxDF(o.MaxDF); err != nil {
		return nil, err
	}
	return analysis.New(o.Settings)
}

// ByDistance reports whether near goes by the distance of fingerprints.
func (o *Options) ByDistance() bool { return o.Settings.Mode == analysis.SimHash }

// byTexts reports whether texts with equal sets are told apart.
func (o *Options) byTexts() bool { return o.Copy > 0 || o.Lossless }

// byDigests reports whether the digests of sets are enough: none is near another one, and nothing is decided again on
// an earlier result. Then the state has no sets, and to decide again at another threshold, all is read again.
func (o *Options) byDigests() bool {
	return o.Threshold == 1 && o.Contained == 0 && !o.byTexts() && !o.ByDistance() && o.keeps() && o.From == ""
}

// checkDistance checks what options say of distances, and sets the threshold that stands for it.
func (o *Options) checkDistance() error {
	switch {
	case !o.ByDistance():
		return nil
	case o.Distance < 0 || o.Distance >= o.Settings.Bits:
		return fmt.Errorf("a distance of %d bits: want 0 to %d", o.Distance, o.Settings.Bits-1)
	case o.Settings.Bits < 64:
		return fmt.Errorf("fingerprints of %d bits: want 64, 128 or 256", o.Settings.Bits)
	case o.Contained > 0 || o.MaxDF > 0 || o.Ignore != "" || o.By != Documents:
		return errors.New("fingerprints tell nothing of parts and features: leave out Contained, MaxDF, Ignore and By")
	}
	o.Threshold = join.SimilarityAt(o.Distance, o.Settings.Bits)
	return nil
}

// compared returns what is compared of a document: its set, or its fingerprint as one.
func (o *Options) compared(r analysis.Result) analysis.Result {
	if o.ByDistance() {
		if r.Set = nil; r.HasFingerprint {
			all := r.Long()
			r.Set, r.Digest = all[:max(1, o.Settings.Bits/64)], digestOfLong(&all)
		}
	}
	return r
}

// digestOfLong identifies a fingerprint: by itself if it has up to 128 bits.
func digestOfLong(fp *document.Long) (d analysis.Digest) {
	if d[0], d[1] = fp[0], fp[1]; fp[2]|fp[3] != 0 {
		raw, _ := binary.Append(nil, binary.LittleEndian, fp[:]) // numbers have a size
		d[0], d[1] = murmur3.Sum128(raw)
	}
	return d
}

// holds returns about how many bytes of sets are in memory before they go to a file.
func (o *Options) holds() int {
	if o.PartBytes > 0 {
		return o.PartBytes
	}
	return int(min(spill.Holds/4, max(leastPart, o.Memory/16)))
}

// leastPart is the size in bytes of the sets of a small part.
const leastPart = 1 << 16
