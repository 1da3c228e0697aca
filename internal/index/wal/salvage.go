package wal

import (
	"errors"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
)

// Salvage calls each with every record of a damaged log that is certainly whole, in order, and lost with the damage of
// each part between them, which wraps section.ErrCorrupt. bytes is how long the part is. Nothing may be appended to
// the log meanwhile. What is torn at the end is no damage, as Read says. If the header is damaged, all is lost: no
// record can be told from others.
//
// A record has the checksum of the one before in its own. So the first record behind a damaged header is lost, too,
// unless the checksum in that header is right.
//
// err is that of each, that of the file system, or section.ErrVersion. The payload is valid until each returns.
func Salvage(fsys disk.FS, path string, identity uint64, each func(payload []byte) error, lost func(damage error, bytes int64)) (err error) {
	m, err := disk.MapOwn(fsys, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	r := NewReader(fsys, path, identity)
	data := m.Data()
	acknowledged, damage, err := r.begin(data)
	if err != nil {
		return err
	}
	if damage != nil {
		lost(section.InFile(path, damage), int64(len(data)))
		return nil
	}
	r.step.data = data
	for {
		if err := disk.Guarded(r.next); err != nil {
			return err
		}
		h := r.step.head
		switch {
		case r.step.why != "":
			damage := r.torn(data, acknowledged, r.step.why)
			if damage == nil {
				return nil
			}
			from := r.at
			if err := disk.Guarded(func() error { r.skip(); return nil }); err != nil {
				return err
			}
			lost(damage, r.at-from)
		case h.length == 0:
			if r.at < acknowledged {
				lost(r.corruptf("records", r.at, "the file ends, %d bytes of it were acknowledged", acknowledged), acknowledged-r.at)
			}
			return nil
		default:
			if err := each(r.buf); err != nil {
				return err
			}
			r.at += recordHeader + int64(h.length)
			r.chain = h.checksum
		}
	}
}

// skip goes to the next record that may be whole, or to the end of the file.
func (r *Reader) skip() {
	data := r.step.data
	end := int64(len(data))
	if end-r.at < recordHeader {
		r.at = end
		return
	}
	h, mark := parseHead(data[r.at:])
	r.chain = h.checksum
	if h.plausible() && r.sums.mark(h, r.seed, r.at) == mark {
		r.at = min(end, r.at+recordHeader+int64(h.length))
		return
	}
	for r.at++; r.at <= end-recordHeader; r.at++ {
		if h, mark := parseHead(data[r.at:]); h.plausible() && r.sums.mark(h, r.seed, r.at) == mark {
			return
		}
	}
	r.at = end
}
