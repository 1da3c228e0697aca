package segment

import (
	"fmt"
	"runtime"

	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/internal/mmap"
	"simsearch/section"
)

// An IDF is the weights of features by how rare they are, with the file that holds them.
type IDF struct {
	*fingerprint.IDF
	path     string
	file     *mmap.File // nil if the model was not read from a file
	sections *section.File
}

// NewIDF returns the weights of a model that lies in no file.
func NewIDF(model *fingerprint.IDF) *IDF { return &IDF{IDF: model} }

// WriteFile writes the model to a file and makes it durable. It returns the size of the file in bytes
// and its digest.
func (r *IDF) WriteFile(fsys disk.FS, path string) (size uint64, digest string, err error) {
	file, err := disk.CreateAtomic(fsys, path)
	if err != nil {
		return 0, "", err
	}
	defer file.Abort()
	w := section.NewWriter(file)
	r.Write(w)
	size, sum, err := w.Close()
	if err != nil {
		return 0, "", err
	}
	return size, fmt.Sprintf("%08x", sum), file.Commit()
}

// Weights is IDF.Weights with errors that name the file.
func (r *IDF) Weights(dst []uint32, features []uint64) ([]uint32, error) {
	dst, err := r.IDF.Weights(dst, features)
	runtime.KeepAlive(r) // keeps the map alive, too
	return dst, section.InFile(r.path, err)
}

// Verify checks every byte of the file, if there is one.
func (r *IDF) Verify() error {
	if r == nil || r.file == nil {
		return nil
	}
	err := mmap.Guarded(r.sections.Verify)
	runtime.KeepAlive(r)
	return section.InFile(r.path, err)
}

// OpenIDF maps a file of the size and digest, and checks its outline. The weights are checked when the
// first of them is used. The file stays mapped while the model is in use, and the garbage collector
// unmaps it: an analysis may outlive the index that it came from.
func OpenIDF(fsys disk.FS, path string, bytes uint64, digest string) (*IDF, error) {
	m, err := Map(fsys, path)
	if err != nil {
		return nil, err
	}
	r := &IDF{path: path, file: m}
	if err := r.load(bytes, digest); err != nil {
		_ = m.Close() // the other error says more
		return nil, section.InFile(path, err)
	}
	runtime.AddCleanup(r, func(m *mmap.File) { _ = m.Close() }, m)
	return r, nil
}

func (r *IDF) load(bytes uint64, digest string) (err error) {
	if r.sections, err = section.ParseKnown(r.file.Data(), bytes, digest); err != nil {
		return err
	}
	r.IDF, err = fingerprint.LoadIDF(r.sections)
	return err
}
