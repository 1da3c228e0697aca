//go:build !unix

package corpus

import "testing"

// namedPipe skips the test.
func namedPipe(t *testing.T) string {
	t.Helper()
	t.Skip("there are no named pipes")
	return ""
}
