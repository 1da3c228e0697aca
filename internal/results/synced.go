package results

import (
	"fmt"

	"simsearch/internal/filesync"
	"simsearch/internal/terminal"
)

// Synced is what index --sync has found of files.
type Synced filesync.Counts

// String returns a line about it.
func (s Synced) String() string {
	text := terminal.Plural(s.Files, "file")
	if s.New+s.Changed+s.Gone+s.LeftOut+s.Failed+s.Touched == 0 {
		text += ", and none has changed"
	}
	separator := ": "
	for _, also := range []struct {
		n    int
		text string
	}{
		{s.New, "%s new"},
		{s.Changed, "%s changed"},
		{s.Gone, "%s gone"},
		{s.Renamed, "%s of these renamed"},
		{s.LeftOut, "%s not among the inputs"},
		{s.Touched, "%s with another time and the same contents"},
		{s.Failed, "%s that cannot be read: what the index has of them stays"},
		{s.Meanwhile, "%s changed meanwhile: the next --sync reads them again"},
	} {
		if also.n > 0 {
			text += separator + fmt.Sprintf(also.text, terminal.Thousands(also.n))
			separator = "; "
		}
	}
	if s.Repeated > 0 {
		text += fmt.Sprintf("; %s left out whose id an earlier file has", terminal.Plural(s.Repeated, "document"))
	}
	if s.Elsewhere > 0 {
		text += fmt.Sprintf("; the index also has %s from elsewhere", terminal.Plural(s.Elsewhere, "document"))
	}
	return text
}
