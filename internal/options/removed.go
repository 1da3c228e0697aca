package options

// Removed says what replaces flags that there were, by their names. A name may follow that of the one command that it was removed from.
var Removed = map[string]string{
	"like":        "--preset names it",
	"allow-write": "--write lets agents write",
	"equal-bits":  "--k N is the same: 0.95 of 64 bits is --k 3",
	"verify":      "similarities are exact, and --recall says what may be missed",
	"on-conflict": "another text of the same id takes the place of the first",
	"collapse":    "simsearch groups prints each of the documents once",
	"chain":       "--group components makes such groups",
	"sql":         "export --as sql prints the query, with a ? for each value",
	"ids":         "--files-from FILE has the ids",
	"revive":      "--deleted keep does that",
	"drop":        "--deleted drop does that",
	"skip-bad":    "--skip bad does that",
	"skip-binary": "--skip binary does that",
}
