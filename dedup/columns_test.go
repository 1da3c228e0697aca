package dedup

import (
	"reflect"
	"slices"
	"testing"
)

// What a Collection has of each document or set is saved, or said here not to be: otherwise a run that goes on lacks it.
func TestColumns(t *testing.T) {
	saved := []string{"lengths", "digests", "of", "ids", "idEnds", "sizes", "counts", "bad"}
	others := []string{
		"files", "names", "refInputs", "inputs", "passes", "indexes", "leftOut", // found again
		"starts",          // made of the counts
		"rank", "ofFiles", // made of the names of files
	}
	for f := range reflect.TypeFor[Collection]().Fields() {
		if f.Type.Kind() == reflect.Slice && !slices.Contains(saved, f.Name) && !slices.Contains(others, f.Name) {
			t.Errorf("writeDocuments and readDocuments know nothing of Collection.%s", f.Name)
		}
	}
}
