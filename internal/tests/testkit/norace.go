//go:build !race

package testkit

// Race reports whether the race detector is on, which makes a program ten times as slow.
const Race = false
