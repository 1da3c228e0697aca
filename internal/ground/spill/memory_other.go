//go:build !linux

package spill

func machine() (m amount, ok bool) { return m, false }
