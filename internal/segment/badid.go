package segment

import (
	"bytes"
	"fmt"
)

// MaxID is the maximum length of an id in bytes.
const MaxID = 64 << 10

// BadID returns why id cannot be an id, or "" if it can.
func BadID(id []byte) string {
	switch {
	case len(id) == 0:
		return "a document without an id"
	case len(id) > MaxID:
		return fmt.Sprintf("an id of %d bytes, more than %d", len(id), MaxID)
	case bytes.IndexByte(id, 0) >= 0:
		return "an id with a zero byte, which databases and lines of text cannot hold"
	}
	return ""
}
