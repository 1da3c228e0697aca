// Package store is the directory of an index: the manifest, which names its files; the lock; how a change becomes
// durable; segments with their deleted documents, and which of them are merged; and the documents of logs, in memory.
// internal/ground/section/FORMAT.md specifies the bytes.
package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
)

// ErrNoIndex is the error for a directory without an index.
var ErrNoIndex = errors.New("no index")

// An AbsentError is the ErrNoIndex for a directory that is missing or empty.
type AbsentError struct{ Dir, Why string }

// Error returns the directory, and what is said of it.
func (e *AbsentError) Error() string { return fmt.Sprintf("%v: %s %s", ErrNoIndex, e.Dir, e.Why) }

// Unwrap returns ErrNoIndex.
func (e *AbsentError) Unwrap() error { return ErrNoIndex }

func corruptf(path, format string, args ...any) error {
	return &section.CorruptError{File: path, Offset: -1, Reason: fmt.Sprintf(format, args...)}
}

// FormatVersion is the version of the index directory that this program writes and reads.
const FormatVersion = 5

// ManifestName is the name of the file of a Manifest.
const ManifestName = "MANIFEST"

const (
	magic         = "simsearch index "
	checksumLabel = "crc32c "
)

// A Manifest names the live files of an index. It is replaced as a whole, and the index changes at
// the moment the new manifest is renamed into place.
type Manifest struct {
	Settings analysis.Settings `json:"settings"`
	Search   analysis.Search   `json:"search,omitzero"`
	Keep     Keep              `json:"keep,omitempty"`     // what is kept of texts
	Passages bool              `json:"passages,omitempty"` // whether passages can be found
	Input    Input             `json:"input,omitzero"`
	Next     int               `json:"next_segment"`   // number of the next segment; all lower ones are taken
	Segments []segment.Ref     `json:"segments"`       // in the order of the collection
	Logs     []LogRef          `json:"logs,omitempty"` // of changes that are in no segment yet, in order
	// Base is the directory at which paths in ids begin: absolute, or as the path from the index to a
	// directory above. "" is unknown. base.go says why there is one.
	Base string `json:"base,omitempty"`
	// IDF is the file of the learnt weights, if the settings learn. It never changes.
	IDF *FileRef `json:"idf,omitempty"`
	// Catalogue is the file that says which files the documents came from. nil is none.
	Catalogue *CatalogueRef `json:"catalogue,omitempty"`
	// Aside names damaged files that a repair has replaced, and that have not been moved to AsideName yet.
	Aside []string `json:"aside,omitempty"`
}

// A FileRef is what the manifest knows of a file. Its size and digest reveal a file that was
// exchanged or is stale.
type FileRef struct {
	Name   string `json:"name"`
	Bytes  uint64 `json:"bytes"`
	Digest string `json:"digest"` // eight hexadecimal digits
}

// A LogRef is what the manifest knows of a log: package wal has its format.
type LogRef struct {
	Name     string `json:"name"`
	Identity uint64 `json:"identity"` // what the header of the log says, too
}

// Encode returns the bytes of the manifest: a line with the version, a JSON object, and a line with
// the checksum of everything before it.
func (m *Manifest) Encode() ([]byte, error) {
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	b := fmt.Appendf(nil, "%s%d\n%s\n", magic, FormatVersion, body)
	return fmt.Appendf(b, "%s%08x\n", checksumLabel, section.Checksum(b)), nil
}

// DecodeManifest reads what Encode wrote. The error is ErrNoIndex, section.ErrVersion or section.ErrCorrupt, and it
// names path.
func DecodeManifest(path string, b []byte) (*Manifest, error) {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok {
		return nil, fmt.Errorf("%w: %s was not written by simsearch", ErrNoIndex, path)
	}
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	version, err := strconv.Atoi(string(line))
	if err != nil {
		return nil, corruptf(path, "version %.20q", line)
	}
	if version != FormatVersion {
		return nil, fmt.Errorf("%w: %s has format %d, this program reads %d: use the program that wrote it, or build the index again",
			section.ErrVersion, path, version, FormatVersion)
	}
	at := bytes.LastIndex(b, []byte(checksumLabel))
	if want := fmt.Sprintf("%s%08x\n", checksumLabel, section.Checksum(b[:max(at, 0)])); at < 0 || string(b[at:]) != want {
		return nil, corruptf(path, "its last line is not the checksum of what stands before")
	}
	m := &Manifest{}
	dec := json.NewDecoder(bytes.NewReader(rest[:len(rest)-len(b[at:])]))
	dec.DisallowUnknownFields()
	if err := dec.Decode(m); errors.Is(err, analysis.ErrUnreadable) {
		return nil, fmt.Errorf("%w: %s: %w", section.ErrVersion, path, err)
	} else if err != nil {
		return nil, corruptf(path, "%v", err)
	}
	if err := cmp.Or(m.Keep.Validate(), m.Search.Check(m.Settings)); err != nil {
		return nil, corruptf(path, "%v", err)
	}
	if !slices.Contains([]string{"", Texts, Fingerprints, Both}, m.Input.Holds) {
		return nil, corruptf(path, "the index holds %q", m.Input.Holds)
	}
	if m.Base != "" && !isAbsolute(m.Base) && !isUp(filepath.FromSlash(m.Base)) {
		return nil, corruptf(path, "base %q", m.Base)
	}
	if err := m.checkFiles(path); err != nil {
		return nil, err
	}
	if m.IDF == nil && len(m.Segments) > 0 && m.Settings.Learns() {
		return nil, corruptf(path, "it names no file for the weights that it has learnt")
	}
	return m, nil
}

// checkFiles checks the names of all files: they have numbers, so that nothing outside is named, and each is there
// once.
func (m *Manifest) checkFiles(path string) error {
	seen := map[string]bool{}
	var bad []string
	check := func(name, extension string) {
		if !IsNumbered(name) || filepath.Ext(name) != extension || seen[name] {
			bad = append(bad, name)
		}
		seen[name] = true
	}
	for _, s := range m.Segments {
		if d := s.Deleted; d != nil && (d.Documents == 0 || d.Documents >= s.Documents) {
			return corruptf(path, "%d of %d documents of %s are deleted", d.Documents, s.Documents, s.Name)
		}
	}
	m.eachFile(check)
	for _, name := range m.Aside {
		check(name, filepath.Ext(name))
	}
	if len(bad) > 0 {
		return corruptf(path, "file name %q", bad[0])
	}
	return nil
}

// maxManifest is the most bytes of a manifest that are read: many times those of an index of a billion documents.
const maxManifest = 64 << 20

// ReadManifest returns the manifest of the index in dir.
func ReadManifest(fsys disk.FS, dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	b, err := fsys.ReadFile(path, maxManifest)
	if err == nil {
		return DecodeManifest(path, b)
	}
	if !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "not a directory") {
		return nil, err
	}
	info, statErr := fsys.Stat(dir)
	switch {
	case statErr != nil:
		return nil, &AbsentError{dir, "does not exist"}
	case !info.IsDir():
		return nil, fmt.Errorf("%w: %s is a file, and an index is a directory", ErrNoIndex, dir)
	}
	names, err := foreignNames(fsys, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it has just been removed
		return nil, &AbsentError{dir, "does not exist"}
	case err != nil:
		return nil, err
	case len(names) == 0:
		return nil, &AbsentError{dir, "is empty"}
	}
	return nil, fmt.Errorf("%w: %s holds %s and other files, but no %s", ErrNoIndex, dir, names[0], ManifestName)
}

// Write replaces the manifest of the index in dir.
func (m *Manifest) Write(fsys disk.FS, dir string) error {
	b, err := m.Encode()
	if err != nil {
		return err
	}
	return disk.WriteAtomic(fsys, filepath.Join(dir, ManifestName), b)
}

// IsEmpty reports whether the index has no documents, and none to come from logs.
func (m *Manifest) IsEmpty() bool { return len(m.Segments)+len(m.Logs) == 0 }

// Layout returns what the segments of the index have.
func (m *Manifest) Layout() (l segment.Layout) {
	if m.Settings.Fingerprints() {
		l.Bits = m.Settings.Bits
	}
	l.Sets = m.Settings.Sets()
	if m.Settings.Signatures() {
		l.Positions = m.Settings.Positions
	}
	l.Texts = m.Kept() != KeepNothing
	l.Fields, l.Passages = m.Input.KeepFields != "", m.Passages
	return l
}

// eachFile calls do with the names of the files that the manifest names, and the extension that each should have.
func (m *Manifest) eachFile(do func(name, extension string)) {
	for _, s := range m.Segments {
		do(s.Name, SegmentExtension)
		if s.Deleted != nil {
			do(s.Deleted.Name, DeletedExtension)
		}
	}
	if m.IDF != nil {
		do(m.IDF.Name, IDFExtension)
	}
	for _, l := range m.Logs {
		do(l.Name, LogExtension)
	}
	if m.Catalogue != nil {
		do(m.Catalogue.Name, CatalogueExtension)
	}
}

// Files returns the names of the files that the manifest names.
func (m *Manifest) Files() (names []string) {
	m.eachFile(func(name, _ string) { names = append(names, name) })
	return names
}

// Names reports whether the manifest names file.
func (m *Manifest) Names(file string) bool {
	return slices.Contains(m.Files(), file)
}

// Kept returns what the index keeps.
func (m *Manifest) Kept() Keep {
	if m.Keep == KeepDefault {
		return KeepNothing // an earlier format began it
	}
	return m.Keep
}

// MakeStale makes the catalogue of m stale, if it has one.
func (m *Manifest) MakeStale() {
	if m.Catalogue != nil {
		ref := *m.Catalogue
		ref.Stale = true
		m.Catalogue = &ref
	}
}

// Leftovers returns the names of a directory that m does not account for, in ascending order.
func (m *Manifest) Leftovers(names []string) []Leftover {
	var out []Leftover
	for _, name := range names {
		if IsTemporary(name) {
			out = append(out, Leftover{name, true, false})
		} else if number, ok := numberOf(name); ok && !m.Names(name) {
			damaged := slices.Contains(m.Aside, name)
			out = append(out, Leftover{name, number < m.Next && !damaged, damaged})
		}
	}
	slices.SortFunc(out, func(a, b Leftover) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
