//go:build !linux

package memory

func machine() (m amount, ok bool) { return m, false }
