package index

import (
	"simsearch/analysis"
	"simsearch/internal/disk"
)

// NewTemporary begins an index that is gone when the process ends, whatever ends it: its files have no names where the system
// allows that. They lie in the system's directory for temporary files until what Open returns is closed, or the process ends.
// The error says which option is out of range.
func NewTemporary(s analysis.Settings, o WriterOptions) (*Writer, error) {
	return openWriter(disk.NewScratch(), "temporary index", s, o)
}

// Open opens what has been committed. The errors are those of the function Open.
func (w *Writer) Open() (*Snapshot, error) { return openDir(w.dir.FS, w.dir.Path) }
