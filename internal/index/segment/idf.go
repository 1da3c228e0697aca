package segment

import (
	"runtime"

	"simsearch/fingerprint"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
)

// An IDF is the weights of features by how rare they are, with the file that holds them.
type IDF struct {
	*fingerprint.IDF
	path     string
	sections *section.File // nil if the model was not read from a file
}

// NewIDF returns the weights of a model that lies in no file.
func NewIDF(model *fingerprint.IDF) *IDF { return &IDF{IDF: model} }

// Weights is IDF.Weights with errors that name the file.
func (r *IDF) Weights(dst []uint32, features []uint64) ([]uint32, error) {
	dst, err := r.IDF.Weights(dst, features)
	runtime.KeepAlive(r) // keeps the map alive, too
	return dst, section.InFile(r.path, err)
}

// Verify checks every byte of the file, if there is one.
func (r *IDF) Verify() error {
	if r == nil || r.sections == nil {
		return nil
	}
	err := disk.Guarded(r.sections.Verify)
	runtime.KeepAlive(r)
	return section.InFile(r.path, err)
}

// OpenIDF maps a file of the size and digest, and checks its outline. The weights are checked when the
// first of them is used. The file stays mapped while the model is in use, and the garbage collector
// unmaps it: an analysis may outlive the index that it came from.
func OpenIDF(fsys disk.FS, path string, bytes uint64, digest string) (*IDF, error) {
	r := &IDF{path: path}
	m, err := OpenFile(fsys, path, bytes, digest, false, func(f *section.File) {
		r.sections, r.IDF = f, fingerprint.LoadIDF(f)
	})
	if err != nil {
		return nil, err
	}
	runtime.AddCleanup(r, func(m *disk.Mapped) { _ = m.Close() }, m)
	return r, nil
}
