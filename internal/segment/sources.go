package segment

import (
	"errors"
	"strings"

	"simsearch/section"
)

// Names of the sections of the sources.
const (
	secSourcePaths   = "sources.paths"
	secSourceOffsets = "sources.offsets"
	secSourceLengths = "sources.lengths"
	secSourceDigests = "sources.digests"
	secPathEnds      = "paths.ends"
	secPathBytes     = "paths.bytes"
)

// A Source is the place in a file from which a document was read.
type Source struct {
	Path, Format   string // an absolute path; a format that has no NUL in its name
	Offset, Length int64
	Digest         uint64 // of the text
}

// noPath is the number of the path of a document that has no source.
const noPath = ^uint32(0)

// A sourceBuilder gathers the sources of documents.
type sourceBuilder struct {
	paths   []string // distinct: a format, NUL and a path
	numbers map[string]uint32

	// Of each document: the number of its path, or noPath, and the rest of its source.
	path   []uint32
	offset []uint64
	length []uint32
	digest []uint64
}

// add adds the source of the next document. It has none if s is nil or too long for the sections.
func (b *sourceBuilder) add(s *Source) {
	number, known := noPath, false
	if s == nil || s.Length < 0 || s.Length > 1<<32-1 {
		s = &Source{}
	} else {
		key := s.Format + "\x00" + s.Path
		if number, known = b.numbers[key]; !known {
			if b.numbers == nil {
				b.numbers = map[string]uint32{}
			}
			number = uint32(len(b.paths))
			b.numbers[key] = number
			b.paths = append(b.paths, key)
		}
	}
	b.path, b.offset = append(b.path, number), append(b.offset, uint64(s.Offset))
	b.length, b.digest = append(b.length, uint32(s.Length)), append(b.digest, s.Digest)
}

// without returns b without the documents that are marked in drop. Paths stay until the sections are written.
func (b sourceBuilder) without(drop []bool) sourceBuilder {
	b.path, b.offset, b.length, b.digest = keep(b.path, drop), keep(b.offset, drop), keep(b.length, drop), keep(b.digest, drop)
	return b
}

// write writes the sources of the documents that stay, and the paths that these name.
func (b *sourceBuilder) write(w *section.Writer) {
	numbers := make([]uint32, len(b.paths))
	for i := range numbers {
		numbers[i] = noPath
	}
	var ends []uint64
	var names []byte
	of := make([]uint32, len(b.path))
	for doc, number := range b.path {
		of[doc] = noPath
		if number == noPath {
			continue
		}
		if numbers[number] == noPath {
			numbers[number] = uint32(len(ends))
			names = append(names, b.paths[number]...)
			ends = append(ends, uint64(len(names)))
		}
		of[doc] = numbers[number]
	}
	w.Begin(secSourcePaths)
	w.Uint32s(of)
	w.Begin(secSourceOffsets)
	w.Uint64s(b.offset)
	w.Begin(secSourceLengths)
	w.Uint32s(b.length)
	w.Begin(secSourceDigests)
	w.Uint64s(b.digest)
	w.Begin(secPathEnds)
	w.Uint64s(ends)
	w.Begin(secPathBytes)
	_, _ = w.Write(names) // w keeps the error
}

// sources are where the documents of a segment were read.
type sources struct {
	paths     section.Array[uint32]
	offsets   section.Array[uint64]
	lengths   section.Array[uint32]
	digests   section.Array[uint64]
	pathEnds  section.Array[uint64]
	pathBytes section.Array[byte]
}

func (s *sources) load(f *section.File, documents uint64) (err error) {
	if s.paths, err = section.Integers[uint32](f, secSourcePaths, documents); err != nil {
		return err
	}
	if s.offsets, err = section.Integers[uint64](f, secSourceOffsets, documents); err != nil {
		return err
	}
	if s.lengths, err = section.Integers[uint32](f, secSourceLengths, documents); err != nil {
		return err
	}
	if s.digests, err = section.Integers[uint64](f, secSourceDigests, documents); err != nil {
		return err
	}
	if s.pathEnds, err = wholeSection[uint64](f, secPathEnds, 8); err != nil {
		return err
	}
	s.pathBytes, err = wholeSection[byte](f, secPathBytes, 1)
	return err
}

// Source returns where a document was read. ok is false if the segment does not know.
func (s *Segment) Source(doc uint32) (from Source, ok bool, err error) {
	if s.sources == nil {
		return from, false, nil
	}
	from, ok, err = s.sources.of(s.deleted.At(doc))
	return from, ok, s.InFile(err)
}

func (s *sources) of(doc uint32) (from Source, ok bool, err error) {
	i := uint64(doc)
	number, err := s.paths.At(i)
	if err != nil || number == noPath {
		return from, false, err
	}
	if uint64(number) >= uint64(s.pathEnds.Len()) {
		return from, false, s.paths.Corruptf(i, "the source of document %d is file %d of %d", doc, number, s.pathEnds.Len())
	}
	lo, hi, err := span(&s.pathEnds, number)
	if err != nil {
		return from, false, err
	}
	if lo > hi || hi > uint64(s.pathBytes.Len()) {
		return from, false, s.pathEnds.Corruptf(uint64(number), "path %d spans [%d, %d) of %d bytes", number, lo, hi, s.pathBytes.Len())
	}
	name, err := s.pathBytes.Range(lo, hi)
	if err != nil {
		return from, false, err
	}
	if from.Format, from.Path, ok = strings.Cut(string(name), "\x00"); !ok {
		return from, false, s.pathBytes.Corruptf(lo, "path %d has no format", number)
	}
	var errs [3]error
	var offset uint64
	var length uint32
	offset, errs[0] = s.offsets.At(i)
	length, errs[1] = s.lengths.At(i)
	from.Digest, errs[2] = s.digests.At(i)
	from.Offset, from.Length = int64(offset), int64(length)
	if err := errors.Join(errs[:]...); err != nil {
		return from, false, err
	}
	if from.Offset < 0 {
		return from, false, s.offsets.Corruptf(i, "document %d lies at byte %d", doc, offset)
	}
	return from, true, nil
}
