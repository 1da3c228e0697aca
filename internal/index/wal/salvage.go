package wal

import (
	"cmp"

	"simsearch/internal/ground/disk"
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
func Salvage(fsys disk.FS, path string, identity uint64, each func(payload []byte) error, lost func(damage error, bytes int64)) error {
	r := &reader{fsys: fsys, path: path, identity: identity, lost: lost}
	fault, err := r.pass(each)
	return cmp.Or(fault, err)
}

// skip goes to the next record that may be whole, or to the end of the file.
func (r *reader) skip() {
	data := r.data
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
