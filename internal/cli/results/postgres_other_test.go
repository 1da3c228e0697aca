//go:build !unix

package results

import "testing"

func postgres(t *testing.T, _ string, _ []string) [][]string {
	t.Skip("PostgreSQL is started by the tests on Unix only")
	return nil
}
