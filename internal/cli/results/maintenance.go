package results

import (
	"fmt"
	"path/filepath"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// Compacted says what compact has done.
func Compacted(before, after index.Info) string {
	text := fmt.Sprintf("%s merged into %d", terminal.Plural(len(before.Segments), "segment"), len(after.Segments))
	if before.Deleted > 0 {
		text += ", without " + terminal.Plural(before.Deleted, "deleted document")
	}
	is, was := terminal.Bytes(int64(after.Bytes)), terminal.Bytes(int64(before.Bytes))
	if before.Bytes >= after.Bytes {
		text += fmt.Sprintf("; %s given back (%s, and it was %s)", terminal.Bytes(int64(before.Bytes-after.Bytes)), is, was)
	} else {
		text += fmt.Sprintf("; %s, and it was %s", is, was)
	}
	if len(after.Segments) > 1 {
		text += "; merging more takes more --memory"
	}
	return text
}

// DamageLine says where an index in dir is damaged, and what to do.
func DamageLine(dir string, d index.Damage) string {
	where := filepath.Join(dir, d.File)
	if d.Section != "" {
		where += ": section " + d.Section
	}
	if d.Offset >= 0 {
		where += fmt.Sprintf(" at offset %d", d.Offset)
	}
	return fmt.Sprintf("%s: %s; %s", where, d.Reason, d.Remedy)
}
