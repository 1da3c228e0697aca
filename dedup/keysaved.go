package dedup

import "simsearch/section"

// secKeys is the name of the section of a part of a journal that has the keys of its documents.
const secKeys = "documents.keys"

// A keysHead is what a part of a journal says of keys beside those of its documents. It may be of documents behind
// these, which are read again in the same order.
type keysHead struct {
	First   string   `json:",omitempty"`
	Example string   `json:",omitempty"`
	Fields  []string `json:",omitempty"`
	// Exact has the numbers of those documents of the part whose keys do not tell them.
	Exact map[uint32]string `json:",omitempty"`
}

// upTo returns the keys of the first n documents as they are now, as far as they are known, and what a part says of them
// that begins with document from. More may be added to k meanwhile.
func (k *keys) upTo(from, n int) (*keys, keysHead) {
	if k == nil {
		return nil, keysHead{}
	}
	var exact map[uint32]string
	for doc, d := range k.inexact {
		if int(doc) >= from && int(doc) < n {
			if exact == nil {
				exact = map[uint32]string{}
			}
			exact[doc] = d.String()
		}
	}
	return &keys{of: k.of[:min(n, len(k.of))]}, keysHead{k.first, k.example, k.fields, exact}
}

// save writes the keys of the documents [from, to). Documents whose keys are not known are those of the reference.
func (k *keys) save(w *section.Writer, from, to int) {
	if k == nil {
		return
	}
	none := noKey
	saved := make([]uint64, to-from)
	for i := range saved {
		if saved[i] = uint64(none); from+i < len(k.of) {
			saved[i] = uint64(k.of[from+i])
		}
	}
	w.Begin(secKeys)
	w.Uint64s(saved)
}

// load returns the keys of n documents that save has written, and checks what their part says.
func (k *keys) load(f *section.File, n int, head keysHead) ([]uint64, error) {
	if k == nil {
		return nil, nil
	}
	for doc, s := range head.Exact {
		if _, ok := parseDecimal(s); !ok {
			return nil, f.Corruptf(secAbout, 0, "document %d has the number %.20q", doc, s)
		}
	}
	return f.Uint64s(secKeys, uint64(n))
}

// take takes up the keys of the next documents that load has returned, and what their part says.
func (k *keys) take(saved []uint64, head keysHead) {
	if k == nil {
		return
	}
	for doc, s := range head.Exact {
		k.inexact[doc], _ = parseDecimal(s)
	}
	for _, is := range saved {
		k.of = append(k.of, key(is))
	}
	k.first, k.example, k.fields = head.First, head.Example, head.Fields
}

// resume prepares for reading from document next on, again or for the first time, when all parts have been taken up. The
// documents before refs are those of the reference.
func (k *keys) resume(refs, next int) {
	if k == nil {
		return
	}
	k.of = k.of[:min(next, len(k.of))]
	for _, is := range k.of[min(refs, len(k.of)):] {
		if is == noKey {
			k.unread++
		} else {
			k.any = true
		}
	}
}
