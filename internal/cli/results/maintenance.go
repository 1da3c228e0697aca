package results

import (
	"fmt"
	"path/filepath"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// Compacted says what compact has done.
func Compacted(before, after index.Info) string {
	if len(before.Segments) == len(after.Segments) && before.Bytes == after.Bytes {
		return "nothing to do: there is one segment at most, and none of its documents is deleted"
	}
	text := fmt.Sprintf("%s merged into %d", terminal.Plural(len(before.Segments), "segment"), len(after.Segments)) +
		terminal.If(before.Deleted > 0, ", without %s", terminal.Plural(before.Deleted, "deleted document"))
	is, was := terminal.Bytes(int64(after.Bytes)), terminal.Bytes(int64(before.Bytes))
	if before.Bytes >= after.Bytes {
		text += fmt.Sprintf("; %s given back (%s, and it was %s)", terminal.Bytes(int64(before.Bytes-after.Bytes)), is, was)
	} else {
		text += fmt.Sprintf("; %s, and it was %s", is, was)
	}
	return text + terminal.If(len(after.Segments) > 1, "; merging more takes more --memory")
}

// DamageLine says where an index in dir is damaged, and what to do.
func DamageLine(dir string, d index.Damage) string {
	where := filepath.Join(dir, d.File) + terminal.If(d.Section != "", ": section %s", d.Section) +
		terminal.If(d.Offset >= 0, " at offset %d", d.Offset)
	return fmt.Sprintf("%s: %s; %s", where, d.Reason, d.Remedy)
}
