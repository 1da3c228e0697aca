// Package testkit has what tests of several packages need.
package testkit

import (
	"os"
	"testing"
)

// Variable is the environment variable that names the level of the tests. Without it they are those of make test, and
// with the value "long" those of make long. Other values are those of neither, and an error.
const Variable = "SIMSEARCH_TESTS"

// IsLong reports whether the tests are those of make long.
func IsLong() bool {
	switch level := os.Getenv(Variable); level {
	case "":
		return false
	case "long":
		return true
	default:
		panic(Variable + "=" + level + ": want long, or nothing")
	}
}

// Long skips a test that is too long for make test. It says why.
func Long(t testing.TB, why string) {
	t.Helper()
	if !IsLong() {
		t.Skip(why + ": make long runs it")
	}
}

// Of returns ordinary in make test, and long in make long.
func Of[T any](ordinary, long T) T {
	if IsLong() {
		return long
	}
	return ordinary
}
