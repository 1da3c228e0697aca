package wal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
)

// Read calls each with every record of the log at path, in order, and returns where the last one ends. The
// payload is valid until each returns. An error of each ends the reading and is returned.
//
// A file that is missing is fs.ErrNotExist. Damage is a *section.CorruptError that names the file: a header
// that is not that of the log called identity, a file shorter than what was acknowledged in it, or a record
// that fails though it, or one behind it, was acknowledged. Records that fail without that are where the log
// ends. A log of another version is section.ErrVersion.
//
// After a process was killed, records may be read that a power cut would still take away. A writer that goes on
// from what it has read first makes the file durable, by disk.FS.SyncFile.
//
// Read takes the memory of the largest record, and no more than the file has.
func Read(fsys disk.FS, path string, identity uint64, each func(payload []byte) error) (end int64, err error) {
	r := &reader{fsys: fsys, path: path, identity: identity}
	for tried := int64(-1); ; {
		damage, err := r.pass(each)
		if err != nil || damage == nil {
			return r.at, err
		}
		// A record that is read while another process writes it fails, too. By now it has been written.
		if r.at == tried {
			return r.at, section.InFile(path, damage)
		}
		tried = r.at
	}
}

// A reader reads a log, which may grow meanwhile.
type reader struct {
	fsys     disk.FS
	path     string
	identity uint64
	lost     func(damage error, bytes int64) // of Salvage; nil if reading ends at the first damage

	seed  uint64
	at    int64  // where the next record begins; 0 if nothing has been read
	chain uint32 // the checksum of the record before
	buf   []byte // a payload
	sums  summer

	// Of the next record:
	data []byte // the file
	head head   // the length is 0 at the end of the file
	why  string // what is wrong with the record, or ""
}

// pass reads what the file has now, from r.at on. damage is what is wrong with the file, and err another error.
func (r *reader) pass(each func(payload []byte) error) (damage, err error) {
	m, err := disk.MapOwn(r.fsys, r.path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	acknowledged, damage, err := r.begin(m.Data())
	if damage != nil && r.lost != nil {
		r.lost(section.InFile(r.path, damage), int64(len(m.Data())))
		return nil, nil
	}
	if damage != nil || err != nil {
		return damage, err
	}
	if acknowledged > int64(len(m.Data())) {
		// The file was shorter when it was mapped than when the cell was read.
		if err := m.Close(); err != nil {
			return nil, err
		}
		if m, err = disk.MapOwn(r.fsys, r.path); err != nil {
			return nil, err
		}
	}
	data := m.Data()
	if size := int64(len(data)); max(acknowledged, r.at) > size && r.lost == nil {
		return r.short(size, max(acknowledged, r.at)), nil
	}
	r.data = data
	guarded := r.next // one closure for all records
	for {
		if err := disk.Guarded(guarded); err != nil {
			return err, nil
		}
		h := r.head
		switch {
		case r.why != "":
			damage := r.torn(data, acknowledged, r.why)
			if damage == nil || r.lost == nil {
				return damage, nil
			}
			from := r.at
			if err := disk.Guarded(func() error { r.skip(); return nil }); err != nil {
				return err, nil
			}
			r.lost(damage, r.at-from)
		case h.length == 0:
			if r.at < acknowledged { // and so there is lost
				r.lost(r.short(r.at, acknowledged), acknowledged-r.at)
			}
			return nil, nil
		default:
			if err := each(r.buf); err != nil {
				return nil, err
			}
			r.at += recordHeader + int64(h.length)
			r.chain = h.checksum
		}
	}
}

// short returns the damage of a file that ends at byte at.
func (r *reader) short(at, acknowledged int64) error {
	return r.corruptf("records", at, "the file ends, %d bytes of it were acknowledged", acknowledged)
}

// begin checks the header, and returns how much of the file was acknowledged as far as the cells tell.
func (r *reader) begin(data []byte) (acknowledged int64, damage, err error) {
	var head [recordsAt]byte
	n := 0
	if fault := disk.Guarded(func() error { n = copy(head[:], data); return nil }); fault != nil {
		return 0, fault, nil
	}
	header := head[:headerSize]
	known := n == recordsAt && string(header[:len(magic)]) == magic
	if v := binary.LittleEndian.Uint32(header[8:]); known && v != version {
		return 0, nil, section.InFile(r.path, fmt.Errorf("%w: the log has version %d, this program knows %d", section.ErrVersion, v, version))
	}
	if !known || section.Checksum(header[:headerSize-4]) != headerChain(header) {
		damage := r.corruptf("header", 0, "it is not the header of a log")
		if len(data) <= recordsAt {
			damage = fmt.Errorf("%w: %w", damage, errUnbegun)
		}
		return 0, damage, nil
	}
	if id := binary.LittleEndian.Uint64(header[16:]); id != r.identity {
		return 0, r.corruptf("header", 16, "it is log %d, want %d", id, r.identity), nil
	}
	seed := binary.LittleEndian.Uint64(header[24:])
	if r.at == 0 {
		r.seed, r.at, r.chain = seed, recordsAt, headerChain(header)
	} else if seed != r.seed {
		return 0, r.corruptf("header", 24, "another log has taken the place of the one that was read"), nil
	}
	for cell := range 2 {
		p := head[cellAt+cell*cellStep:][:cellSize]
		durable := int64(binary.LittleEndian.Uint64(p))
		if durable >= recordsAt && binary.LittleEndian.Uint32(p[8:]) == cellChecksum(seed, cell, durable) {
			acknowledged = max(acknowledged, durable)
		}
	}
	return acknowledged, nil, nil
}

// next copies the payload of the next record of r.data to r.buf. It reads a map.
func (r *reader) next() error {
	r.head, r.why = head{}, ""
	rest := r.data[r.at:]
	if len(rest) == 0 {
		return nil
	}
	if len(rest) < recordHeader {
		r.why = "a record is cut short"
		return nil
	}
	h, mark := parseHead(rest)
	if !h.plausible() || r.sums.mark(h, r.seed, r.at) != mark {
		r.why = "the header of a record fails its checksum"
		return nil
	}
	if rest = rest[recordHeader:]; uint64(h.length) > uint64(len(rest)) {
		r.why = "a record is cut short"
		return nil
	}
	// Bytes that are checked must not change any more.
	r.buf = append(r.buf[:0], rest[:h.length]...)
	if r.sums.sum(h, r.chain, r.buf) != h.checksum {
		r.why = "a record fails its checksum"
	}
	r.head = h
	return nil
}

func (h head) plausible() bool { return h.length > 0 && h.length <= maxPayload }

// torn returns the damage of the record at r.at, or nil if it is where the log ends. It is damage if it was
// durable by what a cell says, or the header of a record behind it. In the latter case, there may be any
// bytes between the two, so that all places are tried.
func (r *reader) torn(data []byte, acknowledged int64, why string) error {
	if r.at < acknowledged {
		return r.corruptf("records", r.at, "%s; %d bytes were acknowledged", why, acknowledged)
	}
	var behind int64
	fault := disk.Guarded(func() error {
		for at := r.at + 1; at <= int64(len(data))-recordHeader; at++ {
			h, mark := parseHead(data[at:])
			if h.plausible() && h.back != farBack && at-int64(h.back) > r.at && r.sums.mark(h, r.seed, at) == mark {
				behind = at
				return nil
			}
		}
		return nil
	})
	if behind > 0 {
		return r.corruptf("records", r.at, "%s; the one at offset %d was written after it was durable", why, behind)
	}
	return fault
}

func (r *reader) corruptf(name string, offset int64, format string, args ...any) error {
	return &section.CorruptError{File: r.path, Section: name, Offset: offset, Reason: fmt.Sprintf(format, args...)}
}
