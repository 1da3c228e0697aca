package commandline

import (
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"
)

// Share returns the value of the flag called name, or otherwise if c does not have it (Has). The value is
// in (0, 1), or in (0, 1] if one is true.
func Share(c *cli.Context, name string, otherwise float64, one bool) (float64, error) {
	if !Has(c, name) {
		return otherwise, nil
	}
	x, err := strconv.ParseFloat(c.String(name), 64)
	if err != nil || !(x > 0 && (x < 1 || one && x == 1)) {
		upTo := "less than 1"
		if one {
			upTo = "at most 1"
		}
		return 0, fmt.Errorf("--%s %s: want a number more than 0 and %s", name, c.String(name), upTo)
	}
	return x, nil
}
