package cli

import "slices"

// CheckQueries returns an error if the flags of near name no query or queries of several kinds, or do not go with --new and --matched.
// If nothing is named and a query can be typed, standard input becomes the query.
func (c *Flags) CheckQueries(typed bool) error {
	if err := c.checkPassages(); err != nil {
		return err
	}
	passes, kinds := c.New.Value || c.Matched.Value, 0
	for _, given := range []bool{c.HasInputs(), c.Text.Given, c.Fingerprint.Given, c.ID.Given} {
		if given {
			kinds++
		}
	}
	if kinds == 0 && typed && !passes {
		c.Args, kinds = []string{"-"}, 1
	}
	beside := FirstGiven(&c.Limit, &c.Nearest, &c.Show, &c.JSON)
	return Mistakes{
		{c.Add.Value && c.Of != nil, "--add adds to an index: name it with --index DIR"},
		{c.Of != nil && slices.Contains(c.Args, "-") && slices.Contains(slices.Concat(c.Of.Args, c.Of.FilesFrom.Value), "-"),
			"standard input is the query or among the documents, not both"},
		{c.Add.Value && !passes, "--add adds what --new passes: give --new or --matched, too"},
		{c.New.Value && c.Matched.Value, "--new and --matched exclude each other"},
		{passes && !c.HasInputs(), "--new and --matched pass records of an input through: name files, directories or -"},
		{passes && beside != "", "--" + beside + " has no place beside --new and --matched, which print the records of the input as they are"},
		{kinds == 0, "near what? name query files (- is standard input), or give --text TEXT, --fingerprint HEX or --id ID"},
		{kinds > 1, "query files, --text, --fingerprint and --id exclude each other"},
	}.First()
}
