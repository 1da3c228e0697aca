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
func BandsFlag() cli.Flag {
	return &cli.StringFlag{Name: "bands", Usage: "cut MinHash signatures into `BxR`, B bands of R rows such as 20x5, and search by these, whatever they find; an index remembers them", DefaultText: "those that fit the threshold and --recall"}
}

// WeighMissesFlag returns the flag --weigh-misses.
func WeighMissesFlag() cli.Flag {
	return &cli.StringFlag{Name: "weigh-misses", Usage: "choose the bands with the least `W`·FN + FP: FN is the area above the S-curve from the threshold on, FP the area below the curve up to it; with --recall, of the bands that have it", DefaultText: "1, of the bands with a recall of 0.95"}
}

// missesOf returns the value of --weigh-misses, or 0 without one.
func missesOf(c *cli.Context) (float64, error) {
	if !commandline.Has(c, "weigh-misses") {
		return 0, nil
	}
	w, err := strconv.ParseFloat(c.String("weigh-misses"), 64)
	if err != nil || !(w > 0) || math.IsInf(w, 0) {
		return 0, fmt.Errorf("--weigh-misses %s: want a number more than 0, such as 5 if a miss is as bad as five pairs that are compared in vain", c.String("weigh-misses"))
	}
	return w, nil
}

// parseBands returns the bands that text names, for signatures of the given number of positions.
func parseBands(text string, positions int) (lsh.Bands, error) {
	b, err := lsh.ParseBands(text)
	if err == nil && b.Fits(positions) != nil {
		need := "more than any signature has"
		if b.Bands <= math.MaxInt32/b.Rows {
			need = strconv.Itoa(b.Bands * b.Rows)
		}
		return b, fmt.Errorf("--bands %s: %v need %s positions, and the signatures have %d: want fewer bands or rows, or an index of more --perms", text, b, need, positions)
	}
	if err != nil {
		return b, fmt.Errorf("--bands: %w", err)
	}
	return b, nil
}

// planBands sets what o says of the bands of signatures.
func planBands(c *cli.Context, s analysis.Settings, o *index.WriterOptions) (err error) {
	for _, name := range []string{"plan-jaccard", "recall", "bands", "weigh-misses"} {
		if !s.Sets() && c.IsSet(name) {
			return fmt.Errorf("--%s is about sets of features: it wants --mode minhash or both", name)
		}
	}
	if err := s.CheckBands(); err != nil {
		return err
	}
	if !s.Signatures() {
		return nil
	}
	if o.Recall, err = commandline.Share(c, "recall", 0, true); err != nil {
		return err
	}
	if o.Recall == 1 { // searches miss nothing then, and need no bands
		o.Recall = 0
	}
	if o.Misses, err = missesOf(c); err != nil {
		return err
	}
	others := c.IsSet("recall") || c.IsSet("weigh-misses")
	if !commandline.Has(c, "bands") || others && !c.IsSet("bands") {
		return nil
	}
	if others {
		return errors.New("--bands decides what is found: it excludes --recall and --weigh-misses, which choose bands")
	}
	o.Recall, o.Misses = 0, 0
	if o.Bands, err = parseBands(c.String("bands"), s.Positions); err != nil {
		return err
	}
	if err := o.Bands.Storable(); err != nil {
		return fmt.Errorf("--bands %s: an index has room for up to %d bands of up to %d rows; pairs --bands cuts others", c.String("bands"), lsh.MaxBands, lsh.MaxRows)
	}
	return nil
}

// searchBands sets how n searches by bands: as --bands or --recall says, or else as the index does.
func searchBands(c *cli.Context, s analysis.Settings, stored index.Predicate, n *index.Predicate) (err error) {
	n.Recall, n.Bands = stored.Recall, stored.Bands
	open := n.Recall == 1 && n.Bands == (lsh.Bands{}) // to what the configuration file says
	switch {
	case c.IsSet("bands") && c.IsSet("recall"):
		return errors.New("--bands and --recall exclude each other: the bands decide the recall")
	case c.IsSet("bands") && !s.Signatures():
		return errors.New("--bands cuts MinHash signatures, and this index has none: make one with --bands, or with --perms 128")
	case c.IsSet("bands"), open && s.Signatures() && commandline.IsConfigured(c, "bands") && !c.IsSet("recall"):
		n.Recall = 1
		n.Bands, err = parseBands(c.String("bands"), s.Positions)
		return err
	case c.IsSet("recall"), open:
		n.Bands = lsh.Bands{}
		n.Recall, err = commandline.Share(c, "recall", 1, true)
	}
	return err
}

// evalBands returns the bands that --bands lists for an evaluation.
func evalBands(c *cli.Context, positions int) (out []lsh.Bands, err error) {
	if !commandline.Has(c, "bands") {
		return nil, nil
	}
	for _, text := range strings.Split(c.String("bands"), ",") {
		b, err := parseBands(text, positions)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
