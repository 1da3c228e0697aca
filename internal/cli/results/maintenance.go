package results

import (
	"fmt"
	"path/filepath"
	"slices"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
)

// Compacted says what compact has done.
func Compacted(before, after index.Info) string {
	text := fmt.Sprintf("%s merged into %d", terminal.Plural(len(before.Segments), "segment"), len(after.Segments))
	if before.Deleted > 0 {
		text += fmt.Sprintf(", without %s", terminal.Plural(before.Deleted, "deleted document"))
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

// A Repaired is what repair has done, or would do.
type Repaired struct {
	V       int            `json:"v"`
	DryRun  bool           `json:"dry_run"`
	Damages []index.Damage `json:"damages"`
	Losses  int            `json:"losses"`
	Aside   []string       `json:"aside"`
	Written []string       `json:"written"`
}

// RepairedObject returns the object of JSON that says what a repair has done.
func RepairedObject(r *index.Repaired, dryRun bool, losses int) Repaired {
	return Repaired{1, dryRun, slices.Concat([]index.Damage{}, r.Damages), losses, slices.Concat([]string{}, r.Aside), slices.Concat([]string{}, r.Written)}
}
