package options

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/lsh"
)

// BandsFlag returns the flag --bands.
func (c *Flags) BandsFlag() cli.Flag {
	return c.Bands.As("bands", "cut MinHash signatures into `BxR`, B bands of R rows such as 20x5, and search by these, whatever they find; an index remembers them").By(readBands).Told("those that fit the threshold and --recall")
}

// WeighMissesFlag returns the flag --weigh-misses.
func (c *Flags) WeighMissesFlag() cli.Flag {
	return c.WeighMisses.As("weigh-misses", "choose the bands with the least `W`·FN + FP: FN is the area above the S-curve from the threshold on, FP the area below the curve up to it; with --recall, of the bands that have it").
		By(commandline.Number("a number more than 0, such as 5 if a miss is as bad as five pairs that are compared in vain", func(w float64) bool { return w > 0 && !math.IsInf(w, 0) })).
		Told("1, of the bands with a recall of 0.95")
}

// readBands reads bands.
func readBands(_, text string) (b lsh.Bands, err error) {
	if b, err = lsh.ParseBands(text); err != nil {
		err = fmt.Errorf("--bands: %w", err)
	}
	return b, err
}

// checkBands returns an error if signatures of the given number of positions are too short for bands.
func checkBands(b lsh.Bands, positions int) error {
	err := b.Fits(positions)
	if err == nil {
		return nil
	}
	need := "more than any signature has"
	if b.Bands <= math.MaxInt32/b.Rows {
		need = strconv.Itoa(b.Bands * b.Rows)
	}
	return fmt.Errorf("--bands %dx%d: %v need %s positions, and the signatures have %d: want fewer bands or rows, or an index of more --perms", b.Bands, b.Rows, b, need, positions)
}

// planBands sets what o says of the bands of signatures.
func planBands(c *Flags, s analysis.Settings, o *index.WriterOptions) error {
	if name := commandline.FirstGiven(&c.PlanJaccard, &c.Recall, &c.Bands, &c.WeighMisses); name != "" && !s.Sets() {
		return fmt.Errorf("--%s is about sets of features: it wants --mode minhash or both", name)
	}
	if err := s.CheckBands(); err != nil {
		return err
	}
	if !s.Signatures() {
		return nil
	}
	if o.Misses = c.WeighMisses.Value; c.Recall.Value != 1 { // otherwise searches miss nothing, and need no bands
		o.Recall = c.Recall.Value
	}
	others := c.Recall.Given || c.WeighMisses.Given
	if !c.Bands.Has() || others && !c.Bands.Given {
		return nil
	}
	if others {
		return errors.New("--bands decides what is found: it excludes --recall and --weigh-misses, which choose bands")
	}
	o.Recall, o.Misses, o.Bands = 0, 0, c.Bands.Value
	if err := checkBands(o.Bands, s.Positions); err != nil {
		return err
	}
	if err := o.Bands.Storable(); err != nil {
		return fmt.Errorf("--bands %v: an index has room for up to %d bands of up to %d rows; pairs --bands cuts others", &c.Bands, lsh.MaxBands, lsh.MaxRows)
	}
	return nil
}

// searchBands sets how n searches by bands: as --bands or --recall says, or else as the index does.
func searchBands(c *Flags, s analysis.Settings, stored index.Predicate, n *index.Predicate) error {
	n.Recall, n.Bands = stored.Recall, stored.Bands
	open := n.Recall == 1 && n.Bands == (lsh.Bands{}) // to what the configuration file says
	switch {
	case c.Bands.Given && c.Recall.Given:
		return errors.New("--bands and --recall exclude each other: the bands decide the recall")
	case c.Bands.Given && !s.Signatures():
		return errors.New("--bands cuts MinHash signatures, and this index has none: make one with --bands, or with --perms 128")
	case c.Bands.Given, open && s.Signatures() && c.Bands.Configured() && !c.Recall.Given:
		n.Recall, n.Bands = 1, c.Bands.Value
		return checkBands(n.Bands, s.Positions)
	case c.Recall.Given, open:
		n.Recall, n.Bands = 1, lsh.Bands{}
		commandline.Put(&c.Recall, &n.Recall)
	}
	return nil
}

// ReadBandsTried reads bands with commas between.
func ReadBandsTried(name, text string) (out []lsh.Bands, err error) {
	for _, one := range strings.Split(text, ",") {
		b, err := readBands(name, one)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
