package corpus

import "golang.org/x/text/unicode/norm"

// growth is by how many times the normal form NFKC of a text may be longer, in bytes of UTF-8: U+FDFA has 3, and
// becomes 33.
const growth = 11

// normalisedExceeds reports whether text has more than most bytes in normal form NFKC, or as it is. It takes little
// memory, whatever the size of text, and no time if text is far below most.
func normalisedExceeds(text []byte, most int64) bool {
	if int64(len(text)) > most {
		return true
	}
	if int64(len(text)) <= most/growth {
		return false
	}
	plain := norm.NFKC.QuickSpan(text) // which is normal already
	size := int64(plain)
	text = text[plain:]
	buffer := make([]byte, 64<<10)
	for len(text) > 0 && size <= most && size+growth*int64(len(text)) > most {
		written, read, _ := norm.NFKC.Transform(buffer, text, true) // the error says that buffer is full
		size, text = size+int64(written), text[read:]
	}
	return size > most
}
