package inputs

import (
	"bytes"
	"os"

	"simsearch/internal/stream"
)

// maxNamed is the number of lines that NamesFiles looks at.
const maxNamed = 20

// NamesFiles reports whether head has lines, or parts that NUL ends, and all of them are names of
// files. Of a long list it looks at the first ones.
func NamesFiles(head []byte) bool {
	end := "\n"
	if bytes.IndexByte(head, 0) >= 0 {
		end = "\x00"
	}
	names := 0
	for line := range bytes.SplitAfterSeq(head, []byte(end)) {
		name, complete := bytes.CutSuffix(line, []byte(end))
		name = bytes.TrimSuffix(name, []byte("\r"))
		if len(name) == 0 || !complete && len(head) == stream.BufferSize {
			continue
		}
		if len(name) > maxName {
			return false
		}
		if _, err := os.Stat(string(name)); err != nil {
			return false
		}
		if names++; names == maxNamed {
			break
		}
	}
	return names > 0
}

// maxName is the length in bytes of the longest path that systems allow.
const maxName = 4096
