package results

import (
	"fmt"

	"simsearch/index"
	"simsearch/internal/terminal"
)

// Many says that very many pairs follow, and what shows as much in fewer lines. collapsed says that equal documents are paired
// with the first of them only.
func Many(m index.Many, collapsed bool) string {
	about := ""
	switch {
	case m.AtMost:
		about = "at most "
	case m.About:
		about = "about "
	}
	told := fmt.Sprintf("%s%s of %s in %s%s follow; simsearch groups prints each of these documents once",
		about, terminal.Plural(int(m.Pairs), "pair"), terminal.Plural(int(m.Documents), "document"), about, terminal.Plural(int(m.Groups), "group"))
	if equal := int64(m.Largest) * int64(m.Largest-1) / 2; !collapsed && 2*equal >= m.Pairs {
		told += fmt.Sprintf("; %s are equal, and --collapse pairs each with the first of them only", terminal.Plural(m.Largest, "document"))
	}
	return told
}
