package analysis

import (
	"errors"
	"fmt"
)

// CheckSame returns an error unless what is compared of an index with some settings is made as others say: its
// fingerprints or its sets.
func CheckSame(of, want Settings, fingerprints bool) error {
	const orFiles = ", or the files of the reference"
	switch {
	case fingerprints && !of.Fingerprints():
		return errors.New("the index has sets and no fingerprints: index the reference with --mode both, or give its files")
	case !fingerprints && !of.Sets():
		return errors.New("the index has fingerprints and no sets: index the reference with --mode both, or give its files")
	case fingerprints && of.Image != want.Image:
		return fmt.Errorf("the index has fingerprints by the hash of pictures %v, and here it is %v: give --preset, too"+orFiles, of.Image, want.Image)
	case fingerprints && (of.Features != want.Features || of.Language != want.Language || of.Weights != want.Weights):
		return fmt.Errorf("the fingerprints of the index are made by --features %s, --weights %s and --lang %s: give these, too"+orFiles,
			of.Features, of.Weights, of.Language)
	case !fingerprints && of.SetFeatures != want.SetFeatures:
		return fmt.Errorf("the sets of the index have other features: give --features %s, too"+orFiles, of.SetFeatures)
	case !fingerprints && of.SetLanguage != want.SetLanguage:
		return fmt.Errorf("the sets of the index leave out the stop words of %s: give the files of the reference", of.SetLanguage)
	case fingerprints && of.Bits != want.Bits || of.Hash != want.Hash || of.Analyzer != want.Analyzer:
		return errors.New("the features of the index are made in another way: give the files of the reference")
	}
	return nil
}
