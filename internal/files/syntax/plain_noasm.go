//go:build purego || !amd64

package syntax

func plain(s []byte) int { return plainGeneric(s) }
